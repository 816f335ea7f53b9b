// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Marks from what must stay (root, parameters, side effects) along operands, with a worklist,
// since graphs nest deeper than a stack; then removes the unmarked in one go. A removal at a time,
// from the users, would have to look at every operand list again.
#include "passes/dce.h"

#include <vector>

#include "passes/effects.h"

namespace astitch {
namespace {

bool RemoveUnused(Computation& computation) {
  std::vector<bool> dead(computation.id_bound(), true);
  std::vector<const Instruction*> open;
  const auto keep = [&](const Instruction* instruction) {
    if (!dead[instruction->id()]) return;
    dead[instruction->id()] = false;
    open.push_back(instruction);
  };
  for (const auto& instruction : computation.instructions()) {
    if (instruction.get() == computation.root() || instruction->opcode() == Opcode::kParameter ||
        HasSideEffect(*instruction)) {
      keep(instruction.get());
    }
  }
  int64_t kept = 0;
  while (!open.empty()) {
    const Instruction* instruction = open.back();
    open.pop_back();
    ++kept;
    for (const Instruction* operand : instruction->operands()) keep(operand);
  }
  if (kept == computation.size()) return false;
  computation.RemoveAll(dead);
  return true;
}

}  // namespace

absl::StatusOr<bool> Dce::Run(Graph& graph) {
  bool changed = false;
  const size_t computations = graph.computations().size();
  for (const auto& computation : graph.computations()) changed |= RemoveUnused(*computation);
  graph.RemoveUnreachedComputations();
  return changed || graph.computations().size() != computations;
}

}  // namespace astitch
