// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Constants as the passes see them: a scalar constant, or a broadcast of one, is one value
// everywhere ("splat"), whatever its shape.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/graph.h"
#include "passes/rewriter.h"

namespace astitch {

// The scalar constant behind INSTRUCTION: itself, or the operand of a broadcast or reshape. Null
// when it is none, or when its value was elided.
const Instruction* SplatConstant(const Instruction& instruction);

// The value all elements have, as the element's bits. Nothing for complex types.
std::optional<uint64_t> SplatBits(const Instruction& instruction);
// The same as a number. IsSplatOf(x, 1.0): pred, integer or float one; -0.0 and 0.0 are told apart.
bool IsSplatOf(const Instruction& instruction, double value);

// Where a window of WINDOW positions of SIZE begins when INDEX names its first, as HLO clamps it: all of
// it inside. Nothing when the index is no constant.
std::optional<int64_t> ConstantStart(const Instruction& index, int64_t size, int64_t window);

// Adds "constant[] + broadcast" of SHAPE with these element bits, or the scalar alone.
Instruction* AddSplat(Rewriter& rewriter, const Instruction& origin, const Shape& shape,
                      uint64_t bits);

}  // namespace astitch
