// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The addressing that gather and scatter share, derived from their dimension lists.
//
//   result (updates) dims   batch dims (an index vector each)  +  offset dims (within the slice)
//   operand coordinate d =  start[d] from the index vector  +  offset along d
//
// gather reads operand at (clamped start + offset); scatter combines into it where the whole window
// lies inside. Both name the same roles differently, so one struct serves both.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/types/span.h"
#include "astitch/shape.h"
#include "ir/attributes.h"
#include "ir/graph.h"

namespace astitch {

struct GatherDims {
  std::vector<int64_t> offset_dims;            // of the result (updates): walk inside a slice
  std::vector<int64_t> batch_dims;             // the other dims of the result, ascending
  std::vector<int64_t> window_dims;            // operand dim of each offset dim, ascending
  std::vector<int64_t> collapsed_dims;         // operand dims of slice size 1, not in the result
  std::vector<int64_t> start_index_map;        // operand dim of each entry of an index vector
  std::vector<int64_t> operand_batching_dims;  // operand dims that follow a batch coordinate ...
  std::vector<int64_t> indices_batching_dims;  // ... at this dim of the indices
  int64_t index_vector_dim = 0;
  // Where the batch coordinate of operand_batching_dims[t] stands among batch_dims.
  std::vector<int64_t> batching_positions;
};

// REQUIRES: the instruction is verified. RESULT_RANK is the rank of the result (of the updates).
GatherDims GatherDimsOf(const GatherAttributes& attributes, int64_t operand_rank,
                        int64_t result_rank);
GatherDims GatherDimsOf(const ScatterAttributes& attributes, int64_t operand_rank,
                        int64_t updates_rank);
// Of a scatter.
GatherDims ScatterDimsOf(const Instruction& scatter);

// Whether the windows of any two index vectors of a scatter are the same or have no element in common:
// where an index decides, a window is one element long, or as long as the operand.
//     f32[30000,768], windows of a row each      yes
//     f32[100], windows of 3 elements            no: those at 4 and at 5 overlap
bool WindowsAreSameOrApart(const Instruction& scatter);

}  // namespace astitch
