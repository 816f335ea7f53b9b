// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Ownership, names, users and traversal of the Graph.
#include "ir/graph.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "ir/callees_first.h"

namespace astitch {

ComparisonType DefaultComparisonType(ElementType type) {
  switch (KindOf(type)) {
    case TypeKind::kFloat:
    case TypeKind::kComplex:
      return ComparisonType::kFloat;
    case TypeKind::kSigned:
      return ComparisonType::kSigned;
    case TypeKind::kUnsigned:
    case TypeKind::kPred:
      return ComparisonType::kUnsigned;
  }
  ASTITCH_UNREACHABLE();
}

// ---- Instruction

const Annotations& Instruction::annotations() const {
  static const Annotations* const kNone = new Annotations();
  return annotations_ ? *annotations_ : *kNone;
}

Annotations& Instruction::mutable_annotations() {
  if (!annotations_) annotations_ = std::make_unique<Annotations>();
  return *annotations_;
}

void Instruction::set_annotations(Annotations annotations) {
  annotations_ =
      annotations.empty() ? nullptr : std::make_unique<Annotations>(std::move(annotations));
}

void Instruction::RemoveUser(Instruction* user) {
  const auto it = std::find(users_.begin(), users_.end(), user);
  if (it != users_.end()) {
    *it = users_.back();
    users_.pop_back();
  }
}

void Instruction::ReplaceOperand(int64_t i, Instruction* with) {
  Instruction* const old = operands_[i];
  if (old == with) return;
  // This is a user of WITH exactly when WITH is among the operands: operand lists are short, user
  // lists are not.
  if (std::find(operands_.begin(), operands_.end(), with) == operands_.end())
    with->users_.push_back(this);
  operands_[i] = with;
  if (std::find(operands_.begin(), operands_.end(), old) == operands_.end()) old->RemoveUser(this);
}

// ---- Computation

Instruction* Computation::Find(absl::string_view name) const {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : it->second;
}

std::string Computation::UniqueName(absl::string_view wanted) {
  if (!by_name_.contains(wanted)) return std::string(wanted);
  int64_t& suffix = next_suffix_[std::string(wanted)];
  std::string name;
  do {
    name = absl::StrCat(wanted, ".", ++suffix);
  } while (by_name_.contains(name));
  return name;
}

Instruction* Computation::Create(Opcode opcode, Shape shape, std::vector<Instruction*> operands,
                                 Attributes attributes, absl::string_view name) {
  Instruction* instruction = new Instruction();
  instruction->name_ = UniqueName(name.empty() ? ToString(opcode) : name);
  by_name_.emplace(instruction->name_, instruction);
  instruction->opcode_ = opcode;
  instruction->shape_ = std::move(shape);
  instruction->parent_ = this;
  instruction->id_ = next_id_++;
  instruction->operands_ = std::move(operands);
  instruction->attributes_ = std::move(attributes);
  for (Instruction* operand : instruction->operands_) {
    ASTITCH_CHECK(operand->parent_ == this) << operand->name_ << " is not in " << name_;
    // Users are unique: only the first mention of an operand adds one, and it is the last there.
    if (operand->users_.empty() || operand->users_.back() != instruction)
      operand->users_.push_back(instruction);
  }
  if (opcode == Opcode::kParameter) {
    const int64_t number = instruction->parameter_number();
    if (number >= static_cast<int64_t>(parameters_.size())) parameters_.resize(number + 1, nullptr);
    parameters_[number] = instruction;
  }
  return instruction;
}

Instruction* Computation::Add(Opcode opcode, Shape shape, std::vector<Instruction*> operands,
                              Attributes attributes, absl::string_view name) {
  instructions_.emplace_back(
      Create(opcode, std::move(shape), std::move(operands), std::move(attributes), name));
  return instructions_.back().get();
}

Instruction* Computation::AddBefore(Instruction* before, Opcode opcode, Shape shape,
                                    std::vector<Instruction*> operands, Attributes attributes,
                                    absl::string_view name) {
  const auto at =
      std::find_if(instructions_.begin(), instructions_.end(),
                   [before](const std::unique_ptr<Instruction>& i) { return i.get() == before; });
  ASTITCH_CHECK(at != instructions_.end());
  return instructions_
      .insert(at, std::unique_ptr<Instruction>(Create(opcode, std::move(shape), std::move(operands),
                                                      std::move(attributes), name)))
      ->get();
}

void Computation::ReplaceUses(Instruction* old, Instruction* with) {
  if (old == with) return;
  std::vector<Instruction*> users;  // linear in the uses: a constant may have ten thousand
  users.swap(old->users_);
  for (Instruction* user : users) {
    if (user == with) {
      old->users_.push_back(user);
      continue;
    }
    auto& operands = user->operands_;
    if (std::find(operands.begin(), operands.end(), with) == operands.end())
      with->users_.push_back(user);
    std::replace(operands.begin(), operands.end(), old, with);
  }
  if (root_ == old) root_ = with;
}

void Computation::Remove(Instruction* instruction) {
  ASTITCH_CHECK(instruction->users_.empty() && instruction != root_ &&
                instruction->opcode_ != Opcode::kParameter)
      << instruction->name_;
  std::vector<bool> dead(next_id_, false);
  dead[instruction->id_] = true;
  RemoveAll(dead);
}

void Computation::RemoveAll(const std::vector<bool>& dead_by_id) {
  for (const auto& instruction : instructions_) {
    if (!dead_by_id[instruction->id_]) {
      auto& controls = instruction->control_predecessors_;
      controls.erase(std::remove_if(controls.begin(), controls.end(),
                                    [&](Instruction* i) { return dead_by_id[i->id_]; }),
                     controls.end());
      auto& users = instruction->users_;
      users.erase(std::remove_if(users.begin(), users.end(),
                                 [&](Instruction* i) { return dead_by_id[i->id_]; }),
                  users.end());
      continue;
    }
    by_name_.erase(instruction->name_);
  }
  instructions_.erase(
      std::remove_if(instructions_.begin(), instructions_.end(),
                     [&](const std::unique_ptr<Instruction>& i) { return dead_by_id[i->id_]; }),
      instructions_.end());
}

std::vector<Instruction*> Computation::post_order() const { return OperandsFirst(root_); }

std::vector<Instruction*> Computation::OperandsFirst(Instruction* start) const {
  std::vector<Instruction*> order;
  order.reserve(instructions_.size());
  enum : uint8_t { kNew, kOpen, kDone };
  std::vector<uint8_t> state(next_id_, kNew);
  std::vector<std::pair<Instruction*, size_t>> stack;
  const auto visit = [&](Instruction* from) {
    if (state[from->id_] != kNew) return;
    state[from->id_] = kOpen;
    stack.emplace_back(from, 0);
    while (!stack.empty()) {
      auto& [instruction, next] = stack.back();
      const size_t num_operands = instruction->operands_.size();
      if (next == num_operands + instruction->control_predecessors_.size()) {
        state[instruction->id_] = kDone;
        order.push_back(instruction);
        stack.pop_back();
        continue;
      }
      Instruction* const child = next < num_operands
                                     ? instruction->operands_[next]
                                     : instruction->control_predecessors_[next - num_operands];
      ++next;
      if (state[child->id_] == kNew) {
        state[child->id_] = kOpen;
        stack.emplace_back(child, 0);
      }
    }
  };
  if (start != nullptr) visit(start);
  for (const auto& instruction : instructions_) visit(instruction.get());
  return order;
}

void Computation::SortProgramOrder() {
  std::vector<int64_t> rank(next_id_, 0);
  int64_t next = 0;
  for (Instruction* instruction : OperandsFirst(nullptr)) rank[instruction->id_] = next++;
  std::sort(instructions_.begin(), instructions_.end(),
            [&](const auto& a, const auto& b) { return rank[a->id_] < rank[b->id_]; });
}

// ---- Graph

Computation* Graph::AddComputation(absl::string_view name) {
  std::string unique(name);
  for (int64_t suffix = 1; by_name_.contains(unique); ++suffix)
    unique = absl::StrCat(name, ".", suffix);
  Computation* computation = new Computation();
  computations_.emplace_back(computation);
  computation->name_ = unique;
  computation->graph_ = this;
  by_name_.emplace(unique, computation);
  return computation;
}

void Graph::RemoveComputation(Computation* computation) {
  ASTITCH_CHECK(computation != entry_);
  by_name_.erase(computation->name());
  computations_.erase(
      std::find_if(computations_.begin(), computations_.end(),
                   [computation](const auto& c) { return c.get() == computation; }));
}

void Graph::RemoveUnreachedComputations() {
  if (entry_ == nullptr) return;
  absl::flat_hash_set<const Computation*> reached = {entry_};
  std::vector<const Computation*> open = {entry_};
  while (!open.empty()) {
    const Computation* computation = open.back();
    open.pop_back();
    for (const auto& instruction : computation->instructions()) {
      for (const Computation* callee : instruction->called()) {
        if (reached.insert(callee).second) open.push_back(callee);
      }
    }
  }
  for (const auto& computation : computations_) {
    if (!reached.contains(computation.get())) by_name_.erase(computation->name());
  }
  computations_.erase(std::remove_if(computations_.begin(), computations_.end(),
                                     [&](const auto& c) { return !reached.contains(c.get()); }),
                      computations_.end());
}

Computation* Graph::FindComputation(absl::string_view name) const {
  const auto it = by_name_.find(name);
  return it == by_name_.end() ? nullptr : it->second;
}

std::vector<Computation*> Graph::CalleesFirst() const {
  std::vector<Computation*> starts;
  if (entry_ != nullptr) starts.push_back(entry_);
  for (const auto& computation : computations_) starts.push_back(computation.get());
  return CalleesFirstFrom(starts);
}

std::vector<Computation*> Graph::StableCalleesFirst() const {
  std::vector<Computation*> starts;
  for (const auto& computation : computations_) starts.push_back(computation.get());
  return CalleesFirstFrom(starts);
}

void Graph::SortCalleesFirst() {
  absl::flat_hash_map<const Computation*, size_t> rank;
  for (const Computation* computation : StableCalleesFirst())
    rank.emplace(computation, rank.size());
  std::sort(computations_.begin(), computations_.end(),
            [&](const auto& a, const auto& b) { return rank.at(a.get()) < rank.at(b.get()); });
}

std::unique_ptr<Graph> Graph::Clone() const {
  auto copy = std::make_unique<Graph>(name_);
  copy->header_ = header_;
  copy->stack_frames_ = stack_frames_;
  absl::flat_hash_map<const Computation*, Computation*> computations;
  for (const auto& computation : computations_) {
    computations[computation.get()] = copy->AddComputation(computation->name());
  }
  for (const auto& computation : computations_) {
    Computation* to = computations[computation.get()];
    to->execution_thread_ = computation->execution_thread_;
    std::vector<Instruction*> by_id(computation->next_id_, nullptr);
    for (const auto& instruction : computation->instructions_) {
      std::vector<Instruction*> operands;
      for (Instruction* operand : instruction->operands()) operands.push_back(by_id[operand->id()]);
      Instruction* twin = to->Add(instruction->opcode(), instruction->shape(), std::move(operands),
                                  instruction->attributes(), instruction->name());
      for (Computation* callee : instruction->called_)
        twin->called_.push_back(computations[callee]);
      for (Instruction* i : instruction->control_predecessors_)
        twin->control_predecessors_.push_back(by_id[i->id()]);
      if (instruction->annotations_) twin->set_annotations(*instruction->annotations_);
      twin->position_ = instruction->position_;
      by_id[instruction->id()] = twin;
    }
    if (computation->root_ != nullptr) to->root_ = by_id[computation->root_->id()];
  }
  if (entry_ != nullptr) copy->entry_ = computations[entry_];
  return copy;
}

Instruction* CloneWithOperands(const Instruction& instruction, Computation* computation,
                               std::vector<Instruction*> operands, absl::string_view name) {
  Instruction* twin =
      computation->Add(instruction.opcode(), instruction.shape(), std::move(operands),
                       instruction.attributes(), name.empty() ? instruction.name() : name);
  twin->set_called({instruction.called().begin(), instruction.called().end()});
  if (!instruction.annotations().empty()) twin->set_annotations(instruction.annotations());
  twin->set_position(instruction.position());
  return twin;
}

absl::Status ErrorAt(const Instruction& instruction, absl::string_view expected,
                     absl::string_view got) {
  return DiagnosticsError(
      {{instruction.position(),
        absl::StrCat("expected ", expected, ", got ", got, " in ", ToString(instruction.opcode()),
                     " instruction %", instruction.name()),
        ""}});
}

absl::Status ErrorAt(const Instruction& instruction, absl::string_view message) {
  return DiagnosticsError({{instruction.position(),
                            absl::StrCat(ToString(instruction.opcode()), " instruction %",
                                         instruction.name(), ": ", message),
                            ""}});
}

}  // namespace astitch
