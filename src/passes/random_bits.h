// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// rng-bit-generator as integer arithmetic on the coordinates of its result.
//
//   (%state', %bits) = rng-bit-generator(%state)
//   =>  %bits = rounds(key of %state, counter of %state + block of the element), a word of it
//
// Both generators are functions of a key and a counter (Salmon, Moraes, Dror, Shaw: "Parallel random
// numbers: as easy as 1, 2, 3", SC 2011), so that each element is computed where it is read, in any
// kernel. Which block and word an element has is that of XLA.
#pragma once

#include "absl/status/statusor.h"
#include "passes/rewriter.h"

namespace astitch {

// What replaces GENERATOR; null where its state or result is none that the generators have.
absl::StatusOr<Instruction*> ExpandRandomBits(Rewriter& rewriter, Instruction& generator);

}  // namespace astitch
