// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Composes the permutations of a transpose and of the one below it, then asks of the result: does
// it move nothing, or only dimensions of size 1? The latter keeps the order of elements in memory
// and becomes a reshape, which costs nothing and which other passes see through.
#include "passes/fold_transpose.h"

#include <numeric>
#include <vector>

#include "passes/expansion.h"
#include "passes/rewriter.h"

namespace astitch {
namespace {

bool IsIdentity(const std::vector<int64_t>& permutation) {
  for (size_t i = 0; i < permutation.size(); ++i) {
    if (permutation[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

absl::StatusOr<Instruction*> Visit(Rewriter& rewriter, Instruction& transpose) {
  if (transpose.opcode() != Opcode::kTranspose || !IsStatic(transpose)) return nullptr;
  Instruction* operand = transpose.operand(0);
  std::vector<int64_t> permutation = transpose.dimensions();
  const bool merges = operand->opcode() == Opcode::kTranspose;
  if (merges) {
    for (int64_t& d : permutation) d = operand->dimensions()[d];
    operand = operand->operand(0);
  }
  if (IsIdentity(permutation)) return operand;
  if (KeepsOrderOfLargeDims(permutation, operand->shape()))
    return AddReshape(rewriter, transpose, transpose.shape().dims(), operand);
  if (!merges) return nullptr;
  return rewriter.Add(transpose, Opcode::kTranspose, transpose.shape(), {operand},
                      DimensionsAttributes{std::move(permutation)});
}

}  // namespace

absl::StatusOr<bool> FoldTranspose::Run(Graph& graph) { return RewriteEach(graph, Visit); }

}  // namespace astitch
