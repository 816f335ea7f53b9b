// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What a reference step reads and writes: the arrays at the leaves of one instruction's operands and
// of its result, however deep in tuples.
//
//   %init = (s32[], f32[8]) tuple(%n, %x)        reads %n and %x
//   %loop = (s32[], f32[8]) while(%init), ...
//   %sum = f32[8] get-tuple-element(%loop), index=1      writes %sum; the counter, which nobody
//                                                        takes, goes nowhere
#pragma once

#include <vector>

#include "ir/graph.h"

namespace astitch {

// The arrays that INSTRUCTION's operands are made of, each once, in order. Scalar constants are left
// out: the step holds them as numbers.
std::vector<const Instruction*> ReferenceInputs(const Instruction& instruction);

// The arrays that somebody takes of INSTRUCTION's result, in the order of its elements: itself, or
// get-tuple-elements.
std::vector<const Instruction*> ReferenceOutputs(const Instruction& instruction);

// The instruction of which VALUE is a part, behind get-tuple-elements; itself if it is none.
const Instruction* WholeOf(const Instruction* value);

}  // namespace astitch
