// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Four folds, all of one shape: find where the dimensions of the source end up in the result, then
// let AddExpansion spell that canonically. Broadcast, transpose and slice compose lists of
// dimensions; reshape has to solve for them, group by group of dims with equal products. A
// broadcast that is canonical already is left alone, so the pass comes to rest.
#include "passes/fold_broadcast.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "passes/expansion.h"
#include "passes/rewriter.h"

namespace astitch {
namespace {

bool IsCanonical(const Instruction& broadcast) {
  const Shape& source = broadcast.operand(0)->shape();
  const std::vector<int64_t>& dims = source.dims();
  const bool adds =
      dims != broadcast.shape().dims() &&
      (source.num_elements() != broadcast.shape().num_elements() || source.num_elements() == 0);
  return adds && std::find(dims.begin(), dims.end(), 1) == dims.end() &&
         std::is_sorted(broadcast.dimensions().begin(), broadcast.dimensions().end());
}

// broadcast(x) where x is an expansion too, or where the spelling is not canonical.
Instruction* FoldIntoBroadcast(Rewriter& rewriter, Instruction& broadcast) {
  Instruction* source = broadcast.operand(0);
  std::vector<int64_t> dimensions = broadcast.dimensions();
  const std::optional<Expansion> inner = AsExpansion(*source);
  if (!inner.has_value() && IsCanonical(broadcast)) return nullptr;
  if (inner.has_value()) {
    std::vector<int64_t> composed;
    for (int64_t d : inner->dimensions) composed.push_back(dimensions[d]);
    source = inner->source;
    dimensions = std::move(composed);
  }
  return AddExpansion(rewriter, broadcast, broadcast.shape().dims(), source, std::move(dimensions));
}

// transpose(broadcast(x)): the broadcast alone, into the permuted dimensions.
Instruction* FoldTransposeOfBroadcast(Rewriter& rewriter, Instruction& transpose) {
  Instruction* broadcast = transpose.operand(0);
  std::vector<int64_t> place(transpose.dimensions().size());
  for (size_t i = 0; i < place.size(); ++i) place[transpose.dimensions()[i]] = i;
  std::vector<int64_t> dimensions = broadcast->dimensions();
  for (int64_t& d : dimensions) d = place[d];
  return AddExpansion(rewriter, transpose, transpose.shape().dims(), broadcast->operand(0),
                      std::move(dimensions));
}

// slice(broadcast(x)) that cuts only dimensions which x does not have.
Instruction* FoldSliceOfBroadcast(Rewriter& rewriter, Instruction& slice) {
  Instruction* broadcast = slice.operand(0);
  for (int64_t d : broadcast->dimensions()) {
    if (slice.shape().dim(d) != broadcast->shape().dim(d)) return nullptr;
  }
  const auto& attributes = slice.as<SliceAttributes>();
  for (int64_t d : broadcast->dimensions()) {
    if (attributes.starts[d] != 0 || attributes.strides[d] != 1) return nullptr;
  }
  return AddExpansion(rewriter, slice, slice.shape().dims(), broadcast->operand(0),
                      broadcast->dimensions());
}

// reshape(broadcast(x)): the dims of both sides fall into smallest groups of equal products. A
// group of new dims gives new dims, a group of x's dims is a reshape of x; a mixed one stops this.
class ReshapeOfBroadcast {
 public:
  explicit ReshapeOfBroadcast(const Instruction& reshape)
      : from_(reshape.operand(0)->shape()), to_(reshape.shape()), old_(from_.rank(), false) {
    for (int64_t d : reshape.operand(0)->dimensions()) old_[d] = true;
  }

  bool Solve() {
    int64_t i = 0, j = 0;
    while (i < from_.rank() || j < to_.rank()) {
      const int64_t first_i = i, first_j = j;
      int64_t left = i < from_.rank() ? from_.dim(i++) : 1;
      int64_t right = j < to_.rank() ? to_.dim(j++) : 1;
      while (left != right) {
        if (left < right) {
          left *= from_.dim(i++);
        } else {
          right *= to_.dim(j++);
        }
      }
      if (!AddGroup(first_i, i, first_j, j)) return false;
    }
    return true;
  }

  std::vector<int64_t> source_dims, dimensions;

 private:
  bool AddGroup(int64_t first_i, int64_t end_i, int64_t first_j, int64_t end_j) {
    bool any_old = false, any_new = false;
    for (int64_t i = first_i; i < end_i; ++i) {
      if (from_.dim(i) != 1) (old_[i] ? any_old : any_new) = true;
    }
    if (any_old && any_new) return false;
    for (int64_t j = first_j; any_old && j < end_j; ++j) {
      if (to_.dim(j) == 1) continue;
      source_dims.push_back(to_.dim(j));
      dimensions.push_back(j);
    }
    return true;
  }

  const Shape& from_;
  const Shape& to_;
  std::vector<bool> old_;
};

Instruction* FoldReshapeOfBroadcast(Rewriter& rewriter, Instruction& reshape) {
  Instruction* broadcast = reshape.operand(0);
  if (reshape.shape().num_elements() == 0 ||
      !std::is_sorted(broadcast->dimensions().begin(), broadcast->dimensions().end())) {
    return nullptr;
  }
  ReshapeOfBroadcast groups(reshape);
  if (!groups.Solve()) return nullptr;
  Instruction* source =
      AddReshape(rewriter, reshape, std::move(groups.source_dims), broadcast->operand(0));
  return AddExpansion(rewriter, reshape, reshape.shape().dims(), source,
                      std::move(groups.dimensions));
}

absl::StatusOr<Instruction*> Visit(Rewriter& rewriter, Instruction& instruction) {
  if (instruction.num_operands() != 1 || !IsStatic(instruction)) return nullptr;
  if (instruction.opcode() == Opcode::kBroadcast) return FoldIntoBroadcast(rewriter, instruction);
  if (instruction.operand(0)->opcode() != Opcode::kBroadcast ||
      !IsStatic(*instruction.operand(0))) {
    return nullptr;
  }
  switch (instruction.opcode()) {
    case Opcode::kTranspose:
      return FoldTransposeOfBroadcast(rewriter, instruction);
    case Opcode::kReshape:
      return FoldReshapeOfBroadcast(rewriter, instruction);
    case Opcode::kSlice:
      return FoldSliceOfBroadcast(rewriter, instruction);
    default:  // nothing else becomes a broadcast
      return nullptr;
  }
}

}  // namespace

absl::StatusOr<bool> FoldBroadcast::Run(Graph& graph) { return RewriteEach(graph, Visit); }

}  // namespace astitch
