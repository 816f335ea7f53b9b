// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Rules of conversions. Only a conversion that keeps every value may be left out of a chain: a pair
// like f32 -> bf16 -> f32 rounds, and was written to.
#include <cmath>

#include "ir/number.h"
#include "passes/algebraic_rules.h"

namespace astitch {
namespace {

bool IsIntegral(ElementType type) { return IsInteger(type) || IsPred(type); }

// Bits of magnitude: 31 of s32, 32 of u32, 1 of pred.
int MagnitudeBits(ElementType type) { return BitWidth(type) - (IsSigned(type) ? 1 : 0); }

bool KeepsFloats(ElementType from, ElementType to) {
  const FloatFormat a = FormatOf(from);
  const FloatFormat b = FormatOf(to);
  const bool least = 1 - b.bias - b.mantissa_bits <= 0 - a.bias - a.mantissa_bits;
  return b.specials == FloatFormat::Specials::kIeee && b.mantissa_bits >= a.mantissa_bits &&
         MaxFinite(to) >= MaxFinite(from) && (from == to || least);
}

// Every value of FROM is a value of TO, and convert gives just that.
bool KeepsValues(ElementType from, ElementType to) {
  if (IsComplex(from) || IsComplex(to)) return false;
  if (IsFloat(from)) return IsFloat(to) && KeepsFloats(from, to);
  if (IsFloat(to)) {
    const FloatFormat format = FormatOf(to);
    return format.specials == FloatFormat::Specials::kIeee &&
           MagnitudeBits(from) <= format.mantissa_bits + 1 &&
           std::ldexp(1.0, MagnitudeBits(from)) <= MaxFinite(to);
  }
  if (IsPred(to)) return IsPred(from);
  if (IsSigned(from) && !IsSigned(to)) return false;
  return MagnitudeBits(from) <= MagnitudeBits(to);
}

// convert(convert(x)) is one conversion: the inner one keeps all values of x.
bool MayMerge(ElementType source, ElementType middle, ElementType result) {
  if (!KeepsValues(source, middle)) return false;
  // Out of range, an integer wraps where its float saturates.
  if (IsIntegral(source) && IsFloat(middle) && IsInteger(result))
    return KeepsValues(source, result);
  return !IsComplex(result);
}

Instruction* SimplifyConvertOp(Rewriter& rewriter, const Instruction& convert) {
  Instruction* operand = convert.operand(0);
  const ElementType result = convert.shape().element_type();
  if (operand->shape().element_type() == result) return operand;
  if (operand->opcode() != Opcode::kConvert) return nullptr;
  Instruction* source = operand->operand(0);
  const ElementType type = source->shape().element_type();
  if (!MayMerge(type, operand->shape().element_type(), result)) return nullptr;
  if (type == result) return source;
  return rewriter.Add(convert, Opcode::kConvert, convert.shape(), {source});
}

Instruction* SimplifyBitcastConvert(Rewriter& rewriter, const Instruction& bitcast) {
  Instruction* operand = bitcast.operand(0);
  if (operand->shape().CompatibleWith(bitcast.shape())) return operand;
  if (operand->opcode() != Opcode::kBitcastConvert) return nullptr;
  Instruction* source = operand->operand(0);
  if (source->shape().CompatibleWith(bitcast.shape())) return source;
  if (source->shape().dims() != bitcast.shape().dims()) return nullptr;
  return rewriter.Add(bitcast, Opcode::kBitcastConvert, bitcast.shape(), {source});
}

}  // namespace

Instruction* SimplifyConvert(Rewriter& rewriter, Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kConvert:
      return SimplifyConvertOp(rewriter, instruction);
    case Opcode::kBitcastConvert:
      return SimplifyBitcastConvert(rewriter, instruction);
    case Opcode::kReal:
      return IsFloat(instruction.operand(0)->shape().element_type()) ? instruction.operand(0)
                                                                     : nullptr;
    default:  // no rule
      return nullptr;
  }
}

}  // namespace astitch
