// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// bitcast and bitcast-convert: the same bits under another shape. The first goes through physical
// order, which the layouts of the instruction and its operand give; the second through logical
// order, splitting elements low part first.
#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "interp/ops.h"
#include "interp/strides.h"
#include "ir/number.h"

namespace astitch::interp {
namespace {

// The logical elements in the order in which SHAPE's layout lays them out: dimensions from major to
// minor, with the row-major strides they have in a literal.
struct Physical {
  std::vector<int64_t> dims, strides;
};

Physical PhysicalOrder(const Shape& shape) {
  Physical physical;
  const std::vector<int64_t> strides = RowMajorStrides(shape.dims());
  const std::vector<int64_t>& minor_to_major = shape.layout().minor_to_major;
  for (size_t i = minor_to_major.size(); i-- > 0;) {
    physical.dims.push_back(shape.dim(minor_to_major[i]));
    physical.strides.push_back(strides[minor_to_major[i]]);
  }
  return physical;
}

bool IsTiled(const Shape& shape) { return absl::StrContains(shape.layout().extras, "T("); }

int BitsOf(ElementType type) { return IsPred(type) ? 8 : BitWidth(type); }

// Splits every element in NARROW pieces or puts them together; bit widths divide one another.
Literal Repack(const Literal& operand, const Shape& result_shape) {
  const ElementType from = operand.shape().element_type();
  const ElementType to = result_shape.element_type();
  const int from_bits = BitsOf(from);
  const int to_bits = BitsOf(to);
  const int narrow = std::min(from_bits, to_bits);
  const uint64_t mask = narrow == 64 ? ~uint64_t{0} : (uint64_t{1} << narrow) - 1;
  const int64_t pieces = operand.shape().num_elements() * (from_bits / narrow);
  Literal result(result_shape);
  std::byte* out = result.mutable_bytes().data();
  const int pieces_in = from_bits / narrow;
  const int pieces_out = to_bits / narrow;
  uint64_t collected = 0;
  for (int64_t k = 0; k < pieces; ++k) {
    const uint64_t element =
        LoadBits(from, operand.bytes().data() + k / pieces_in * ByteWidth(from));
    const uint64_t piece = (element >> (k % pieces_in * narrow)) & mask;
    collected |= piece << (k % pieces_out * narrow);
    if (k % pieces_out != pieces_out - 1) continue;
    const uint64_t bits =
        IsFloat(to) ? collected
                    : static_cast<uint64_t>(WrapInteger(to, static_cast<int64_t>(collected)));
    StoreBits(to, out + k / pieces_out * ByteWidth(to), bits);
    collected = 0;
  }
  return result;
}

// Under another shape of as many elements or bytes, both in logical order.
Result Reinterpret(const Instruction& instruction, const Literal& operand, const Shape& shape) {
  const int from_bits = BitsOf(operand.shape().element_type());
  const int to_bits = BitsOf(shape.element_type());
  if (from_bits % 8 == 0 && to_bits % 8 == 0) return operand.WithShape(shape);
  if (std::max(from_bits, to_bits) % std::min(from_bits, to_bits) != 0) {
    return ErrorAt(instruction, absl::StrCat("elements of ", from_bits, " bits do not divide into ",
                                             to_bits, " bits"));
  }
  return Repack(operand, shape);
}

}  // namespace

Result EvalBitcast(const Instruction& instruction, Operands operands) {
  const Shape& from = instruction.operand(0)->shape();
  const Shape& to = instruction.shape();
  if (from == to) return std::move(operands[0]);
  if (IsTiled(from) || IsTiled(to)) {
    return ErrorAt(instruction, "bitcast of tiled layouts is not implemented in the interpreter");
  }
  Literal physical = operands[0].WithShape(from);
  if (!from.layout().IsRowMajor()) {
    const Physical order = PhysicalOrder(from);
    physical = Literal(Shape::Array(from.element_type(), order.dims));
    CopyBox(order.dims, ByteWidth(from.element_type()), operands[0].bytes().data(),
            {0, order.strides}, physical.mutable_bytes().data(), {0, RowMajorStrides(order.dims)});
  }
  if (to.layout().IsRowMajor()) return Reinterpret(instruction, physical, to);
  const Physical order = PhysicalOrder(to);
  ASTITCH_ASSIGN_OR_RETURN(
      physical, Reinterpret(instruction, physical, Shape::Array(to.element_type(), order.dims)));
  Literal result(to);
  CopyBox(order.dims, ByteWidth(to.element_type()), physical.bytes().data(),
          {0, RowMajorStrides(order.dims)}, result.mutable_bytes().data(), {0, order.strides});
  return result;
}

Result EvalBitcastConvert(const Instruction& instruction, Operands operands) {
  return Reinterpret(instruction, operands[0], instruction.shape());
}

}  // namespace astitch::interp
