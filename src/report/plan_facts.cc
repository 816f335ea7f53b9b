// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One pass over the steps, one over the ledger; paths between steps when they are asked for.
#include "report/plan_facts.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"

namespace astitch {

PlanFacts::PlanFacts(const Plan& plan) : plan_(plan), storage_(plan) {
  FindComputed();
  FindLines();
}

void PlanFacts::FindComputed() {
  const auto num_steps = static_cast<int>(plan_.steps.size());
  flows_.resize(num_steps);
  numbers_.resize(num_steps);
  before_.resize(num_steps);
  for (int s = 0; s < num_steps; ++s) {
    const PlanStep& step = plan_.steps[s];
    std::vector<const Instruction*> reads, writes;
    ReadsAndWrites(step, reads, writes);
    for (const Instruction* value : reads) {
      for (const Storage::Part& part : storage_.PartsOf(value)) {
        const int from = WriterOf(part.value);
        if (from != kNone && from < s) before_[s].push_back(from);
      }
    }
    if (const auto* kernel = std::get_if<KernelPlan>(&step)) {
      flows_[s] = astitch::FlowOf(*kernel);
      for (const KernelFlow::Value& value : flows_[s].values) {
        numbers_[s].emplace(value.value, numbers_[s].size());
        if (!value.input) computed_in_[value.value].push_back(s);
      }
      // What no stage evaluates, such as the parts of a tuple that nobody reads.
      for (const Placement& place : kernel->placements) {
        const bool input = std::find(kernel->inputs.begin(), kernel->inputs.end(), place.value) !=
                           kernel->inputs.end();
        if (!input && !numbers_[s].contains(place.value)) computed_in_[place.value].push_back(s);
      }
    } else if (const auto* dot = std::get_if<DotCall>(&step)) {
      FindCallsWork(*dot, s);
    } else if (const auto* call = std::get_if<ConvolutionCall>(&step)) {
      computed_in_[call->convolution].push_back(s);
    } else if (const auto* reference = std::get_if<ReferenceCall>(&step)) {
      FindReferenceWork(*reference->instruction, s);
    }
  }
}

// What a product does on the way: all between its result and what it reads from memory.
void PlanFacts::FindCallsWork(const DotCall& call, int step) {
  absl::flat_hash_set<const Instruction*> ends = {call.lhs.value, call.rhs.value};
  for (const EpilogueOp& op : call.epilogue) ends.insert(op.addend.value);
  std::vector<const Instruction*> stack = {call.out.value};
  absl::flat_hash_set<const Instruction*> seen = {call.out.value};
  while (!stack.empty()) {
    const Instruction* value = stack.back();
    stack.pop_back();
    computed_in_[value].push_back(step);
    for (const Instruction* operand : value->operands()) {
      const bool source =
          operand->opcode() == Opcode::kParameter || operand->opcode() == Opcode::kConstant;
      if (!source && !ends.contains(operand) && seen.insert(operand).second)
        stack.push_back(operand);
    }
  }
}

// The instruction, the tuples over what it reads and the parts of what it gives.
void PlanFacts::FindReferenceWork(const Instruction& instruction, int step) {
  std::vector<const Instruction*> stack = {&instruction};
  absl::flat_hash_set<const Instruction*> seen = {&instruction};
  while (!stack.empty()) {
    const Instruction* value = stack.back();
    stack.pop_back();
    computed_in_[value].push_back(step);
    for (const Instruction* operand : value->operands()) {
      if (operand->opcode() == Opcode::kTuple && seen.insert(operand).second)
        stack.push_back(operand);
    }
    if (!value->shape().IsTuple()) continue;
    for (const Instruction* user : value->users()) {
      if (user->opcode() == Opcode::kGetTupleElement && seen.insert(user).second)
        stack.push_back(user);
    }
  }
}

// Lines come in the order of the steps; a value that several steps compute has lines for each.
void PlanFacts::FindLines() {
  int at = 0;
  for (const LedgerEntry& entry : plan_.ledger) {
    const bool result = entry.consumer != nullptr && entry.home == "result";
    int step = kNone;
    if (result) {
      step = WriterOf(entry.producer);
    } else {
      step = NextStep(entry.consumer != nullptr ? entry.consumer : entry.producer, at);
      if (step > at) at = step;
    }
    step_of_line_.push_back(step);
  }
}

int PlanFacts::NextStep(const Instruction* value, int at_least) const {
  const auto it = computed_in_.find(value);
  if (it == computed_in_.end()) return kNone;
  const auto next = std::lower_bound(it->second.begin(), it->second.end(), at_least);
  return next == it->second.end() ? it->second.back() : *next;
}

const KernelPlan* PlanFacts::KernelOf(int step) const {
  return step == kNone ? nullptr : std::get_if<KernelPlan>(&plan_.steps[step]);
}

const KernelFlow::Value* PlanFacts::InKernel(int step, const Instruction* value) const {
  const auto it = numbers_[step].find(value);
  return it == numbers_[step].end() ? nullptr : &flows_[step].values[it->second];
}

int PlanFacts::WriterOf(const Instruction* value) const {
  return static_cast<int>(storage_.WriterOf(storage_.Of(value)));
}

bool PlanFacts::IsLibraryCall(int step) const {
  return std::holds_alternative<DotCall>(plan_.steps[step]) ||
         std::holds_alternative<ConvolutionCall>(plan_.steps[step]) ||
         std::holds_alternative<ReferenceCall>(plan_.steps[step]);
}

std::string PlanFacts::StepName(int step) const {
  const PlanStep& of = plan_.steps[step];
  if (const auto* kernel = std::get_if<KernelPlan>(&of)) return kernel->name;
  if (const auto* dot = std::get_if<DotCall>(&of))
    return absl::StrCat("the product %", dot->dot->name());
  if (const auto* call = std::get_if<ConvolutionCall>(&of))
    return absl::StrCat("the convolution %", call->convolution->name());
  if (const auto* call = std::get_if<ReferenceCall>(&of))
    return absl::StrCat("the reference step %", call->instruction->name());
  return absl::StrCat("the copy of %", std::get<CopyCall>(of).from->name());
}

PlanFacts::Between PlanFacts::WhatLiesBetween(int from, int to) {
  constexpr int64_t kMost = 5'000'000;  // some hundredths of a second, some ten MB
  auto [it, fresh] = reached_from_.try_emplace(from);
  std::vector<Reached>& reached = it->second;
  if (fresh) {
    if (looked_at_ > kMost) return {};
    reached.resize(plan_.steps.size());
    for (size_t s = from + 1; s < plan_.steps.size(); ++s) {
      for (const int before : before_[s]) {
        ++looked_at_;
        reached[s].reached |= before == from || reached[before].reached;
        if (!reached[before].reached) continue;
        const int call = IsLibraryCall(before) ? before : reached[before].via;
        const bool library = call != kNone && IsLibraryCall(call);
        if (reached[s].via == kNone || (library && !IsLibraryCall(reached[s].via)))
          reached[s].via = library ? call : before;
      }
    }
  }
  if (reached.empty()) return {};
  return {true, reached[to].via};
}

}  // namespace astitch
