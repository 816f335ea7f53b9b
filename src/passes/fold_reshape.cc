// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// AddReshape looks through the reshapes below and drops one that changes nothing; what is left for
// the pass is to say when it applies. Chains fold in one sweep, since operands are visited first.
#include "passes/fold_reshape.h"

#include "passes/expansion.h"
#include "passes/rewriter.h"

namespace astitch {
namespace {

absl::StatusOr<Instruction*> Visit(Rewriter& rewriter, Instruction& reshape) {
  if (reshape.opcode() != Opcode::kReshape || !IsStatic(reshape)) return nullptr;
  Instruction* operand = reshape.operand(0);
  const bool folds = operand->shape().dims() == reshape.shape().dims() ||
                     (operand->opcode() == Opcode::kReshape && IsStatic(*operand));
  if (!folds) return nullptr;
  return AddReshape(rewriter, reshape, reshape.shape().dims(), operand);
}

}  // namespace

absl::StatusOr<bool> FoldReshape::Run(Graph& graph) { return RewriteEach(graph, Visit); }

}  // namespace astitch
