// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Counts the elements that fold into one result, saturating at two: that is all that matters here.
// One gives the reducer applied to the start value and the reshaped input, none gives the start
// value everywhere. A reducer with control flow in it, or one that converts its input, stays a
// reduction.
#include "passes/simplify_reduce.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "passes/expansion.h"
#include "passes/rewriter.h"
#include "passes/scalar_computation.h"

namespace astitch {
namespace {

bool AllOperandsStatic(const Instruction& reduce) {
  return std::all_of(reduce.operands().begin(), reduce.operands().end(),
                     [](const Instruction* operand) { return IsStaticArray(operand->shape()); });
}

absl::StatusOr<Instruction*> Visit(Rewriter& rewriter, Instruction& reduce) {
  if (reduce.opcode() != Opcode::kReduce || !AllOperandsStatic(reduce)) return nullptr;
  const Shape& input = reduce.operand(0)->shape();
  int64_t elements = 1;  // folded into one result
  for (int64_t d : reduce.dimensions()) elements = std::min<int64_t>(elements * input.dim(d), 2);
  if (elements > 1) return nullptr;

  const int64_t arrays = reduce.num_operands() / 2;
  const Shape& result = reduce.shape().IsTuple() ? reduce.shape().elements()[0] : reduce.shape();
  std::vector<Instruction*> values;
  if (elements == 0) {
    for (int64_t i = 0; i < arrays; ++i)
      values.push_back(
          AddExpansion(rewriter, reduce, result.dims(), reduce.operand(arrays + i), {}));
  } else {
    const Computation& reducer = *reduce.called()[0];
    // An input narrower than the start value is converted by the reduction itself.
    if (!IsElementwiseOnScalars(reducer) ||
        input.element_type() != reduce.operand(arrays)->shape().element_type()) {
      return nullptr;
    }
    std::vector<Instruction*> arguments;
    for (int64_t i = 0; i < arrays; ++i)
      arguments.push_back(
          AddExpansion(rewriter, reduce, result.dims(), reduce.operand(arrays + i), {}));
    for (int64_t i = 0; i < arrays; ++i)
      arguments.push_back(AddReshape(rewriter, reduce, result.dims(), reduce.operand(i)));
    values = ApplyToArrays(rewriter, reduce, reducer, result.dims(), arguments);
  }
  if (!reduce.shape().IsTuple()) return values[0];
  return rewriter.Add(reduce, Opcode::kTuple, reduce.shape(), std::move(values));
}

}  // namespace

absl::StatusOr<bool> SimplifyReduce::Run(Graph& graph) { return RewriteEach(graph, Visit); }

}  // namespace astitch
