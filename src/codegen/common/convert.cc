// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One rounding from source to target, saturation toward integers, and bits taken as they are.
#include "codegen/common/convert.h"

#include <cmath>

#include "codegen/common/math/math_builder.h"
#include "codegen/common/register_types.h"
#include "ir/number.h"

namespace astitch::codegen {
namespace {

llvm::Type* Like(Value value, llvm::Type* scalar) {
  return value->getType()->getWithNewType(scalar);
}

Value ResizeInteger(llvm::IRBuilderBase& ir, Value value, bool is_signed, llvm::Type* to) {
  return is_signed ? ir.CreateSExtOrTrunc(value, to) : ir.CreateZExtOrTrunc(value, to);
}

// An integer past 2^53 as a double that rounds on like the integer: where the low bits that a
// double drops are not zero, the last one kept is set.
Value WideIntegerToDouble(llvm::IRBuilderBase& ir, Value value, bool is_signed) {
  llvm::Type* type = value->getType();
  auto I = [type](int64_t c) { return llvm::ConstantInt::getSigned(type, c); };
  constexpr int64_t kDropped = 0x7ff;  // a 64-bit number keeps the 53 bits above
  // Carries into bit 11 when any dropped bit is set.
  Value sticky = ir.CreateAdd(ir.CreateAnd(value, I(kDropped)), I(kDropped));
  Value odd = ir.CreateAnd(ir.CreateOr(value, sticky), I(~kDropped));
  constexpr int64_t kExact = int64_t{1} << 53;
  Value fits = is_signed ? ir.CreateICmpULE(ir.CreateAdd(value, I(kExact)), I(2 * kExact))
                         : ir.CreateICmpULE(value, I(kExact));
  Value kept = ir.CreateSelect(fits, value, odd);
  llvm::Type* target = Like(value, ir.getDoubleTy());
  return is_signed ? ir.CreateSIToFP(kept, target) : ir.CreateUIToFP(kept, target);
}

Value IntegerToFloat(const EmitContext& context, ElementType from, ElementType to, Value value,
                     bool round) {
  llvm::IRBuilderBase& ir = context.builder;
  const bool is_signed = IsSigned(from);
  const bool direct = to == ElementType::kF64 || to == ElementType::kF32 || BitWidth(from) <= 16;
  if (!direct && BitWidth(from) == 64) {
    return RoundTo(context, round ? to : ElementType::kF32,
                   WideIntegerToDouble(ir, value, is_signed));
  }
  // Exact on the way to a narrow float: 16 bits in a float, 32 in a double.
  const bool in_double = to == ElementType::kF64 || (!direct && BitWidth(from) == 32);
  llvm::Type* target = Like(value, in_double ? ir.getDoubleTy() : ir.getFloatTy());
  if (BitWidth(from) <= 16) {  // vectors convert from i32 only
    value = ResizeInteger(ir, value, is_signed, Like(value, ir.getInt32Ty()));
  }
  const bool as_signed = is_signed || BitWidth(from) <= 16;
  Value result = as_signed ? ir.CreateSIToFP(value, target) : ir.CreateUIToFP(value, target);
  return RoundTo(context, round || to == ElementType::kF64 ? to : ElementType::kF32, result);
}

// Truncates toward zero, saturates, NaN gives 0.
Value FloatToInteger(const EmitContext& context, ElementType to, Value value) {
  const MathBuilder b(context, value->getType());
  llvm::IRBuilderBase& ir = context.builder;
  llvm::Type* target = RegisterType(ir.getContext(), to, WidthOf(value));
  if (BitWidth(to) > 16) {
    return ir.CreateIntrinsic(
        IsSigned(to) ? llvm::Intrinsic::fptosi_sat : llvm::Intrinsic::fptoui_sat,
        {target, value->getType()}, {value});
  }
  // Bounds that a float has exactly, and an i32 in between: what vectors do best.
  Value known = b.Select(b.IsNaN(value), b.F(0), value);
  known = b.AtMost(known, b.F(static_cast<double>(MaxInteger(to))));
  known = b.AtLeast(known, b.F(static_cast<double>(MinInteger(to))));
  return ir.CreateTrunc(ir.CreateFPToSI(known, Like(value, ir.getInt32Ty())), target);
}

}  // namespace

Value EmitConvert(const EmitContext& context, ElementType from, ElementType to, Value value,
                  bool round) {
  llvm::IRBuilderBase& ir = context.builder;
  if (from == to) return value;
  if (IsPred(to)) {
    if (IsFloat(from))
      return ir.CreateFCmpUNE(value, llvm::Constant::getNullValue(value->getType()));
    return ir.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
  }
  llvm::Type* target = RegisterType(ir.getContext(), to, WidthOf(value));
  if (IsPred(from)) {
    if (IsInteger(to)) return NormalizeInteger(context, to, ir.CreateZExt(value, target));
    return ir.CreateSelect(value, llvm::ConstantFP::get(target, 1.0),
                           RoundTo(context, to, llvm::ConstantFP::get(target, 0.0)));
  }
  if (IsFloat(from)) {
    if (IsInteger(to)) return FloatToInteger(context, to, value);
    const bool keep = !round && to != ElementType::kF64;
    return RoundTo(context, keep ? ElementType::kF32 : to, value);
  }
  if (IsFloat(to)) return IntegerToFloat(context, from, to, value, round);
  return NormalizeInteger(context, to, ResizeInteger(ir, value, IsSigned(from), target));
}

Value EmitBitcastConvert(const EmitContext& context, ElementType from, ElementType to,
                         Value value) {
  if (from == to) return value;
  llvm::IRBuilderBase& ir = context.builder;
  Value memory = ToMemory(context, from, value);
  llvm::Type* target = MemoryType(ir.getContext(), to, WidthOf(value));
  return FromMemory(context, to, ir.CreateBitCast(memory, target));
}

// On the bits: the mantissa rounds to nearest even with its carry running into the exponent; then
// what the narrower exponent cannot hold becomes infinity or zero. Subnormals of the target flush.
Value EmitReducePrecision(const EmitContext& context, ElementType type, Value value,
                          int exponent_bits, int mantissa_bits) {
  llvm::IRBuilderBase& ir = context.builder;
  const FloatFormat format = FormatOf(type);
  Value memory = ToMemory(context, type, value);
  llvm::Type* int_type = Like(memory, ir.getIntNTy(8 * ByteWidth(type)));
  auto I = [int_type](int64_t c) {
    return llvm::ConstantInt::getSigned(int_type, c, /*implicitTrunc=*/true);
  };
  Value bits = ir.CreateBitCast(memory, int_type);
  const int64_t sign_mask = int64_t{1} << (format.exponent_bits + format.mantissa_bits);
  Value magnitude = ir.CreateAnd(bits, I(sign_mask - 1));
  if (const int shift = format.mantissa_bits - mantissa_bits; shift > 0) {
    Value last_kept = ir.CreateAnd(ir.CreateLShr(magnitude, I(shift)), I(1));
    Value half = I((int64_t{1} << (shift - 1)) - 1);
    magnitude = ir.CreateAdd(magnitude, ir.CreateAdd(last_kept, half));
    magnitude = ir.CreateAnd(magnitude, I(-(int64_t{1} << shift)));
  }
  if (exponent_bits < format.exponent_bits) {
    const int64_t target_bias = (int64_t{1} << (exponent_bits - 1)) - 1;
    const int64_t infinity = ((int64_t{1} << format.exponent_bits) - 1) << format.mantissa_bits;
    Value exponent = ir.CreateLShr(magnitude, I(format.mantissa_bits));
    Value over = ir.CreateICmpUGT(exponent, I(format.bias + target_bias));
    Value under = ir.CreateICmpULE(exponent, I(format.bias - target_bias));
    magnitude = ir.CreateSelect(over, I(infinity), magnitude);
    magnitude = ir.CreateSelect(under, I(0), magnitude);
  }
  Value reduced = ir.CreateOr(magnitude, ir.CreateAnd(bits, I(sign_mask)));
  Value result = FromMemory(context, type, ir.CreateBitCast(reduced, memory->getType()));
  return ir.CreateSelect(ir.CreateFCmpUNO(value, value), value, result);
}

Value EmitStochasticConvert(const EmitContext& context, ElementType to, Value value,
                            ElementType random_type, Value random) {
  const MathBuilder b(context, value->getType());
  llvm::IRBuilderBase& ir = context.builder;
  Value magnitude = b.Abs(value);
  Value whole = b.Trunc(magnitude);
  // The fraction in units of the random number's range; below 2^bits, so it converts exactly.
  const int bits = BitWidth(random_type);
  Value scaled = b.Mul(b.Sub(magnitude, whole), b.F(std::ldexp(1.0, bits)));
  Value threshold = ir.CreateIntrinsic(llvm::Intrinsic::fptoui_sat,
                                       {random->getType(), value->getType()}, {scaled});
  if (bits < 8) {
    Value own = llvm::ConstantInt::get(random->getType(), (1 << bits) - 1);
    random = ir.CreateAnd(random, own);
  }
  llvm::Type* target = RegisterType(ir.getContext(), to, WidthOf(value));
  Value kept = ir.CreateIntrinsic(llvm::Intrinsic::fptoui_sat, {target, value->getType()}, {whole});
  Value result = ir.CreateAdd(kept, ir.CreateZExt(ir.CreateICmpULT(random, threshold), target));
  result = ir.CreateSelect(b.Lt(value, b.F(0)), ir.CreateNeg(result), result);
  auto I = [target](int64_t c) { return llvm::ConstantInt::getSigned(target, c, true); };
  const int64_t max = static_cast<int64_t>(MaxInteger(to)), min = MinInteger(to);
  Value above = b.Ge(value, b.F(static_cast<double>(MaxInteger(to))));
  Value below = b.Le(value, b.F(static_cast<double>(min)));
  result = ir.CreateSelect(below, I(min), ir.CreateSelect(above, I(max), result));
  return ir.CreateSelect(b.IsNaN(value), I(0), result);
}

}  // namespace astitch::codegen
