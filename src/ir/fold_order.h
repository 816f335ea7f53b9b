// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Whether the body of a reduce lets its elements be folded in parts and in any order. HLO leaves
// the order open, but a body may still depend on it: then every way to run it folds from the first
// element to the last, and nobody cuts it.
//
//   add(a, b), maximum(b, a)           one operation a result: any order
//   argmax by comparisons              any order, if trying all orders of ties and NaN says so
//   subtract(a, b), a + 2 * b          in order
#pragma once

#include <cstdint>

#include "ir/graph.h"

namespace astitch {

// The operation that alone makes result I of BODY out of parameters I and I + width, which is
// commutative and associative; null when there is none. Conversions between floats are looked
// through: they only say where the body rounds.
const Instruction* FoldOperation(const Computation& body, int64_t i);

// How many results BODY has.
int64_t NumFoldResults(const Computation& body);

bool FoldsInAnyOrder(const Computation& body);

}  // namespace astitch
