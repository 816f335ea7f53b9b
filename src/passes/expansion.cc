// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Expansions: recognized and made in canonical form.
#include "passes/expansion.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace astitch {
namespace {

// Where each dimension of FROM is in TO when TO only has more dimensions of size 1.
std::optional<std::vector<int64_t>> AddedOnes(const Shape& from, const Shape& to) {
  std::vector<int64_t> dimensions;
  int64_t next = 0;
  for (int64_t d = 0; d < to.rank(); ++d) {
    if (next < from.rank() && from.dim(next) == to.dim(d)) {
      dimensions.push_back(d);
      ++next;
    } else if (to.dim(d) != 1) {
      return std::nullopt;
    }
  }
  if (next != from.rank()) return std::nullopt;
  return dimensions;
}

// Transposes SOURCE so that DIMENSIONS ascend.
Instruction* SortDimensions(Rewriter& rewriter, const Instruction& origin, Instruction* source,
                            std::vector<int64_t>& dimensions) {
  if (std::is_sorted(dimensions.begin(), dimensions.end())) return source;
  std::vector<int64_t> permutation(dimensions.size());
  std::iota(permutation.begin(), permutation.end(), 0);
  std::sort(permutation.begin(), permutation.end(),
            [&](int64_t a, int64_t b) { return dimensions[a] < dimensions[b]; });
  std::sort(dimensions.begin(), dimensions.end());
  std::vector<int64_t> dims;
  for (int64_t d : permutation) dims.push_back(source->shape().dim(d));
  if (KeepsOrderOfLargeDims(permutation, source->shape()))
    return AddReshape(rewriter, origin, std::move(dims), source);
  return rewriter.Add(origin, Opcode::kTranspose, ArrayLike(source->shape(), std::move(dims)),
                      {source}, DimensionsAttributes{std::move(permutation)});
}

}  // namespace

std::optional<Expansion> AsExpansion(const Instruction& instruction) {
  if (!IsStatic(instruction)) return std::nullopt;
  if (instruction.opcode() == Opcode::kBroadcast)
    return Expansion{instruction.operand(0), instruction.dimensions()};
  if (instruction.opcode() != Opcode::kReshape) return std::nullopt;
  Instruction* source = instruction.operand(0);
  std::optional<std::vector<int64_t>> dimensions = AddedOnes(source->shape(), instruction.shape());
  if (!dimensions.has_value()) return std::nullopt;
  return Expansion{source, *std::move(dimensions)};
}

Shape ArrayLike(const Shape& type_from, std::vector<int64_t> dims) {
  return Shape::Array(type_from.element_type(), std::move(dims));
}

Instruction* AddReshape(Rewriter& rewriter, const Instruction& origin, std::vector<int64_t> dims,
                        Instruction* operand) {
  if (operand->shape().dims() == dims) return operand;
  if (operand->opcode() == Opcode::kReshape && IsStatic(*operand)) operand = operand->operand(0);
  if (operand->shape().dims() == dims) return operand;
  return rewriter.Add(origin, Opcode::kReshape, ArrayLike(operand->shape(), std::move(dims)),
                      {operand}, ReshapeAttributes{});
}

Instruction* AddExpansion(Rewriter& rewriter, const Instruction& origin, std::vector<int64_t> dims,
                          Instruction* source, std::vector<int64_t> dimensions) {
  source = SortDimensions(rewriter, origin, source, dimensions);
  Shape result = ArrayLike(source->shape(), std::move(dims));
  if (source->shape().num_elements() == result.num_elements() && result.num_elements() != 0)
    return AddReshape(rewriter, origin, result.dims(), source);
  std::vector<int64_t> large, large_dimensions;
  for (int64_t d = 0; d < source->shape().rank(); ++d) {
    if (source->shape().dim(d) == 1) continue;
    large.push_back(source->shape().dim(d));
    large_dimensions.push_back(dimensions[d]);
  }
  source = AddReshape(rewriter, origin, std::move(large), source);
  if (source->shape().dims() == result.dims()) return source;
  return rewriter.Add(origin, Opcode::kBroadcast, std::move(result), {source},
                      DimensionsAttributes{std::move(large_dimensions)});
}

bool KeepsOrderOfLargeDims(const std::vector<int64_t>& permutation, const Shape& operand) {
  int64_t last = -1;
  for (int64_t d : permutation) {
    if (operand.dim(d) == 1) continue;
    if (d < last) return false;
    last = d;
  }
  return true;
}

}  // namespace astitch
