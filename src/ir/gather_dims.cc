// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Complements and positions of the dimension lists.
#include "ir/gather_dims.h"

#include <algorithm>
#include <utility>

namespace astitch {
namespace {

bool Contains(const std::vector<int64_t>& list, int64_t d) {
  return std::find(list.begin(), list.end(), d) != list.end();
}

GatherDims Completed(GatherDims dims, int64_t operand_rank, int64_t result_rank) {
  for (int64_t d = 0; d < result_rank; ++d) {
    if (!Contains(dims.offset_dims, d)) dims.batch_dims.push_back(d);
  }
  for (int64_t d = 0; d < operand_rank; ++d) {
    if (!Contains(dims.collapsed_dims, d) && !Contains(dims.operand_batching_dims, d))
      dims.window_dims.push_back(d);
  }
  for (int64_t d : dims.indices_batching_dims)
    dims.batching_positions.push_back(d > dims.index_vector_dim ? d - 1 : d);
  return dims;
}

}  // namespace

GatherDims GatherDimsOf(const GatherAttributes& attributes, int64_t operand_rank,
                        int64_t result_rank) {
  GatherDims dims;
  dims.offset_dims = attributes.offset_dims;
  dims.collapsed_dims = attributes.collapsed_slice_dims;
  dims.start_index_map = attributes.start_index_map;
  dims.operand_batching_dims = attributes.operand_batching_dims;
  dims.indices_batching_dims = attributes.start_indices_batching_dims;
  dims.index_vector_dim = attributes.index_vector_dim;
  return Completed(std::move(dims), operand_rank, result_rank);
}

GatherDims GatherDimsOf(const ScatterAttributes& attributes, int64_t operand_rank,
                        int64_t updates_rank) {
  GatherDims dims;
  dims.offset_dims = attributes.update_window_dims;
  dims.collapsed_dims = attributes.inserted_window_dims;
  dims.start_index_map = attributes.scatter_dims_to_operand_dims;
  dims.operand_batching_dims = attributes.input_batching_dims;
  dims.indices_batching_dims = attributes.scatter_indices_batching_dims;
  dims.index_vector_dim = attributes.index_vector_dim;
  return Completed(std::move(dims), operand_rank, updates_rank);
}

GatherDims ScatterDimsOf(const Instruction& scatter) {
  const int64_t width = (scatter.num_operands() - 1) / 2;
  return GatherDimsOf(scatter.as<ScatterAttributes>(), scatter.operand(0)->shape().rank(),
                      scatter.operand(width + 1)->shape().rank());
}

bool WindowsAreSameOrApart(const Instruction& scatter) {
  const int64_t width = (scatter.num_operands() - 1) / 2;
  const Shape &operand = scatter.operand(0)->shape(),
              &updates = scatter.operand(width + 1)->shape();
  const GatherDims dims = ScatterDimsOf(scatter);
  for (size_t k = 0; k < dims.window_dims.size(); ++k) {
    const int64_t d = dims.window_dims[k], extent = updates.dim(dims.offset_dims[k]);
    if (Contains(dims.start_index_map, d) && extent != 1 && extent != operand.dim(d)) return false;
  }
  return true;
}

}  // namespace astitch
