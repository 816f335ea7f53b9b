// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Expansions: a broadcast, or a reshape that only adds dimensions of size 1. Both put a value into
// more dimensions and depend on the coordinates of the old ones only, and frontends mix them
// freely:
//
//     %a = f32[6,1] reshape(f32[6] %x)     is the expansion of %x with dimensions {0}
//     %b = f32[6,40] broadcast(%x), dimensions={0}     and so is this
//
// The canonical spelling, which these helpers make: the operand of a broadcast has no dimension of
// size 1, its dimensions ascend, and what adds no elements is a reshape.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/graph.h"
#include "passes/rewriter.h"

namespace astitch {

struct Expansion {
  Instruction* source;
  std::vector<int64_t> dimensions;  // dimension i of the source is dimensions[i] of the result
};
// Nothing when INSTRUCTION is no expansion, or has dynamic dimensions.
std::optional<Expansion> AsExpansion(const Instruction& instruction);

// A row-major array of these dimensions; the type is that of the other.
Shape ArrayLike(const Shape& type_from, std::vector<int64_t> dims);

// OPERAND in other dimensions; looks through reshapes, adds nothing when there is nothing to do.
// REQUIRES: equal element counts.
Instruction* AddReshape(Rewriter& rewriter, const Instruction& origin, std::vector<int64_t> dims,
                        Instruction* operand);
// The canonical spelling of broadcast(SOURCE) to DIMS. DIMENSIONS may be in any order.
Instruction* AddExpansion(Rewriter& rewriter, const Instruction& origin, std::vector<int64_t> dims,
                          Instruction* source, std::vector<int64_t> dimensions);

// The permutation moves dimensions of size 1 only.
bool KeepsOrderOfLargeDims(const std::vector<int64_t>& permutation, const Shape& operand);

}  // namespace astitch
