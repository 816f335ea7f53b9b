// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One small function a family of opcodes; what is not mentioned is opaque, which is always right
// and only costs locality.
#include "stitch/dim_relations.h"

#include <algorithm>

#include "stitch/op_class.h"

namespace astitch {
namespace {

using Kind = DimRelations::Kind;

bool Contains(const std::vector<int64_t>& list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// Pairs dimension d of both; SAME(d) says whether positions are equal along it.
template <typename Same>
DimRelations Straight(int64_t rank, Same same) {
  DimRelations out;
  out.kind = Kind::kDims;
  for (int64_t d = 0; d < rank; ++d) out.pairs.push_back({d, d, same(d)});
  return out;
}

DimRelations OfIndexMap(const Instruction& reader, const Shape& from, const Shape& to) {
  DimRelations out;
  switch (reader.opcode()) {
    case Opcode::kBroadcast:
      out.kind = Kind::kDims;
      for (int64_t d = 0; d < from.rank(); ++d) out.pairs.push_back({reader.dimensions()[d], d});
      return out;
    case Opcode::kTranspose:
      out.kind = Kind::kDims;
      for (int64_t d = 0; d < to.rank(); ++d) out.pairs.push_back({d, reader.dimensions()[d]});
      return out;
    case Opcode::kReshape:
    case Opcode::kBitcast:
      out.kind = Kind::kReshape;
      return out;
    case Opcode::kSlice: {
      const auto& slice = reader.as<SliceAttributes>();
      return Straight(to.rank(), [&](int64_t d) {
        return slice.starts[d] == 0 && slice.strides[d] == 1 && from.dim(d) == to.dim(d);
      });
    }
    case Opcode::kReverse:
      return Straight(to.rank(), [&](int64_t d) { return !Contains(reader.dimensions(), d); });
    case Opcode::kConcatenate:
      return Straight(to.rank(), [&](int64_t d) { return d != reader.dimensions()[0]; });
    case Opcode::kPad: {
      const auto& dims = reader.as<PadAttributes>().dims;
      return Straight(to.rank(), [&](int64_t d) { return dims[d] == PadAttributes::Dim{}; });
    }
    default:
      return out;
  }
}

DimRelations OfReduction(const Instruction& reader, int64_t operand, const Shape& from,
                         const Shape& to) {
  if (reader.opcode() == Opcode::kReduce && operand < reader.num_operands() / 2) {
    DimRelations out;
    out.kind = Kind::kDims;
    int64_t kept = 0;
    for (int64_t d = 0; d < from.rank(); ++d) {
      if (!Contains(reader.dimensions(), d)) out.pairs.push_back({kept++, d});
    }
    return out;
  }
  if (reader.opcode() == Opcode::kReduceWindow && from.rank() == to.rank()) {
    // A sweep along the scanned dimension takes an element and leaves its result.
    if (IsScan(reader)) return Straight(to.rank(), [](int64_t) { return true; });
    const Window& window = reader.as<WindowAttributes>().window;
    return Straight(to.rank(), [&](int64_t d) { return window[d] == WindowDim{}; });
  }
  return {};
}

}  // namespace

DimRelations RelationsOf(const Instruction& reader, int64_t operand) {
  const Shape& from = reader.operand(operand)->shape();
  const Shape& to = reader.shape().IsTuple() ? reader.shape().elements()[0] : reader.shape();
  DimRelations out;
  if (from.IsTuple()) {
    // An element of a variadic reduction has the dimensions of all its elements.
    if (reader.opcode() != Opcode::kGetTupleElement) return out;
    return Straight(to.rank(), [](int64_t) { return true; });
  }
  if (from.rank() == 0) {
    out.kind = Kind::kScalar;
    return out;
  }
  const auto same_size = [&](int64_t d) { return from.dim(d) == to.dim(d); };
  switch (KindOf(reader.opcode())) {
    case OpKind::kElementwise:
      // bitcast-convert between widths changes the rank.
      return from.rank() == to.rank() ? Straight(to.rank(), same_size) : out;
    case OpKind::kIndexMap:
      return OfIndexMap(reader, from, to);
    case OpKind::kReduction:
      return OfReduction(reader, operand, from, to);
    case OpKind::kDynamicMap: {
      // A scatter starts as its operand, element by element.
      if (IsScatter(reader) && operand == 0)
        return Straight(to.rank(), [](int64_t) { return true; });
      const bool slices = reader.opcode() == Opcode::kDynamicSlice ||
                          reader.opcode() == Opcode::kDynamicUpdateSlice;
      return slices && operand <= 1 && from.rank() == to.rank() ? Straight(to.rank(), same_size)
                                                                : out;
    }
    case OpKind::kTuple:
    case OpKind::kSource:
    case OpKind::kContraction:
    case OpKind::kControl:
    case OpKind::kLibrary:
    case OpKind::kCollective:
    case OpKind::kOther:
      return out;
  }
  ASTITCH_UNREACHABLE();
}

}  // namespace astitch
