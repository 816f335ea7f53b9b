// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Two tricks carry the generic formats. Normal values round by adding half a unit to the float's
// bits, the carry running into the exponent. Subnormal values are multiples of one number u; adding
// 2^23 u to them makes the hardware round to such a multiple and leaves the multiple in the low
// bits of the sum.
#include "codegen/common/narrow_float.h"

#include <cmath>

#include "codegen/common/math/math_builder.h"
#include "ir/number.h"

namespace astitch::codegen {
namespace {

using Specials = FloatFormat::Specials;

// The format's numbers as they look from a float.
struct Layout {
  explicit Layout(ElementType type) : format(FormatOf(type)) {
    drop = 23 - format.mantissa_bits;
    width = format.exponent_bits + format.mantissa_bits;
    min_normal = std::ldexp(1.0, 1 - format.bias);
    subnormal_magic = std::ldexp(1.0, 23 + 1 - format.bias - format.mantissa_bits);
    all_ones = (int64_t{1} << width) - 1;
    infinity = all_ones - ((int64_t{1} << format.mantissa_bits) - 1);
  }
  FloatFormat format;
  int drop, width;
  double min_normal, subnormal_magic;
  int64_t all_ones, infinity;  // codes below the sign
};

class NarrowFloat {
 public:
  NarrowFloat(const EmitContext& context, ElementType type, llvm::Type* float_type)
      : type_(type), layout_(type), b_(context, float_type), ir_(context.builder) {}

  Value Round(Value x) const;
  Value Encode(Value x) const;
  Value Decode(Value code) const;

 private:
  Value RoundPowerOfTwo(Value x) const;
  Value OutOfRange() const;
  Value SubnormalMagic() const { return b_.F(layout_.subnormal_magic); }

  ElementType type_;
  Layout layout_;
  MathBuilder b_;
  llvm::IRBuilderBase& ir_;
};

Value NarrowFloat::OutOfRange() const {
  switch (layout_.format.specials) {
    case Specials::kIeee:
      return b_.Infinity();
    case Specials::kNanAllOnes:
    case Specials::kNanNegZero:
    case Specials::kExponentOnly:
      return b_.NaN();
    case Specials::kFinite:
      break;
  }
  return b_.F(MaxFinite(type_));
}

Value NarrowFloat::Round(Value x) const {
  if (layout_.format.specials == Specials::kExponentOnly) return RoundPowerOfTwo(x);
  Value magnitude = b_.Abs(x);
  Value bits = b_.Bits(magnitude);
  const int drop = layout_.drop;
  Value last_kept = ir_.CreateAnd(ir_.CreateLShr(bits, b_.I(drop)), b_.I(1));
  Value half = b_.I((int64_t{1} << (drop - 1)) - 1);
  Value carried = ir_.CreateAdd(ir_.CreateAdd(bits, half), last_kept);
  Value normal = b_.FromBits(ir_.CreateAnd(carried, b_.I(-(int64_t{1} << drop))));
  Value subnormal = b_.Sub(b_.Add(magnitude, SubnormalMagic()), SubnormalMagic());
  Value rounded = b_.Select(b_.Lt(magnitude, b_.F(layout_.min_normal)), subnormal, normal);
  Value over = b_.Gt(rounded, b_.F(MaxFinite(type_)));
  rounded = b_.Select(over, OutOfRange(), rounded);
  Value nan = layout_.format.specials == Specials::kFinite ? b_.F(MaxFinite(type_)) : b_.NaN();
  rounded = b_.CopySign(b_.Select(b_.IsNaN(x), nan, rounded), x);
  if (layout_.format.specials != Specials::kNanNegZero) return rounded;
  return b_.Select(b_.Eq(rounded, b_.F(0)), b_.F(0), rounded);  // no -0
}

// f8e8m0fnu: a significand of 1.5 goes up, as its even neighbour is the next power; the smallest
// code, 2^-127, is a subnormal float.
Value NarrowFloat::RoundPowerOfTwo(Value x) const {
  Value bits = b_.Bits(x);
  Value carried = ir_.CreateAnd(ir_.CreateAdd(bits, b_.I(0x400000)), b_.I(0x7f800000));
  Value smallest = ir_.CreateICmpULT(bits, b_.I(0x600000));
  Value rounded = b_.FromBits(b_.Select(smallest, b_.I(0x400000), carried));
  Value valid = b_.And(b_.Gt(x, b_.F(0)), b_.Lt(rounded, b_.Infinity()));
  return b_.Select(valid, rounded, b_.NaN());
}

Value NarrowFloat::Encode(Value x) const {
  const FloatFormat& format = layout_.format;
  Value bits = b_.Bits(x);
  if (format.specials == Specials::kExponentOnly) {
    return ir_.CreateAnd(ir_.CreateLShr(bits, b_.I(23)), b_.I(0xff));
  }
  Value magnitude = b_.Abs(x);
  const int64_t rebias = int64_t{127 - format.bias} << format.mantissa_bits;
  Value normal =
      ir_.CreateSub(ir_.CreateLShr(b_.Bits(magnitude), b_.I(layout_.drop)), b_.I(rebias));
  Value lifted = b_.Add(magnitude, SubnormalMagic());
  Value subnormal = ir_.CreateSub(b_.Bits(lifted), b_.Bits(SubnormalMagic()));
  Value code = b_.Select(b_.Lt(magnitude, b_.F(layout_.min_normal)), subnormal, normal);
  if (format.specials == Specials::kIeee) {
    // Infinity, or NaN with its payload.
    Value payload = ir_.CreateAnd(ir_.CreateLShr(bits, b_.I(layout_.drop)),
                                  b_.I((int64_t{1} << format.mantissa_bits) - 1));
    Value special = ir_.CreateOr(payload, b_.I(layout_.infinity));
    code = b_.Select(b_.Lt(magnitude, b_.Infinity()), code, special);
  } else if (format.specials == Specials::kNanAllOnes) {
    code = b_.Select(b_.IsNaN(x), b_.I(layout_.all_ones), code);
  }
  Value sign = ir_.CreateShl(ir_.CreateLShr(bits, b_.I(31)), b_.I(layout_.width));
  code = ir_.CreateOr(code, sign);
  if (format.specials != Specials::kNanNegZero) return code;
  return b_.Select(b_.IsNaN(x), b_.I(int64_t{1} << layout_.width), code);
}

Value NarrowFloat::Decode(Value code) const {
  const FloatFormat& format = layout_.format;
  if (format.specials == Specials::kExponentOnly) {
    Value power = b_.FromBits(ir_.CreateShl(code, b_.I(23)));
    Value smallest = ir_.CreateICmpEQ(code, b_.I(0));
    power = b_.Select(smallest, b_.F(std::ldexp(1.0, -127)), power);
    return b_.Select(ir_.CreateICmpEQ(code, b_.I(0xff)), b_.NaN(), power);
  }
  Value magnitude = ir_.CreateAnd(code, b_.I(layout_.all_ones));
  const int64_t rebias = int64_t{127 - format.bias} << 23;
  Value shifted = ir_.CreateShl(magnitude, b_.I(layout_.drop));
  Value normal = b_.FromBits(ir_.CreateAdd(shifted, b_.I(rebias)));
  Value lifted = b_.FromBits(ir_.CreateOr(b_.Bits(SubnormalMagic()), magnitude));
  Value subnormal = b_.Sub(lifted, SubnormalMagic());
  Value small = ir_.CreateICmpULT(magnitude, b_.I(int64_t{1} << format.mantissa_bits));
  Value value = b_.Select(small, subnormal, normal);
  if (format.specials == Specials::kIeee) {
    Value special = b_.FromBits(ir_.CreateOr(shifted, b_.I(0x7f800000)));
    value = b_.Select(ir_.CreateICmpUGE(magnitude, b_.I(layout_.infinity)), special, value);
  } else if (format.specials == Specials::kNanAllOnes) {
    value = b_.Select(ir_.CreateICmpEQ(magnitude, b_.I(layout_.all_ones)), b_.NaN(), value);
  }
  Value sign = ir_.CreateShl(ir_.CreateLShr(code, b_.I(layout_.width)), b_.I(31));
  value = b_.FromBits(ir_.CreateOr(b_.Bits(value), sign));
  if (format.specials != Specials::kNanNegZero) return value;
  Value nan_code = ir_.CreateICmpEQ(code, b_.I(int64_t{1} << layout_.width));
  return b_.Select(nan_code, b_.NaN(), value);
}

llvm::Type* Like(Value value, llvm::Type* scalar) {
  return value->getType()->getWithNewType(scalar);
}

// bf16 is a float without its lower half: the carry of the rounding does the rest.
Value CarryIntoBFloat(const EmitContext& context, Value x) {
  llvm::IRBuilderBase& ir = context.builder;
  const MathBuilder b(context, x->getType());
  Value bits = b.Bits(x);
  Value last_kept = ir.CreateAnd(ir.CreateLShr(bits, b.I(16)), b.I(1));
  return ir.CreateAdd(bits, ir.CreateAdd(last_kept, b.I(0x7fff)));
}

// NaN must not take part: the carry of a full mantissa would run into the sign.
Value RoundToBFloat(const EmitContext& context, Value x) {
  llvm::IRBuilderBase& ir = context.builder;
  if (context.traits.has_bf16) {
    return ir.CreateFPExt(ir.CreateFPTrunc(x, Like(x, ir.getBFloatTy())), x->getType());
  }
  const MathBuilder b(context, x->getType());
  Value quiet = ir.CreateOr(b.Bits(x), b.I(0x400000));
  Value rounded = b.Select(b.IsNaN(x), quiet, CarryIntoBFloat(context, x));
  return b.FromBits(ir.CreateAnd(rounded, b.I(-0x10000)));
}

}  // namespace

Value RoundArithmeticToBFloat(const EmitContext& context, Value x) {
  if (context.traits.has_bf16) return RoundToBFloat(context, x);
  const MathBuilder b(context, x->getType());
  return b.FromBits(context.builder.CreateAnd(CarryIntoBFloat(context, x), b.I(-0x10000)));
}

Value RoundToNarrow(const EmitContext& context, ElementType type, Value value) {
  llvm::IRBuilderBase& ir = context.builder;
  if (type == ElementType::kBF16) return RoundToBFloat(context, value);
  if (type == ElementType::kF16 && context.traits.has_f16c) {
    Value half = ir.CreateFPTrunc(value, Like(value, ir.getHalfTy()));
    return ir.CreateFPExt(half, value->getType());
  }
  return NarrowFloat(context, type, value->getType()).Round(value);
}

Value EncodeNarrow(const EmitContext& context, ElementType type, Value value) {
  llvm::IRBuilderBase& ir = context.builder;
  llvm::Type* code_type = Like(value, ir.getIntNTy(8 * ByteWidth(type)));
  if (type == ElementType::kF16 && context.traits.has_f16c) {
    return ir.CreateBitCast(ir.CreateFPTrunc(value, Like(value, ir.getHalfTy())), code_type);
  }
  Value code;
  if (type == ElementType::kBF16) {
    Value bits = ir.CreateBitCast(value, Like(value, ir.getInt32Ty()));
    code = ir.CreateLShr(bits, llvm::ConstantInt::get(bits->getType(), 16));
  } else {
    code = NarrowFloat(context, type, value->getType()).Encode(value);
  }
  return ir.CreateTrunc(code, code_type);
}

Value DecodeNarrow(const EmitContext& context, ElementType type, Value code) {
  llvm::IRBuilderBase& ir = context.builder;
  llvm::Type* float_type = Like(code, ir.getFloatTy());
  if (type == ElementType::kF16 && context.traits.has_f16c) {
    return ir.CreateFPExt(ir.CreateBitCast(code, Like(code, ir.getHalfTy())), float_type);
  }
  Value wide = ir.CreateZExt(code, Like(code, ir.getInt32Ty()));
  if (type == ElementType::kBF16) {
    return ir.CreateBitCast(ir.CreateShl(wide, llvm::ConstantInt::get(wide->getType(), 16)),
                            float_type);
  }
  return NarrowFloat(context, type, float_type).Decode(wide);
}

}  // namespace astitch::codegen
