// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Value numbering by hash, one sweep a computation: operands are merged before their users, so
// equal operands are the same pointer by the time a user is looked up. Callees go first for the
// same reason: by the time a caller is visited, equal bodies are one computation. Operands of
// commutative operations are looked up in the order of their ids, without changing the
// instruction.
#include "passes/cse.h"

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/hash/hash.h"
#include "passes/computation_equality.h"
#include "passes/effects.h"
#include "passes/rewriter.h"

namespace astitch {
namespace {

bool IsCommutative(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd:
    case Opcode::kAnd:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kMultiply:
    case Opcode::kOr:
    case Opcode::kXor:
      return true;
    default:  // the order of operands means something
      return false;
  }
}

bool MayMerge(const Instruction& instruction) {
  if (instruction.opcode() == Opcode::kConstant) return !instruction.literal().is_elided();
  return IsPure(instruction);
}

bool Swapped(const Instruction& instruction) {
  return IsCommutative(instruction.opcode()) &&
         instruction.operand(1)->id() < instruction.operand(0)->id();
}

// The set only answers whether there is an equal one; its order is never seen.
struct ValueHash {
  size_t operator()(const Instruction* instruction) const {
    size_t hash = HashOperation(*instruction);
    const bool swapped = Swapped(*instruction);
    for (int64_t i = 0; i < instruction->num_operands(); ++i)
      hash = absl::HashOf(hash, instruction->operand(swapped ? 1 - i : i)->id());
    return hash;
  }
};
struct ValueEqual {
  bool operator()(const Instruction* a, const Instruction* b) const {
    if (!SameOperation(*a, *b) || a->num_operands() != b->num_operands()) return false;
    const bool swap = Swapped(*a) != Swapped(*b);
    for (int64_t i = 0; i < a->num_operands(); ++i) {
      if (a->operand(i) != b->operand(swap ? 1 - i : i)) return false;
    }
    return true;
  }
};

struct State {
  ComputationClasses classes;
  absl::flat_hash_map<const Computation*, Computation*> representative;
  bool changed = false;

  void UseRepresentatives(Instruction& instruction) {
    std::vector<Computation*> called(instruction.called().begin(), instruction.called().end());
    for (Computation*& computation : called) {
      const auto it = representative.find(computation);
      if (it != representative.end()) computation = it->second;
    }
    if (absl::MakeConstSpan(called) == instruction.called()) return;
    instruction.set_called(std::move(called));
    changed = true;
  }

  void Visit(Computation& computation) {
    Rewriter rewriter(computation);
    absl::flat_hash_set<Instruction*, ValueHash, ValueEqual> seen;
    for (const auto& instruction : computation.instructions()) {
      UseRepresentatives(*instruction);
      if (!MayMerge(*instruction)) continue;
      const auto [first, inserted] = seen.insert(instruction.get());
      if (!inserted) rewriter.Replace(instruction.get(), *first);
    }
    changed |= rewriter.Finish();
    Computation* first = classes.Representative(&computation);
    if (first != &computation) representative.emplace(&computation, first);
  }
};

}  // namespace

absl::StatusOr<bool> Cse::Run(Graph& graph) {
  State state;
  for (Computation* computation : graph.CalleesFirst()) state.Visit(*computation);
  if (state.changed) {
    graph.RemoveUnreachedComputations();
    graph.SortCalleesFirst();
  }
  return state.changed;
}

}  // namespace astitch
