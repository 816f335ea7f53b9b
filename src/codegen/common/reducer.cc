// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Recognises the body by its instructions, and emits one fold of two sets of accumulators.
#include "codegen/common/reducer.h"

#include "base/check.h"
#include "codegen/common/elementwise.h"
#include "codegen/common/memory.h"
#include "codegen/common/register_types.h"
#include "codegen/common/scalar_computation.h"
#include "ir/fold_order.h"
#include "ir/selection_proof.h"
#include "llvm/Analysis/VectorUtils.h"

namespace astitch::codegen {
namespace {

bool IsNarrowFloat(ElementType type) { return IsFloat(type) && BitWidth(type) < 32; }

bool IsIdempotent(const Instruction* operation) {
  const Opcode opcode = operation->opcode();
  return opcode == Opcode::kMaximum || opcode == Opcode::kMinimum || opcode == Opcode::kAnd ||
         opcode == Opcode::kOr;
}

// x (op) Neutral == x, bit for bit: -0 for sums, since 0 + -0 is 0.
Value Neutral(Opcode opcode, llvm::Type* type) {
  if (opcode == Opcode::kMultiply) {
    return type->isFPOrFPVectorTy() ? llvm::ConstantFP::get(type, 1.0)
                                    : llvm::ConstantInt::get(type, 1);
  }
  return type->isFPOrFPVectorTy() ? llvm::ConstantFP::get(type, -0.0)
                                  : llvm::Constant::getNullValue(type);
}

absl::Status CheckBody(const Computation& computation) {
  for (const auto& instruction : computation.instructions()) {
    const Opcode opcode = instruction->opcode();
    if (opcode == Opcode::kTuple) continue;
    const bool known = opcode == Opcode::kParameter || opcode == Opcode::kConstant ||
                       KindOf(opcode) == OpKind::kElementwise;
    if (!known || !instruction->shape().IsScalar() ||
        IsComplex(instruction->shape().element_type())) {
      return ErrorAt(*instruction, "is not supported in the body of a reduction");
    }
  }
  return absl::OkStatus();
}

std::vector<const Instruction*> ResultsOf(const Computation& computation) {
  const Instruction* root = computation.root();
  if (root->opcode() != Opcode::kTuple) return {root};
  return {root->operands().begin(), root->operands().end()};
}

}  // namespace

absl::StatusOr<Reducer> Reducer::Of(const Computation& computation) {
  ASTITCH_RETURN_IF_ERROR(CheckBody(computation));
  Reducer reducer;
  reducer.computation_ = &computation;
  const std::vector<const Instruction*> results = ResultsOf(computation);
  const int64_t width = static_cast<int64_t>(results.size());
  bool single = true;
  for (int64_t i = 0; i < width; ++i) {
    const ElementType type = results[i]->shape().element_type();
    reducer.results_.push_back(type);
    reducer.types_.push_back(type);
    const Instruction* operation = FoldOperation(computation, i);
    single = single && operation != nullptr;
    reducer.operations_.push_back(operation);
  }
  if (single) {
    reducer.kind_ = Kind::kOperations;
    for (int64_t i = 0; i < width; ++i) {
      if (IsNarrowFloat(reducer.types_[i]) && !IsIdempotent(reducer.operations_[i]))
        reducer.types_[i] = ElementType::kF32;
    }
  } else if (IsOrderFreeSelection(computation)) {
    reducer.kind_ = Kind::kSelection;
  } else {
    for (ElementType& type : reducer.types_) {
      if (IsNarrowFloat(type)) type = ElementType::kF32;
    }
  }
  return reducer;
}

std::vector<Value> Reducer::Start(const EmitContext& context, absl::Span<const Value> inits) const {
  std::vector<Value> start(inits.begin(), inits.end());
  if (kind_ != Kind::kOperations) return start;
  for (int i = 0; i < num_results(); ++i) {
    if (IsIdempotent(operations_[i])) continue;
    start[i] = Neutral(operations_[i]->opcode(),
                       RegisterType(context.builder.getContext(), types_[i], WidthOf(inits[i])));
  }
  return start;
}

// Lanes that one register holds of each result.
int Reducer::NativeLanes(const EmitContext& context) const {
  int bits = 1;
  for (ElementType type : types_) bits = std::max(bits, std::max(32, BitWidth(type)));
  return context.traits.vector_bits / bits;
}

std::vector<Value> Reducer::FoldByBody(const EmitContext& context,
                                       const std::vector<Value>& arguments) const {
  absl::StatusOr<std::vector<Value>> results =
      EmitScalarComputation(context, *computation_, arguments, true);
  ASTITCH_CHECK(results.ok()) << results.status().message();
  return *std::move(results);
}

std::vector<Value> Reducer::Fold(const EmitContext& context, absl::Span<const Value> accumulators,
                                 absl::Span<const Value> values) const {
  if (kind_ != Kind::kOperations) {
    std::vector<Value> arguments(accumulators.begin(), accumulators.end());
    arguments.insert(arguments.end(), values.begin(), values.end());
    const int width = WidthOf(arguments[0]), native = NativeLanes(context);
    if (width <= native || width % native != 0) return FoldByBody(context, arguments);
    // Register by register: masks of more lanes would be packed into bytes and unpacked again.
    std::vector<std::vector<Value>> parts(num_results());
    for (int first = 0; first < width; first += native) {
      std::vector<Value> part;
      for (Value argument : arguments)
        part.push_back(LanesOf(context.builder, argument, first, native));
      const std::vector<Value> folded = FoldByBody(context, part);
      for (int i = 0; i < num_results(); ++i) parts[i].push_back(folded[i]);
    }
    std::vector<Value> out;
    for (const std::vector<Value>& result : parts)
      out.push_back(llvm::concatenateVectors(context.builder, result));
    return out;
  }
  std::vector<Value> out;
  for (int i = 0; i < num_results(); ++i) {
    absl::StatusOr<Value> result = EmitElementwise(
        context, *operations_[i], {accumulators[i], values[i]}, {.keep_wide = true});
    ASTITCH_CHECK(result.ok()) << result.status().message();
    out.push_back(*result);
  }
  return out;
}

std::vector<Value> Reducer::Finish(const EmitContext& context, absl::Span<const Value> accumulators,
                                   absl::Span<const Value> inits) const {
  std::vector<Value> out(accumulators.begin(), accumulators.end());
  if (kind_ == Kind::kOperations) {
    const std::vector<Value> folded = Fold(context, accumulators, inits);
    for (int i = 0; i < num_results(); ++i) {
      if (!IsIdempotent(operations_[i])) out[i] = folded[i];
    }
  }
  for (int i = 0; i < num_results(); ++i) {
    if (results_[i] != types_[i]) out[i] = RoundTo(context, results_[i], out[i]);
  }
  return out;
}

ElementType AccumulatorType(const Instruction& reduce, int leaf) {
  const absl::StatusOr<Reducer> reducer = Reducer::Of(*reduce.called()[0]);
  if (reducer.ok()) return reducer->accumulator_type(leaf);
  const Shape& shape = reduce.shape();
  return (shape.IsTuple() ? shape.elements()[leaf] : shape).element_type();
}

}  // namespace astitch::codegen
