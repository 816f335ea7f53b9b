// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// See the header.
#include "passes/inline_calls.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "passes/rewriter.h"
#include "passes/scalar_computation.h"

namespace astitch {
namespace {

// Thirty nested doublings would be a billion instructions; a real model has thousands.
constexpr int64_t kMaxInstructions = int64_t{1} << 20;

bool IsCall(const Instruction& instruction) {
  return (instruction.opcode() == Opcode::kCall || instruction.opcode() == Opcode::kFusion) &&
         instruction.called().size() == 1;
}

// The async-start of a chain start, update..., done whose start nothing else reads.
Instruction* StartOf(const Instruction& done) {
  Instruction* at = done.operand(0);
  while (at->opcode() == Opcode::kAsyncUpdate && at->users().size() == 1) at = at->operand(0);
  const bool starts =
      at->opcode() == Opcode::kAsyncStart && at->users().size() == 1 && at->called().size() == 1;
  return starts ? at : nullptr;
}

bool IsElementwiseMap(const Instruction& map) {
  return map.opcode() == Opcode::kMap && map.called().size() == 1 && IsStatic(map) &&
         IsElementwiseOnScalars(*map.called()[0]) &&
         map.called()[0]->root()->opcode() != Opcode::kTuple;
}

// Copies the body of CALLEE into the computation of ORIGIN; gives the copy of its root.
Instruction* InlineBody(Rewriter& rewriter, const Computation& callee,
                        absl::Span<Instruction* const> arguments) {
  std::vector<Instruction*> value(callee.id_bound(), nullptr);
  for (const auto& instruction : callee.instructions()) {
    if (instruction->opcode() == Opcode::kParameter) {
      value[instruction->id()] = arguments[instruction->parameter_number()];
      continue;
    }
    std::vector<Instruction*> operands;
    for (const Instruction* operand : instruction->operands())
      operands.push_back(value[operand->id()]);
    value[instruction->id()] =
        rewriter.CloneAs(*instruction, instruction->shape(), std::move(operands));
  }
  return value[callee.root()->id()];
}

absl::StatusOr<Instruction*> Visit(Rewriter& rewriter, Instruction& instruction) {
  if (IsCall(instruction))
    return InlineBody(rewriter, *instruction.called()[0], instruction.operands());
  if (IsElementwiseMap(instruction)) {
    return ApplyToArrays(rewriter, instruction, *instruction.called()[0],
                         instruction.shape().dims(),
                         {instruction.operands().begin(), instruction.operands().end()})[0];
  }
  if (instruction.opcode() == Opcode::kAsyncDone) {
    Instruction* start = StartOf(instruction);
    if (start == nullptr) return nullptr;
    for (Instruction* at = instruction.operand(0); at != start; at = at->operand(0))
      rewriter.Drop(at);
    rewriter.Drop(start);
    return InlineBody(rewriter, *start->called()[0], start->operands());
  }
  return nullptr;
}

// The size each computation will have; an error when one would be beyond the bound.
absl::Status CheckSizes(const Graph& graph) {
  absl::flat_hash_map<const Computation*, int64_t> sizes;
  for (const Computation* computation : graph.CalleesFirst()) {
    int64_t size = computation->size();
    for (const auto& instruction : computation->instructions()) {
      if (!IsCall(*instruction) && instruction->opcode() != Opcode::kMap &&
          instruction->opcode() != Opcode::kAsyncStart) {
        continue;
      }
      for (const Computation* callee : instruction->called()) size += sizes[callee];
      if (size > kMaxInstructions) {
        return ErrorAt(*instruction,
                       absl::StrCat("inlining needs more than ", kMaxInstructions,
                                    " instructions in computation ", computation->name()));
      }
    }
    sizes[computation] = size;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<bool> InlineCalls::Run(Graph& graph) {
  ASTITCH_RETURN_IF_ERROR(CheckSizes(graph));
  ASTITCH_ASSIGN_OR_RETURN(const bool changed, RewriteEach(graph, Visit));
  if (changed) graph.RemoveUnreachedComputations();
  return changed;
}

}  // namespace astitch
