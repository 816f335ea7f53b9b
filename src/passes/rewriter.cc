// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Finish does the work that must not happen an edit at a time. Removal is a worklist over counts
// of dead users: an operand dies when its last user does, so whole chains go in time linear in
// their edges. Program order is restored once, since additions are appended wherever they belong.
#include "passes/rewriter.h"

#include <algorithm>
#include <string>

#include "base/status.h"
#include "ir/hlo_words.h"
#include "passes/effects.h"

namespace astitch {
namespace {

// "mul" of "mul.12": suffixes are for uniqueness and would pile up.
absl::string_view WithoutSuffix(absl::string_view name) {
  const size_t dot = name.rfind('.');
  if (dot == absl::string_view::npos || dot == 0) return name;
  const absl::string_view suffix = name.substr(dot + 1);
  const bool digits = !suffix.empty() && std::all_of(suffix.begin(), suffix.end(),
                                                     [](char c) { return c >= '0' && c <= '9'; });
  const absl::string_view base = name.substr(0, dot);
  // "f32.1" is a name, "f32" is a type.
  return digits && !IsHloKeyword(base) && !IsHloTypeWord(base) ? base : name;
}

}  // namespace

Instruction* Rewriter::Add(const Instruction& origin, Opcode opcode, Shape shape,
                           std::vector<Instruction*> operands, Attributes attributes) {
  const absl::string_view name =
      opcode == origin.opcode() ? WithoutSuffix(origin.name()) : absl::string_view();
  Instruction* added =
      computation_.Add(opcode, std::move(shape), std::move(operands), std::move(attributes), name);
  added->set_position(origin.position());
  if (!origin.annotations().metadata.empty() || origin.annotations().stack_frame != 0) {
    added->mutable_annotations().metadata = origin.annotations().metadata;
    added->mutable_annotations().stack_frame = origin.annotations().stack_frame;
  }
  added_ = true;
  return added;
}

Instruction* Rewriter::CloneAs(const Instruction& origin, Shape shape,
                               std::vector<Instruction*> operands) {
  Instruction* clone = CloneWithOperands(origin, &computation_, std::move(operands),
                                         std::string(WithoutSuffix(origin.name())));
  clone->set_shape(std::move(shape));
  added_ = true;
  return clone;
}

void Rewriter::Replace(Instruction* old, Instruction* with) {
  computation_.ReplaceUses(old, with);
  replaced_.push_back(old);
}

void Rewriter::RemoveReplaced() {
  std::vector<bool> dead(computation_.id_bound(), false);
  std::vector<int64_t> dead_users(computation_.id_bound(), 0);
  std::vector<bool> replaced(computation_.id_bound(), false);
  for (const Instruction* instruction : replaced_) replaced[instruction->id()] = true;
  std::vector<Instruction*> open(std::move(replaced_));
  replaced_.clear();
  while (!open.empty()) {
    Instruction* instruction = open.back();
    open.pop_back();
    const bool unused =
        dead_users[instruction->id()] == static_cast<int64_t>(instruction->users().size());
    if (dead[instruction->id()] || !unused || instruction == computation_.root() ||
        instruction->opcode() == Opcode::kParameter ||
        (!replaced[instruction->id()] && HasSideEffect(*instruction))) {
      continue;
    }
    dead[instruction->id()] = true;
    // An operand mentioned twice has this user once.
    std::vector<Instruction*> operands(instruction->operands().begin(),
                                       instruction->operands().end());
    std::sort(operands.begin(), operands.end(),
              [](const Instruction* a, const Instruction* b) { return a->id() < b->id(); });
    operands.erase(std::unique(operands.begin(), operands.end()), operands.end());
    for (Instruction* operand : operands) {
      ++dead_users[operand->id()];
      open.push_back(operand);
    }
  }
  computation_.RemoveAll(dead);
}

bool Rewriter::Finish() {
  const bool changed = added_ || !replaced_.empty();
  if (!replaced_.empty()) RemoveReplaced();
  if (added_) computation_.SortProgramOrder();
  added_ = false;
  return changed;
}

absl::StatusOr<bool> RewriteComputation(Computation& computation, VisitFunction visit) {
  Rewriter rewriter(computation);
  const int64_t size = computation.size();
  for (int64_t i = 0; i < size; ++i) {
    Instruction* instruction = computation.instructions()[i].get();
    ASTITCH_ASSIGN_OR_RETURN(Instruction * with, visit(rewriter, *instruction));
    if (with != nullptr && with != instruction) rewriter.Replace(instruction, with);
  }
  return rewriter.Finish();
}

absl::StatusOr<bool> RewriteEach(Graph& graph, VisitFunction visit) {
  bool changed = false;
  for (Computation* computation : graph.CalleesFirst()) {
    ASTITCH_ASSIGN_OR_RETURN(const bool here, RewriteComputation(*computation, visit));
    changed |= here;
  }
  return changed;
}

bool IsStaticArray(const Shape& shape) { return shape.IsArray() && !shape.has_dynamic_dims(); }

bool IsStatic(const Instruction& instruction) {
  return IsStaticArray(instruction.shape()) &&
         std::all_of(instruction.operands().begin(), instruction.operands().end(),
                     [](const Instruction* operand) { return IsStaticArray(operand->shape()); });
}

}  // namespace astitch
