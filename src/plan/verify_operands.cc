// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A small function a family of operations; what is not exact here is unknown, never a guess.
#include "plan/verify_operands.h"

#include <algorithm>

#include "ir/attributes.h"

namespace astitch::plan_check {
namespace {

using Dims = std::vector<AxisDigits>;

bool Contains(const std::vector<int64_t>& list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

Dims UnknownIn(const Shape& shape) {
  Dims dims;
  if (!shape.IsArray()) return dims;
  for (int64_t extent : shape.dims()) dims.push_back(AxisIndices::Unknown(extent));
  return dims;
}

// Dimension d of both, where SAME(d); unknown elsewhere.
template <typename Same>
Dims Straight(const Shape& from, const Dims& at, Same same) {
  Dims dims = UnknownIn(from);
  for (size_t d = 0; d < std::min(dims.size(), at.size()); ++d) {
    if (same(static_cast<int64_t>(d))) dims[d] = at[d];
  }
  return dims;
}

Dims OfReshape(AxisIndices& indices, const Shape& from, const Dims& at) {
  AxisDigits all;
  for (const AxisDigits& dim : at) all.insert(all.end(), dim.begin(), dim.end());
  return indices.Regroup(all, from.dims());
}

Dims OfIndexMap(AxisIndices& indices, const Instruction& reader, int64_t i, const Dims& at) {
  const Shape& from = reader.operand(i)->shape();
  const Shape& to = reader.shape();
  Dims dims;
  switch (reader.opcode()) {
    case Opcode::kBroadcast:
      // An operand's dimension of extent 1 may be repeated.
      for (int64_t d = 0; d < from.rank(); ++d) {
        const int64_t in = reader.dimensions()[d];
        dims.push_back(from.dim(d) == to.dim(in) ? at[in] : AxisIndices::Unknown(from.dim(d)));
      }
      return dims;
    case Opcode::kTranspose:
      dims.resize(from.rank());
      for (int64_t d = 0; d < to.rank(); ++d) dims[reader.dimensions()[d]] = at[d];
      return dims;
    case Opcode::kReshape:
    case Opcode::kBitcast:
      return OfReshape(indices, from, at);
    case Opcode::kSlice: {
      const auto& slice = reader.as<SliceAttributes>();
      return Straight(from, at, [&](int64_t d) {
        return slice.starts[d] == 0 && slice.strides[d] == 1 && from.dim(d) == to.dim(d);
      });
    }
    case Opcode::kReverse:
      return Straight(from, at, [&](int64_t d) { return !Contains(reader.dimensions(), d); });
    case Opcode::kConcatenate:
      return Straight(from, at, [&](int64_t d) { return d != reader.dimensions()[0]; });
    case Opcode::kPad: {
      if (i > 0) return UnknownIn(from);
      const auto& pad = reader.as<PadAttributes>().dims;
      return Straight(from, at, [&](int64_t d) { return pad[d] == PadAttributes::Dim{}; });
    }
    default:
      return UnknownIn(from);
  }
}

Dims OfReduction(const Instruction& reader, int64_t i, const Dims& at) {
  const Shape& from = reader.operand(i)->shape();
  Dims dims = UnknownIn(from);
  if (reader.opcode() == Opcode::kReduce && i < reader.num_operands() / 2) {
    size_t kept = 0;
    for (int64_t d = 0; d < from.rank(); ++d) {
      if (!Contains(reader.dimensions(), d)) dims[d] = at[kept++];
    }
    return dims;
  }
  if (reader.opcode() == Opcode::kReduceWindow && i < reader.num_operands() / 2) {
    const Window& window = reader.as<WindowAttributes>().window;
    return Straight(from, at, [&](int64_t d) { return window[d] == WindowDim{}; });
  }
  return dims;
}

// Starts are clamped, so a slice as long as its dimension begins at 0.
Dims OfDynamicMap(const Instruction& reader, int64_t i, const Dims& at) {
  const Shape& from = reader.operand(i)->shape();
  const bool slices = reader.opcode() == Opcode::kDynamicSlice && i == 0;
  const bool updates = reader.opcode() == Opcode::kDynamicUpdateSlice && i <= 1;
  const bool scatters = reader.opcode() == Opcode::kScatter && i < (reader.num_operands() - 1) / 2;
  if (scatters) return at;
  if (!slices && !updates) return UnknownIn(from);
  return Straight(from, at, [&](int64_t d) { return from.dim(d) == reader.shape().dim(d); });
}

Dims OfOperand(AxisIndices& indices, const Instruction& reader, int64_t i, const Dims& at) {
  const Shape& from = reader.operand(i)->shape();
  if (from.IsArray() && from.rank() == 0) return {};
  switch (KindOf(reader.opcode())) {
    case OpKind::kElementwise:
    case OpKind::kTuple:
    case OpKind::kOther:
      // bitcast-convert between widths has another rank.
      return from.IsTuple() || from.rank() == reader.shape().rank() ? at : UnknownIn(from);
    case OpKind::kIndexMap:
      return OfIndexMap(indices, reader, i, at);
    case OpKind::kReduction:
      return OfReduction(reader, i, at);
    case OpKind::kDynamicMap:
      return OfDynamicMap(reader, i, at);
    case OpKind::kSource:
    case OpKind::kContraction:
    case OpKind::kControl:
    case OpKind::kLibrary:
    case OpKind::kCollective:
      return UnknownIn(from);
  }
  ASTITCH_UNREACHABLE();
}

}  // namespace

bool IsEvaluated(const Instruction& value) {
  switch (value.opcode()) {
    case Opcode::kOptBarrier:
    case Opcode::kDomain:
    case Opcode::kAddDependency:
    case Opcode::kGetDimensionSize:
    case Opcode::kPartitionId:
    case Opcode::kReplicaId:
      return true;
    case Opcode::kParameter:
      return false;
    default:
      break;
  }
  switch (KindOf(value.opcode())) {
    case OpKind::kElementwise:
    case OpKind::kIndexMap:
    case OpKind::kDynamicMap:
    case OpKind::kSource:
    case OpKind::kReduction:
    case OpKind::kTuple:
      return true;
    case OpKind::kContraction:
    case OpKind::kControl:
    case OpKind::kLibrary:
    case OpKind::kCollective:
    case OpKind::kOther:
      return false;
  }
  ASTITCH_UNREACHABLE();
}

void AppendOperands(AxisIndices& indices, const Element& element, std::vector<Element>& out) {
  const Instruction& reader = *element.value;
  if (reader.opcode() == Opcode::kGetDimensionSize) return;
  if (reader.opcode() == Opcode::kGetTupleElement) {
    out.push_back({reader.operand(0), reader.as<TupleIndexAttributes>().index, element.index});
    return;
  }
  if (reader.opcode() == Opcode::kTuple) {
    out.push_back({reader.operand(element.leaf), 0, element.index});
    return;
  }
  const OpKind kind = KindOf(reader.opcode());
  const bool same = kind == OpKind::kElementwise || kind == OpKind::kOther;
  for (int64_t i = 0; i < reader.num_operands(); ++i) {
    const Instruction* operand = reader.operand(i);
    if (same && operand->shape().IsArray() && operand->shape().dims() == reader.shape().dims()) {
      out.push_back({operand, 0, element.index});
      continue;
    }
    const Dims at = indices.Dims(element.index);
    out.push_back({operand, 0, indices.Number(OfOperand(indices, reader, i, at))});
  }
}

}  // namespace astitch::plan_check
