// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Whether a reducer that only compares and selects (argmax, argmin and their kin) may fold in any
// order. Such a body knows its operands only by their order, so trying every order of three
// elements, ties and NaN among them, is a proof.
#pragma once

#include "ir/graph.h"

namespace astitch {

// The body is commutative, associative and idempotent. False for anything but comparisons,
// selections, minimum, maximum and logic on their outcome, of one or two results.
bool IsOrderFreeSelection(const Computation& computation);

}  // namespace astitch
