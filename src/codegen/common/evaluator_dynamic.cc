// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Operations whose index depends on values: the start indices are evaluated like anything else,
// clamped so that the whole window lies inside, and become digits.

#include <numeric>

#include "codegen/common/evaluator.h"
#include "codegen/common/memory.h"
#include "codegen/common/register_types.h"
#include "ir/gather_dims.h"

namespace astitch::codegen {
namespace {

using Predicate = llvm::CmpInst::Predicate;
constexpr int kMaxNesting = 64;

}  // namespace

// min(max(START, 0), LIMIT) in 64 bits by START's own signedness.
Digit Evaluator::ClampedStart(Value start, ElementType type, int64_t limit) {
  if (limit == 0) return indices_.ConstantDigit(0, 1);
  Value clamped = Emit({start}, [&]() -> Value {
    llvm::IRBuilderBase& b = context_.builder;
    llvm::Type* wide = start->getType()->getWithNewBitWidth(64);
    Value bound = llvm::ConstantInt::get(wide, limit);
    Value number;
    if (IsSigned(type)) {
      number = b.CreateSExt(start, wide);
      number = b.CreateBinaryIntrinsic(llvm::Intrinsic::smax, number,
                                       llvm::Constant::getNullValue(wide));
      number = b.CreateBinaryIntrinsic(llvm::Intrinsic::smin, number, bound);
    } else {
      number = b.CreateZExt(start, wide);
      number = b.CreateBinaryIntrinsic(llvm::Intrinsic::umin, number, bound);
    }
    const unsigned width = indices_.type()->getBitWidth();
    return b.CreateZExtOrTrunc(number, number->getType()->getWithNewBitWidth(width));
  });
  return indices_.FromValue(clamped, limit + 1);
}

Digit Evaluator::AddDigits(const Digit& a, const Digit& b, int64_t extent) {
  if (a.per_lane || b.per_lane) {
    return indices_.FromValue(indices_.Add(indices_.Materialize(a), indices_.Materialize(b)),
                              extent);
  }
  Digit sum = a.uniform() ? b : a;
  sum.base = indices_.Add(a.base, b.base);
  sum.ForgetBounds();
  sum.stride = a.stride + b.stride;
  sum.multiple = std::gcd(a.multiple, b.multiple);
  sum.extent = extent;
  return sum;
}

Value Evaluator::StepDynamicSlice(Frame& frame) {
  const Instruction& value = *frame.target.value;
  const Instruction& operand = *value.operand(0);
  if (frame.step == 0) {
    frame.step = 1;
    for (int64_t d = 0; d < operand.shape().rank(); ++d)
      frame.needs.push_back({value.operand(1 + d), indices_.Scalar(), 0});
    return nullptr;
  }
  if (frame.step == 2) return Lookup(frame.needs[0]);
  frame.step = 2;
  std::vector<Digits> dims = frame.target.index->dims;
  for (size_t d = 0; d < dims.size(); ++d) {
    const int64_t extent = operand.shape().dim(d), size = value.shape().dim(d);
    if (size == extent) continue;
    const ElementType type = value.operand(1 + d)->shape().element_type();
    const Digit start = ClampedStart(Lookup(frame.needs[d]), type, extent - size);
    dims[d] = {AddDigits(start, indices_.JoinAll(dims[d]), extent)};
  }
  frame.needs = {{&operand, indices_.Intern({std::move(dims)}), 0}};
  return nullptr;
}

Value Evaluator::StepDynamicUpdateSlice(Frame& frame) {
  const Instruction& value = *frame.target.value;
  const Instruction& operand = *value.operand(0);
  const Instruction& update = *value.operand(1);
  const Index& index = *frame.target.index;
  const int lanes = LanesOf(index);
  if (update.shape().num_elements() == 0) return Forward(frame, operand, index.dims);
  if (frame.step == 0) {
    frame.step = 1;
    for (int64_t d = 0; d < operand.shape().rank(); ++d)
      frame.needs.push_back({value.operand(2 + d), indices_.Scalar(), 0});
    return nullptr;
  }
  if (frame.step == 3) return Lookup(frame.needs[0]);
  if (frame.step == 2) {
    const std::vector<Value> values = Values(frame);
    return Emit({values[0], values[1], frame.condition}, [&] {
      llvm::IRBuilderBase& b = context_.builder;
      return b.CreateSelect(SplatLanes(b, frame.condition, lanes), SplatLanes(b, values[0], lanes),
                            SplatLanes(b, values[1], lanes));
    });
  }
  Value condition = nullptr;
  std::vector<Digits> inside = index.dims, clamped = index.dims;
  for (size_t d = 0; d < inside.size(); ++d) {
    const int64_t extent = operand.shape().dim(d), size = update.shape().dim(d);
    if (size == extent) continue;
    const ElementType type = value.operand(2 + d)->shape().element_type();
    const Digit start = ClampedStart(Lookup(frame.needs[d]), type, extent - size);
    const Digit back = indices_.Affine(start, -1, 0, extent);
    const Digit offset = AddDigits(back, indices_.JoinAll(inside[d]), size);
    Value position = indices_.Materialize(offset);
    condition = indices_.And(condition,
                             indices_.Compare(Predicate::ICMP_SGE, position, indices_.Constant(0)));
    condition = indices_.And(
        condition, indices_.Compare(Predicate::ICMP_SLT, position, indices_.Constant(size)));
    inside[d] = {offset};
    Value safe = indices_.Max(position, indices_.Constant(0));
    clamped[d] = {indices_.FromValue(indices_.Min(safe, indices_.Constant(size - 1)), size)};
  }
  if (condition == nullptr) {
    frame.step = 3;
    frame.needs = {{&update, indices_.Intern({std::move(inside)}), 0}};
    return nullptr;
  }
  if (WidthOf(condition) == 1 && nesting_ < kMaxNesting) {
    const IndexRef at = indices_.Intern({std::move(inside)});
    return Choose(
        condition, lanes, [&] { return Evaluate(update, at); },
        [&] { return Evaluate(operand, frame.target.index); });
  }
  frame.step = 2;
  frame.condition = condition;
  frame.needs = {{&update, indices_.Intern({std::move(clamped)}), 0},
                 {&operand, frame.target.index, 0}};
  return nullptr;
}

Value Evaluator::StepGather(Frame& frame) {
  const Instruction& value = *frame.target.value;
  const Instruction& operand = *value.operand(0);
  const Instruction& indices = *value.operand(1);
  const GatherAttributes& attributes = value.as<GatherAttributes>();
  const GatherDims dims = GatherDimsOf(attributes, operand.shape().rank(), value.shape().rank());
  const std::vector<Digits>& at = frame.target.index->dims;
  if (frame.step == 0) {
    frame.step = 1;
    for (size_t q = 0; q < dims.start_index_map.size(); ++q) {
      std::vector<Digits> where;
      for (int64_t d : dims.batch_dims) where.push_back(at[d]);
      if (dims.index_vector_dim < indices.shape().rank()) {
        const int64_t extent = indices.shape().dim(dims.index_vector_dim);
        where.insert(where.begin() + dims.index_vector_dim,
                     Digits{indices_.ConstantDigit(static_cast<int64_t>(q), extent)});
      }
      frame.needs.push_back({&indices, indices_.Intern({std::move(where)}), 0});
    }
    return nullptr;
  }
  if (frame.step == 2) return Lookup(frame.needs[0]);
  frame.step = 2;
  const ElementType type = indices.shape().element_type();
  std::vector<Digit> position;
  for (int64_t d = 0; d < operand.shape().rank(); ++d)
    position.push_back(indices_.ConstantDigit(0, operand.shape().dim(d)));
  for (size_t q = 0; q < dims.start_index_map.size(); ++q) {
    const int64_t d = dims.start_index_map[q];
    const int64_t limit = operand.shape().dim(d) - attributes.slice_sizes[d];
    position[d] = ClampedStart(Lookup(frame.needs[q]), type, limit);
  }
  for (size_t t = 0; t < dims.operand_batching_dims.size(); ++t) {
    const int64_t d = dims.batch_dims[dims.batching_positions[t]];
    position[dims.operand_batching_dims[t]] = indices_.JoinAll(at[d]);
  }
  for (size_t k = 0; k < dims.window_dims.size(); ++k) {
    const int64_t d = dims.window_dims[k];
    const Digit offset = indices_.JoinAll(at[dims.offset_dims[k]]);
    position[d] = AddDigits(position[d], offset, operand.shape().dim(d));
  }
  std::vector<Digits> where;
  for (int64_t d = 0; d < operand.shape().rank(); ++d) {
    position[d].extent = operand.shape().dim(d);
    where.push_back({position[d]});
  }
  frame.needs = {{&operand, indices_.Intern({std::move(where)}), 0}};
  return nullptr;
}

}  // namespace astitch::codegen
