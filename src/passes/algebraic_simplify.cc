// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Dispatch only: which family of rules is asked for which opcode. The rules themselves, with the
// reason why each is exact, are in the files of algebraic_rules.h.
#include "passes/algebraic_simplify.h"

#include "passes/algebraic_rules.h"
#include "passes/rewriter.h"

namespace astitch {
namespace {

absl::StatusOr<Instruction*> Visit(Rewriter& rewriter, Instruction& instruction) {
  if (KindOf(instruction.opcode()) != OpKind::kElementwise || !IsStaticArray(instruction.shape()))
    return nullptr;
  if (Instruction* with = SimplifyArithmetic(rewriter, instruction); with != nullptr) return with;
  if (Instruction* with = SimplifyLogic(rewriter, instruction); with != nullptr) return with;
  return SimplifyConvert(rewriter, instruction);
}

}  // namespace

absl::StatusOr<bool> AlgebraicSimplify::Run(Graph& graph) { return RewriteEach(graph, Visit); }

}  // namespace astitch
