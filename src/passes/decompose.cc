// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One sweep; each expansion is a function from the instruction to its replacement. The adders that
// batch-norm's sums call are made on first need, one a type and not one a batch-norm, and the
// computations are put in order (callees first) once at the end.
#include "passes/decompose.h"

#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "passes/batch_norm.h"
#include "passes/random_bits.h"
#include "passes/rewriter.h"

namespace astitch {
namespace {

struct State {
  Graph& graph;
  std::map<ElementType, Computation*> sums;

  // The computation that adds two scalars of TYPE; one a run.
  Computation* SumOf(ElementType type) {
    Computation*& sum = sums[type];
    if (sum != nullptr) return sum;
    sum = graph.AddComputation(absl::StrCat("sum_", ToString(type)));
    const Shape scalar = Shape::Scalar(type);
    Instruction* a = sum->Add(Opcode::kParameter, scalar, {}, ParameterAttributes{0}, "a");
    Instruction* b = sum->Add(Opcode::kParameter, scalar, {}, ParameterAttributes{1}, "b");
    sum->set_root(sum->Add(Opcode::kAdd, scalar, {a, b}));
    return sum;
  }

  absl::StatusOr<Instruction*> Visit(Rewriter& rewriter, Instruction& instruction) {
    switch (instruction.opcode()) {
      case Opcode::kBatchNormInference:
        return ExpandBatchNorm(rewriter, instruction, nullptr);
      case Opcode::kBatchNormGrad:
      case Opcode::kBatchNormTraining:
        return ExpandBatchNorm(rewriter, instruction, SumOf(BatchNormComputeType(instruction)));
      case Opcode::kDynamicSlice:
        return SplitIndexVector(rewriter, instruction, 1);
      case Opcode::kDynamicUpdateSlice:
        return SplitIndexVector(rewriter, instruction, 2);
      case Opcode::kRngBitGenerator:
        return ExpandRandomBits(rewriter, instruction);
      default:  // a basic operation
        return nullptr;
    }
  }

  // The legacy form has one vector of all start indices as operand AT.
  static Instruction* SplitIndexVector(Rewriter& rewriter, Instruction& op, int64_t at) {
    if (op.num_operands() != at + 1 || op.operand(at)->shape().rank() != 1 || !IsStatic(op))
      return nullptr;
    Instruction* vector = op.operand(at);
    const ElementType type = vector->shape().element_type();
    std::vector<Instruction*> operands(op.operands().begin(), op.operands().begin() + at);
    for (int64_t d = 0; d < vector->shape().dim(0); ++d) {
      Instruction* piece = rewriter.Add(op, Opcode::kSlice, Shape::Array(type, {1}), {vector},
                                        SliceAttributes{{d}, {d + 1}, {1}});
      operands.push_back(
          rewriter.Add(op, Opcode::kReshape, Shape::Scalar(type), {piece}, ReshapeAttributes{}));
    }
    return rewriter.CloneAs(op, op.shape(), std::move(operands));
  }
};

}  // namespace

absl::StatusOr<bool> Decompose::Run(Graph& graph) {
  State state{graph, {}};
  const auto visit = [&state](Rewriter& rewriter, Instruction& instruction) {
    return state.Visit(rewriter, instruction);
  };
  ASTITCH_ASSIGN_OR_RETURN(const bool changed, RewriteEach(graph, visit));
  if (!state.sums.empty()) graph.SortCalleesFirst();
  return changed;
}

}  // namespace astitch
