// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Operations that move elements by a fixed map: they become another index of their operand. Where
// the index decides *which* operand (pad, concatenate), one condition for all lanes is a branch,
// and a condition a lane reads every operand at an index that is moved inside its bounds.
#include <algorithm>

#include "codegen/common/elementwise.h"
#include "codegen/common/evaluator.h"
#include "codegen/common/memory.h"
#include "codegen/common/register_types.h"

namespace astitch::codegen {
namespace {

// Branches inside branches recurse in this process; past this depth selections take over.
constexpr int kMaxNesting = 64;
// Beyond, a concatenation whose lanes lie in different pieces loops over its lanes.
constexpr size_t kMaxSelectedPieces = 4;

using Predicate = llvm::CmpInst::Predicate;

}  // namespace

Value Evaluator::Forward(Frame& frame, const Instruction& operand, std::vector<Digits> dims) {
  if (frame.step == 0) {
    frame.step = 1;
    frame.needs.push_back({&operand, indices_.Intern({std::move(dims)}), 0});
    return nullptr;
  }
  return Lookup(frame.needs[0]);
}

Value Evaluator::StepMovement(Frame& frame) {
  const Instruction& value = *frame.target.value;
  if (frame.step == 1) return Lookup(frame.needs[0]);
  const Instruction& operand = *value.operand(0);
  const std::vector<Digits>& dims = frame.target.index->dims;
  const std::vector<int64_t>& extents = operand.shape().dims();
  std::vector<Digits> out(extents.size());
  switch (value.opcode()) {
    case Opcode::kBroadcast:
      for (size_t d = 0; d < out.size(); ++d) out[d] = dims[value.dimensions()[d]];
      break;
    case Opcode::kTranspose:
      for (size_t d = 0; d < dims.size(); ++d) out[value.dimensions()[d]] = dims[d];
      break;
    case Opcode::kReverse:
      out = dims;
      for (int64_t d : value.dimensions()) {
        out[d] = {indices_.Affine(indices_.JoinAll(dims[d]), -1, extents[d] - 1, extents[d])};
      }
      break;
    case Opcode::kSlice: {
      const SliceAttributes& slice = value.as<SliceAttributes>();
      for (size_t d = 0; d < out.size(); ++d) {
        out[d] = dims[d];
        if (value.shape().dim(d) == extents[d]) continue;
        out[d] = {indices_.Affine(indices_.JoinAll(dims[d]), slice.strides[d], slice.starts[d],
                                  extents[d])};
      }
      break;
    }
    default: {  // reshape and bitcast: the same elements in the same order
      if (value.shape().element_type() != operand.shape().element_type())
        return Poison(value, "changes the element type and the shape at once");
      Digits all;
      for (const Digits& digits : dims) all.insert(all.end(), digits.begin(), digits.end());
      out = indices_.Regroup(all, extents);
    }
  }
  return Forward(frame, operand, std::move(out));
}

Value Evaluator::Choose(Value condition, int lanes, absl::FunctionRef<Value()> then,
                        absl::FunctionRef<Value()> otherwise) {
  auto all_lanes = [&](Value value) { return SplatLanes(context_.builder, value, lanes); };
  ++nesting_;
  Value result = scopes_.Conditional(
      condition, [&] { return all_lanes(then()); }, [&] { return all_lanes(otherwise()); });
  --nesting_;
  return result;
}

// Where a position of the padded array comes from: the operand's coordinate, and whether there is
// one.
Value Evaluator::StepPad(Frame& frame) {
  const Instruction& value = *frame.target.value;
  const Instruction& operand = *value.operand(0);
  if (frame.step == 1 && frame.condition == nullptr) return Lookup(frame.needs[0]);
  if (frame.step == 1) {  // all lanes read, then select
    std::vector<Value> values = Values(frame);
    values.push_back(frame.condition);
    const int lanes = LanesOf(*frame.target.index);
    return Emit(values, [&] {
      for (Value& v : values) v = SplatLanes(context_.builder, v, lanes);
      return context_.builder.CreateSelect(values[2], values[0], values[1]);
    });
  }
  const PadAttributes& pad = value.as<PadAttributes>();
  const std::vector<int64_t>& extents = operand.shape().dims();
  std::vector<Digits> inside = frame.target.index->dims;
  std::vector<Digits> clamped = inside;
  Value condition = nullptr;
  for (size_t d = 0; d < inside.size(); ++d) {
    const PadAttributes::Dim& dim = pad.dims[d];
    if (dim == PadAttributes::Dim{}) continue;
    if (extents[d] == 0) return EvaluateLanes(*value.operand(1), indices_.Scalar(), 1);
    const int64_t step = dim.interior + 1;
    const Digit out = indices_.JoinAll(inside[d]);
    if (out.most >= 0 && step == 1) {
      if (out.most < dim.low || out.least >= dim.low + extents[d])
        return EvaluateLanes(*value.operand(1), indices_.Scalar(), 1);
      if (out.least >= dim.low && out.most < dim.low + extents[d]) {
        inside[d] = clamped[d] = {indices_.Affine(out, 1, -dim.low, extents[d])};
        continue;
      }
    }
    const Digit moved = indices_.Affine(out, 1, -dim.low, (extents[d] - 1) * step + 1);
    // One comparison answers for all lanes when they start on a multiple and so do the bounds.
    const bool whole = !moved.uniform() && !moved.per_lane && moved.stride == 1 && step == 1 &&
                       moved.multiple % moved.lanes == 0 && extents[d] % moved.lanes == 0;
    Value position = whole ? moved.base : indices_.Materialize(moved);
    auto require = [&](Predicate predicate, int64_t bound) {
      condition =
          indices_.And(condition, indices_.Compare(predicate, position, indices_.Constant(bound)));
    };
    if (dim.low > 0) require(Predicate::ICMP_SGE, 0);
    if (dim.high > 0) require(Predicate::ICMP_SLT, (extents[d] - 1) * step + 1);
    Value bounded = indices_.Max(position, indices_.Constant(0));
    Digit source = moved;
    if (step > 1) {
      condition = indices_.And(
          condition,
          indices_.Compare(Predicate::ICMP_EQ, indices_.Rem(bounded, step), indices_.Constant(0)));
      source = indices_.FromValue(indices_.Div(bounded, step), extents[d]);
    }
    source.extent = extents[d];
    inside[d] = {source};
    Value quotient = indices_.Div(bounded, step);
    const int64_t last = whole ? extents[d] - moved.lanes : extents[d] - 1;
    Value safe = indices_.Min(quotient, indices_.Constant(last));
    Digit safe_digit = whole ? moved : indices_.FromValue(safe, extents[d]);
    safe_digit.base = safe;
    safe_digit.ForgetBounds();
    safe_digit.extent = extents[d];
    clamped[d] = {safe_digit};
  }
  if (condition == nullptr) return Forward(frame, operand, std::move(inside));
  if (WidthOf(condition) == 1 && nesting_ < kMaxNesting) {
    const IndexRef at = indices_.Intern({std::move(inside)});
    return Choose(
        condition, LanesOf(*frame.target.index), [&] { return Evaluate(operand, at); },
        [&] { return Evaluate(*value.operand(1), indices_.Scalar()); });
  }
  frame.step = 1;
  frame.condition = condition;
  frame.needs.push_back({&operand, indices_.Intern({std::move(clamped)}), 0});
  frame.needs.push_back({value.operand(1), indices_.Scalar(), 0});
  return nullptr;
}

// A tree of branches: as deep as the logarithm of the number of pieces.
Value Evaluator::ConcatenateRange(const Instruction& value, const Index& index, const Digit& along,
                                  absl::Span<const Instruction* const> pieces,
                                  absl::Span<const int64_t> starts) {
  const int64_t d = value.dimensions()[0];
  if (pieces.size() == 1) {
    Index inside = index;
    inside.dims[d] = {indices_.Affine(along, 1, -starts[0], pieces[0]->shape().dim(d))};
    return Evaluate(*pieces[0], indices_.Intern(std::move(inside)));
  }
  const size_t half = pieces.size() / 2;
  Value first_half =
      indices_.Compare(Predicate::ICMP_SLT, along.base, indices_.Constant(starts[half]));
  return Choose(
      first_half, LanesOf(index),
      [&] {
        return ConcatenateRange(value, index, along, pieces.subspan(0, half),
                                starts.subspan(0, half));
      },
      [&] {
        return ConcatenateRange(value, index, along, pieces.subspan(half), starts.subspan(half));
      });
}

Value Evaluator::StepConcatenate(Frame& frame) {
  const Instruction& value = *frame.target.value;
  const int64_t d = value.dimensions()[0];
  const Index& index = *frame.target.index;
  std::vector<const Instruction*> pieces;
  std::vector<int64_t> starts;
  int64_t start = 0;
  for (const Instruction* operand : value.operands()) {
    if (operand->shape().dim(d) == 0) continue;
    pieces.push_back(operand);
    starts.push_back(start);
    start += operand->shape().dim(d);
  }
  const Digit along = indices_.JoinAll(index.dims[d]);
  if (frame.step == 0) {
    if (pieces.size() == 1) return Forward(frame, *pieces[0], index.dims);
    for (size_t k = 0; k < pieces.size() && along.most >= 0; ++k) {
      const int64_t extent = pieces[k]->shape().dim(d);
      if (along.least < starts[k] || along.most >= starts[k] + extent) continue;
      std::vector<Digits> inside = index.dims;
      inside[d] = {indices_.Affine(along, 1, -starts[k], extent)};
      return Forward(frame, *pieces[k], std::move(inside));
    }
    bool whole = along.uniform();
    if (!whole && !along.per_lane && along.stride == 1 && along.multiple % along.lanes == 0) {
      whole = std::all_of(starts.begin(), starts.end(),
                          [&](int64_t s) { return s % along.lanes == 0; });
    }
    if (whole && nesting_ < kMaxNesting)
      return ConcatenateRange(value, index, along, pieces, starts);
    if (pieces.size() > kMaxSelectedPieces && nesting_ < kMaxNesting)
      return PerLane(value, index, 0);
    frame.step = 1;
    for (size_t k = 0; k < pieces.size(); ++k) {
      const int64_t extent = pieces[k]->shape().dim(d);
      Value position = indices_.Materialize(indices_.Affine(along, 1, -starts[k], extent));
      position = indices_.Max(position, indices_.Constant(0));
      position = indices_.Min(position, indices_.Constant(extent - 1));
      Index inside = index;
      inside.dims[d] = {indices_.FromValue(position, extent)};
      frame.needs.push_back({pieces[k], indices_.Intern(std::move(inside)), 0});
    }
    return nullptr;
  }
  if (frame.needs.size() == 1) return Lookup(frame.needs[0]);
  const int lanes = LanesOf(index);
  Value position = indices_.Materialize(along);
  std::vector<Value> values = Values(frame);
  Value result = values[0];
  for (size_t k = 1; k < values.size(); ++k) {
    Value here = indices_.Compare(Predicate::ICMP_SGE, position, indices_.Constant(starts[k]));
    result = Emit({here, values[k], result}, [&] {
      llvm::IRBuilderBase& b = context_.builder;
      return b.CreateSelect(SplatLanes(b, here, lanes), SplatLanes(b, values[k], lanes),
                            SplatLanes(b, result, lanes));
    });
  }
  return result;
}

// Computes VALUE lane after lane, by a loop that leaves the lanes in memory.
Value Evaluator::PerLane(const Instruction& value, const Index& index, int leaf) {
  llvm::IRBuilderBase& builder = context_.builder;
  const int lanes = LanesOf(index);
  llvm::Type* element = RegisterType(builder.getContext(), value.shape().element_type(), 1);
  llvm::Type* in_memory = element->isIntegerTy(1) ? builder.getInt8Ty() : element;
  auto* array = llvm::ArrayType::get(in_memory, lanes);
  llvm::Function* function = builder.GetInsertBlock()->getParent();
  llvm::IRBuilder<> entry(&function->getEntryBlock(), function->getEntryBlock().begin());
  llvm::AllocaInst* slots = entry.CreateAlloca(array);
  ++nesting_;
  scopes_.Loop(indices_.Constant(0), indices_.Constant(lanes), indices_.Constant(1), true,
               [&](Value lane) {
                 Index single = index;
                 for (Digits& digits : single.dims) {
                   for (Digit& digit : digits) {
                     if (digit.uniform()) continue;
                     Value all = indices_.Materialize(digit);
                     Value one = builder.CreateExtractElement(all, lane);
                     scopes_.NoteDepth(one);
                     digit = indices_.FromValue(one, digit.extent);
                   }
                 }
                 Value result = Evaluate(value, indices_.Intern(std::move(single)), leaf);
                 if (in_memory != element) result = builder.CreateZExt(result, in_memory);
                 builder.CreateStore(result, builder.CreateInBoundsGEP(in_memory, slots, lane));
               });
  --nesting_;
  return scopes_.At(scopes_.depth(), [&] {
    // A stack is aligned to elements, not to vectors of them.
    Value all = builder.CreateAlignedLoad(llvm::FixedVectorType::get(in_memory, lanes), slots,
                                          slots->getAlign());
    if (in_memory == element) return all;
    return builder.CreateTrunc(all, llvm::FixedVectorType::get(element, lanes));
  });
}

// Elements that become several narrower ones, or the other way round: a trailing dimension counts
// the pieces, low bits first.
Value Evaluator::StepBitcastConvert(Frame& frame) {
  const Instruction& value = *frame.target.value;
  const Instruction& operand = *value.operand(0);
  llvm::IRBuilderBase& builder = context_.builder;
  const ElementType to = value.shape().element_type(), from = operand.shape().element_type();
  const int to_bits = 8 * ByteWidth(to), from_bits = 8 * ByteWidth(from);
  const bool widens = to_bits > from_bits;
  std::vector<Digits> dims = frame.target.index->dims;
  if (frame.step == 0) {
    frame.step = 1;
    if (!widens) {
      dims.pop_back();
      frame.needs.push_back({&operand, indices_.Intern({dims}), 0});
      return nullptr;
    }
    const int64_t pieces = to_bits / from_bits;
    dims.emplace_back();
    for (int64_t k = 0; k < pieces; ++k) {
      dims.back() = {indices_.ConstantDigit(k, pieces)};
      frame.needs.push_back({&operand, indices_.Intern({dims}), 0});
    }
    return nullptr;
  }
  const std::vector<Value> sources = Values(frame);
  const int lanes = LanesOf(*frame.target.index);
  auto bits_of = [&](Value source, int bits) -> Value {
    Value raw = ToMemory(context_, from, SplatLanes(builder, source, lanes));
    llvm::Type* type = builder.getIntNTy(bits);
    if (lanes > 1) type = llvm::FixedVectorType::get(type, lanes);
    return builder.CreateBitCast(raw, type);
  };
  auto value_of = [&](Value bits) {
    llvm::Type* type = MemoryType(builder.getContext(), to, 1);
    if (lanes > 1) type = llvm::FixedVectorType::get(type, lanes);
    return FromMemory(context_, to, builder.CreateBitCast(bits, type));
  };
  std::vector<Value> operands = sources;
  if (!widens) {
    Value piece = indices_.Materialize(indices_.JoinAll(dims.back()));
    operands.push_back(piece);
    return Emit(operands, [&] {
      Value bits = bits_of(sources[0], from_bits);
      Value shift = SplatLanes(builder, piece, lanes);
      shift = builder.CreateZExtOrTrunc(shift, bits->getType());
      shift = builder.CreateMul(shift, llvm::ConstantInt::get(bits->getType(), to_bits));
      llvm::Type* narrow = bits->getType()->getWithNewBitWidth(to_bits);
      return value_of(builder.CreateTrunc(builder.CreateLShr(bits, shift), narrow));
    });
  }
  return Emit(operands, [&] {
    Value all = nullptr;
    for (size_t k = 0; k < sources.size(); ++k) {
      Value bits = bits_of(sources[k], from_bits);
      bits = builder.CreateZExt(bits, bits->getType()->getWithNewBitWidth(to_bits));
      bits = builder.CreateShl(bits, k * from_bits);
      all = all == nullptr ? bits : builder.CreateOr(all, bits);
    }
    return value_of(all);
  });
}

}  // namespace astitch::codegen
