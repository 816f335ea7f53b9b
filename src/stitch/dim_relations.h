// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// How the dimensions of an instruction and of one of its operands belong together, opcode by
// opcode.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/graph.h"

namespace astitch {

struct DimRelations {
  enum class Kind : uint8_t {
    kScalar,   // the operand has one element, which is at every position
    kDims,     // pairs of dimensions
    kReshape,  // the same elements in the same row-major order
    kOpaque,   // no relation that dimensions could express
  };
  struct Pair {
    int64_t reader_dim = 0, operand_dim = 0;
    bool same_position = true;  // false: shifted, reversed, strided
  };
  Kind kind = Kind::kOpaque;
  std::vector<Pair> pairs;  // kDims
};

DimRelations RelationsOf(const Instruction& reader, int64_t operand);

}  // namespace astitch
