// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Inlining from the outside in. Only computations that stay are rewritten: the entry, and what
// loops, branches and reducers run. A call in one of them is expanded with a stack of open bodies,
// so the work is the size of the result, however the calls nest; bodies that nothing runs any more
// go.
#include "passes/inline_calls.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "passes/rewriter.h"
#include "passes/scalar_computation.h"

namespace astitch {
namespace {

// Thirty nested doublings would be a billion instructions; a real model has thousands.
constexpr int64_t kMaxInstructions = int64_t{1} << 20;

// The async-start of a chain start, update..., done in which each step has the next as only user.
const Instruction* StartOf(const Instruction& done) {
  const Instruction* at = done.operand(0);
  const Instruction* const root = done.parent()->root();
  while (at->opcode() == Opcode::kAsyncUpdate && at->users().size() == 1 && at != root)
    at = at->operand(0);
  const bool starts = at->opcode() == Opcode::kAsyncStart && at->users().size() == 1 &&
                      at->called().size() == 1 && at != root;
  return starts ? at : nullptr;
}

// INSTRUCTION is a start or an update of such a chain: its done stands for it.
bool IsInsideAsyncChain(const Instruction& instruction) {
  const Instruction* at = &instruction;
  while ((at->opcode() == Opcode::kAsyncStart || at->opcode() == Opcode::kAsyncUpdate) &&
         at->users().size() == 1) {
    at = at->users()[0];
  }
  return at != &instruction && at->opcode() == Opcode::kAsyncDone && StartOf(*at) != nullptr;
}

// The instruction whose body and operands INSTRUCTION stands for: itself when it is a call, the
// start when it ends an asynchronous one. Null when it is neither.
const Instruction* CallOf(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kCall:
    case Opcode::kFusion:
      return instruction.called().size() == 1 ? &instruction : nullptr;
    case Opcode::kAsyncDone:
      return StartOf(instruction);
    default:  // runs its body otherwise, or has none
      return nullptr;
  }
}

bool IsElementwiseMap(const Instruction& map) {
  return map.opcode() == Opcode::kMap && map.called().size() == 1 && IsStatic(map) &&
         IsElementwiseOnScalars(*map.called()[0]) &&
         map.called()[0]->root()->opcode() != Opcode::kTuple;
}

Instruction* ExpandMap(Rewriter& rewriter, const Instruction& map,
                       const std::vector<Instruction*>& arguments) {
  return ApplyToArrays(rewriter, map, *map.called()[0], map.shape().dims(), arguments)[0];
}

// A body being copied: the values of its instructions so far, and where to go on.
struct OpenBody {
  OpenBody(const Computation& body, std::vector<Instruction*> arguments, int64_t result_id)
      : body(body),
        arguments(std::move(arguments)),
        value(body.id_bound(), nullptr),
        result_id(result_id) {}

  std::vector<Instruction*> Operands(const Instruction& instruction) const {
    std::vector<Instruction*> operands;
    for (const Instruction* operand : instruction.operands())
      operands.push_back(value[operand->id()]);
    return operands;
  }

  const Computation& body;
  std::vector<Instruction*> arguments;
  std::vector<Instruction*> value;
  int64_t result_id;  // of the call in the body around this one
  int64_t next = 0;
};

// Copies the body of CALL, and all that it calls in turn; gives the copy of its root.
Instruction* Expand(Rewriter& rewriter, const Instruction& call) {
  std::vector<OpenBody> open;
  open.emplace_back(*call.called()[0],
                    std::vector<Instruction*>(call.operands().begin(), call.operands().end()), 0);
  while (true) {
    OpenBody& top = open.back();
    if (top.next == top.body.size()) {
      Instruction* result = top.value[top.body.root()->id()];
      const int64_t id = top.result_id;
      open.pop_back();
      if (open.empty()) return result;
      open.back().value[id] = result;
      continue;
    }
    const Instruction& instruction = *top.body.instructions()[top.next++];
    Instruction*& value = top.value[instruction.id()];
    if (instruction.opcode() == Opcode::kParameter) {
      value = top.arguments[instruction.parameter_number()];
    } else if (const Instruction* inner = CallOf(instruction); inner != nullptr) {
      open.emplace_back(*inner->called()[0], top.Operands(*inner), instruction.id());
    } else if (IsElementwiseMap(instruction)) {
      value = ExpandMap(rewriter, instruction, top.Operands(instruction));
    } else if (!IsInsideAsyncChain(instruction)) {
      value = rewriter.CloneAs(instruction, instruction.shape(), top.Operands(instruction));
    }
  }
}

Instruction* Visit(Rewriter& rewriter, Instruction& instruction) {
  if (const Instruction* call = CallOf(instruction); call != nullptr) {
    for (Instruction* at = &instruction; at != call;) {
      at = at->operand(0);
      rewriter.Drop(at);
    }
    return Expand(rewriter, *call);
  }
  if (!IsElementwiseMap(instruction)) return nullptr;
  return ExpandMap(rewriter, instruction,
                   {instruction.operands().begin(), instruction.operands().end()});
}

// The computations that stay, callees first: the entry, and what is run otherwise than by a call.
std::vector<Computation*> StayingComputations(const Graph& graph) {
  absl::flat_hash_set<const Computation*> staying = {graph.entry()};
  absl::flat_hash_set<const Computation*> seen = {graph.entry()};
  std::vector<const Computation*> open = {graph.entry()};
  while (!open.empty()) {
    const Computation* computation = open.back();
    open.pop_back();
    for (const auto& instruction : computation->instructions()) {
      const bool inlined = CallOf(*instruction) != nullptr || IsInsideAsyncChain(*instruction);
      for (const Computation* callee : instruction->called()) {
        if (!inlined) staying.insert(callee);
        if (seen.insert(callee).second) open.push_back(callee);
      }
    }
  }
  std::vector<Computation*> order;
  for (Computation* computation : graph.CalleesFirst()) {
    if (staying.contains(computation)) order.push_back(computation);
  }
  return order;
}

// An error when all calls expanded would be beyond the bound.
absl::Status CheckSizes(const Graph& graph, const std::vector<Computation*>& staying) {
  absl::flat_hash_map<const Computation*, int64_t> sizes;
  for (const Computation* computation : graph.CalleesFirst()) {
    int64_t size = computation->size();
    for (const auto& instruction : computation->instructions()) {
      const Instruction* call = CallOf(*instruction);
      if (call == nullptr && instruction->opcode() == Opcode::kMap) call = instruction.get();
      if (call == nullptr) continue;
      for (const Computation* callee : call->called())
        size = std::min(size + sizes[callee], kMaxInstructions + 1);
    }
    sizes[computation] = size;
  }
  int64_t total = 0;
  for (const Computation* computation : staying) {
    total += sizes[computation];
    if (total > kMaxInstructions) {
      return absl::InvalidArgumentError(absl::StrCat("inlining needs more than ", kMaxInstructions,
                                                     " instructions in computation ",
                                                     computation->name()));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<bool> InlineCalls::Run(Graph& graph) {
  const std::vector<Computation*> staying = StayingComputations(graph);
  ASTITCH_RETURN_IF_ERROR(CheckSizes(graph, staying));
  bool changed = false;
  for (Computation* computation : staying) {
    Rewriter rewriter(*computation);
    const int64_t size = computation->size();
    for (int64_t i = 0; i < size; ++i) {
      Instruction* instruction = computation->instructions()[i].get();
      Instruction* with = Visit(rewriter, *instruction);
      if (with != nullptr) rewriter.Replace(instruction, with);
    }
    changed |= rewriter.Finish();
  }
  if (changed) graph.RemoveUnreachedComputations();
  return changed;
}

}  // namespace astitch
