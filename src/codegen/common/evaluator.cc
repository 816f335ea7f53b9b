// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The stack of values under way, and the operations that need no index arithmetic.
#include "codegen/common/evaluator.h"

#include <algorithm>

#include "base/check.h"
#include "codegen/common/convert.h"
#include "codegen/common/elementwise.h"
#include "codegen/common/memory.h"
#include "codegen/common/register_types.h"

namespace astitch::codegen {
namespace {

// More is a plan that recomputes without bound (a chain of shifted reads of one value): the plan
// has to give a value a home.
constexpr int64_t kMaxEvaluated = 1 << 20;

}  // namespace

int LanesOf(const Index& index) {
  int lanes = 1;
  for (const Digits& digits : index.dims) {
    for (const Digit& digit : digits) lanes = std::max(lanes, digit.lanes);
  }
  return lanes;
}

Value NullValue(llvm::LLVMContext& context, ElementType type) {
  return llvm::Constant::getNullValue(RegisterType(context, type, 1));
}

Evaluator::Evaluator(EmitContext context, Scopes& scopes, IndexBuilder& indices,
                     ValueSource& source)
    : context_(context), scopes_(scopes), indices_(indices), source_(source) {}

void Evaluator::Fail(absl::Status status) {
  if (status_.ok()) status_ = std::move(status);
}

Value Evaluator::Poison(const Instruction& value, absl::string_view why) {
  Fail(ErrorAt(value, why));
  const Shape& shape = value.shape().IsTuple() ? value.shape().elements()[0] : value.shape();
  return NullValue(context_.builder.getContext(), shape.element_type());
}

Value Evaluator::Lookup(const Need& need) const {
  const auto it = memo_.find(KeyOf(need));
  return it == memo_.end() ? nullptr : it->second;
}

void Evaluator::Remember(const Need& need, Value value) {
  const size_t depth = scopes_.DepthOf(value);
  if (!memo_.emplace(KeyOf(need), value).second) return;
  if (memo_by_depth_.size() <= depth) memo_by_depth_.resize(depth + 1);
  memo_by_depth_[depth].push_back(KeyOf(need));
}

void Evaluator::Define(const Instruction& value, IndexRef index, int leaf, Value result) {
  Remember({&value, index, leaf}, result);
}

void Evaluator::Forget(int depth) {
  if (memo_by_depth_.size() <= static_cast<size_t>(depth)) return;
  for (const Key& key : memo_by_depth_[depth]) memo_.erase(key);
  memo_by_depth_[depth].clear();
}

std::vector<Value> Evaluator::Values(const Frame& frame) const {
  std::vector<Value> values;
  for (const Need& need : frame.needs) values.push_back(Lookup(need));
  return values;
}

Value Evaluator::Emit(absl::Span<const Value> operands, absl::FunctionRef<Value()> code) {
  int depth = 0;
  for (Value operand : operands) depth = std::max(depth, scopes_.DepthOf(operand));
  return scopes_.At(depth, code);
}

Value Evaluator::EvaluateLanes(const Instruction& value, IndexRef index, int lanes) {
  Value result = Evaluate(value, index);
  if (WidthOf(result) == lanes) return result;
  return Emit({result}, [&] { return SplatLanes(context_.builder, result, lanes); });
}

Value Evaluator::Evaluate(const Instruction& value, IndexRef index, int leaf) {
  const Need root{&value, index, leaf};
  std::vector<Frame> stack(1);
  stack.back().target = root;
  while (!stack.empty()) {
    Frame& frame = stack.back();
    if (Lookup(frame.target) != nullptr) {
      stack.pop_back();
      continue;
    }
    std::vector<Need> missing;
    for (const Need& need : frame.needs) {
      if (Lookup(need) == nullptr) missing.push_back(need);
    }
    if (!missing.empty()) {
      for (size_t i = missing.size(); i-- > 0;) {
        stack.emplace_back();
        stack.back().target = missing[i];
      }
      continue;
    }
    const Need target = frame.target;
    Value result = nullptr;
    if (!status_.ok()) {
      const Shape& shape = LeafShape(*target.value, target.leaf);
      result = NullValue(context_.builder.getContext(), shape.element_type());
    }
    if (result == nullptr && frame.step == 0) {
      result = source_.Read(*target.value, target.leaf, target.index);
    }
    if (result == nullptr) result = Step(frame);
    if (result == nullptr) continue;
    if (++evaluated_ > kMaxEvaluated) {
      Fail(absl::ResourceExhaustedError(
          absl::StrCat("evaluating %", value.name(), " needs more than ", kMaxEvaluated,
                       " elements of other values; the plan must give one of them a home")));
    }
    Remember(target, result);
    stack.pop_back();
  }
  return Lookup(root);
}

Value Evaluator::Step(Frame& frame) {
  const Instruction& value = *frame.target.value;
  switch (value.opcode()) {
    case Opcode::kReshape:
    case Opcode::kBitcast:
    case Opcode::kBroadcast:
    case Opcode::kTranspose:
    case Opcode::kSlice:
    case Opcode::kReverse:
      return StepMovement(frame);
    case Opcode::kPad:
      return StepPad(frame);
    case Opcode::kConcatenate:
      return StepConcatenate(frame);
    case Opcode::kDynamicSlice:
      return StepDynamicSlice(frame);
    case Opcode::kDynamicUpdateSlice:
      return StepDynamicUpdateSlice(frame);
    case Opcode::kGather:
      return StepGather(frame);
    case Opcode::kReduce:
      return Hoisted(frame, &Evaluator::StepReduce);
    case Opcode::kReduceWindow:
      return Hoisted(frame, &Evaluator::StepReduceWindow);
    case Opcode::kSelectAndScatter:
      return Hoisted(frame, &Evaluator::StepSelectAndScatter);
    case Opcode::kScatter:
      return Hoisted(frame, &Evaluator::StepScatter);
    case Opcode::kConstant:
    case Opcode::kIota:
    case Opcode::kGetDimensionSize:
    case Opcode::kPartitionId:
    case Opcode::kReplicaId:
      return StepSource(frame);
    case Opcode::kGetTupleElement:
    case Opcode::kTuple:
      return StepTuple(frame);
    case Opcode::kOptBarrier:
    case Opcode::kDomain:
    case Opcode::kAddDependency:
      return Forward(frame, *value.operand(0), frame.target.index->dims);
    case Opcode::kBitcastConvert:
      if (value.shape().rank() != value.operand(0)->shape().rank()) {
        return StepBitcastConvert(frame);
      }
      return StepElementwise(frame);
    default:
      if (KindOf(value.opcode()) == OpKind::kElementwise) return StepElementwise(frame);
      return Poison(value, "cannot be computed element by element");
  }
}

// What the scopes inside remember is set aside meanwhile: it does not reach the place outside.
Value Evaluator::Hoisted(Frame& frame, Value (Evaluator::*step)(Frame&)) {
  const int index_depth = indices_.DepthOf(*frame.target.index);
  const int depth = std::max({index_depth, source_.floor(), scopes_.guard_depth()});
  if (depth >= scopes_.depth()) return (this->*step)(frame);
  std::vector<std::pair<Key, Value>> aside;
  for (size_t d = depth + 1; d < memo_by_depth_.size(); ++d) {
    for (const Key& key : memo_by_depth_[d]) aside.emplace_back(key, memo_.at(key));
    Forget(static_cast<int>(d));
  }
  Value result = nullptr;
  scopes_.Hoist(depth, [&] { result = (this->*step)(frame); });
  for (const auto& [key, value] : aside) {
    Remember({std::get<0>(key), std::get<1>(key), std::get<2>(key)}, value);
  }
  return result;
}

Value Evaluator::StepElementwise(Frame& frame) {
  const Instruction& value = *frame.target.value;
  if (frame.step == 0) {
    frame.step = 1;
    for (const Instruction* operand : value.operands()) {
      // clamp and select take scalars beside arrays
      const bool scalar = operand->shape().rank() == 0 && value.shape().rank() != 0;
      frame.needs.push_back({operand, scalar ? indices_.Scalar() : frame.target.index, 0});
    }
    return nullptr;
  }
  std::vector<Value> operands = Values(frame);
  int lanes = 1;
  for (Value operand : operands) lanes = std::max(lanes, WidthOf(operand));
  return Emit(operands, [&]() -> Value {
    for (Value& operand : operands) operand = SplatLanes(context_.builder, operand, lanes);
    absl::StatusOr<Value> result = EmitElementwise(context_, value, operands);
    if (result.ok()) return *result;
    Fail(result.status());
    return NullValue(context_.builder.getContext(), value.shape().element_type());
  });
}

Value Evaluator::StepTuple(Frame& frame) {
  const Instruction& value = *frame.target.value;
  if (frame.step == 1) return Lookup(frame.needs[0]);
  frame.step = 1;
  if (value.opcode() == Opcode::kTuple) {
    frame.needs.push_back({value.operand(frame.target.leaf), frame.target.index, 0});
  } else {
    const int leaf = static_cast<int>(value.as<TupleIndexAttributes>().index);
    frame.needs.push_back({value.operand(0), frame.target.index, leaf});
  }
  return nullptr;
}

Value Evaluator::StepSource(Frame& frame) {
  const Instruction& value = *frame.target.value;
  const ElementType type = value.shape().element_type();
  llvm::LLVMContext& context = context_.builder.getContext();
  switch (value.opcode()) {
    case Opcode::kConstant: {
      const Literal& literal = value.literal();
      const int64_t count = value.shape().num_elements();
      if (count == 0) return NullValue(context, type);
      const size_t width = ByteWidth(type);
      const auto bytes = literal.bytes();
      for (size_t at = width; at < bytes.size(); at += width) {
        if (!std::equal(bytes.begin(), bytes.begin() + width, bytes.begin() + at))
          return Poison(value, "a constant of different elements has to be an input of the kernel");
      }
      return EmitConstant(context_, type, bytes.data(), 1);
    }
    case Opcode::kIota: {
      const Digits& dim = frame.target.index->dims[value.dimensions()[0]];
      Value number = indices_.Materialize(indices_.JoinAll(dim));
      const bool wide = indices_.type()->getBitWidth() == 64;
      const ElementType from = wide ? ElementType::kS64 : ElementType::kS32;
      return Emit({number}, [&] { return EmitConvert(context_, from, type, number); });
    }
    case Opcode::kGetDimensionSize:
      return llvm::ConstantInt::getSigned(RegisterType(context, type, 1),
                                          value.operand(0)->shape().dim(value.dimensions()[0]));
    default:  // partition-id, replica-id: one device
      return NullValue(context, type);
  }
}

}  // namespace astitch::codegen
