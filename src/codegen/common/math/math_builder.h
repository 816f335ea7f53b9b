// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Floating-point arithmetic on one type (float or double, scalar or vector), spelled so that the
// vector math reads like the formulas it implements.
//
// Nothing here becomes a library call on any target: where the target lacks fused multiply-add or
// rounding instructions, they are composed of what it has.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/types/span.h"
#include "codegen/common/emit_context.h"

namespace astitch::codegen {

using Value = llvm::Value*;

// An unevaluated sum: |lo| is at most half a unit in the last place of hi.
struct Double {
  Value hi, lo;
};

class MathBuilder {
 public:
  // TYPE: float, double, or a fixed vector of these.
  MathBuilder(const EmitContext& context, llvm::Type* type);

  bool is_f64() const { return is_f64_; }
  llvm::Type* type() const { return type_; }
  llvm::IRBuilderBase& ir() const { return context_.builder; }
  const EmitContext& context() const { return context_; }
  int mantissa_bits() const { return is_f64_ ? 52 : 23; }
  // f32 on the single-precision type, f64 on the other.
  template <typename T>
  T Pick(T f32, T f64) const {
    return is_f64_ ? f64 : f32;
  }

  Value F(double constant) const;   // REQUIRES: exactly representable, or meant to be rounded
  Value I(int64_t constant) const;  // an integer of the float's width
  Value Infinity() const;
  Value NaN() const;

  Value Add(Value a, Value b) const { return ir().CreateFAdd(a, b); }
  Value Sub(Value a, Value b) const { return ir().CreateFSub(a, b); }
  Value Mul(Value a, Value b) const { return ir().CreateFMul(a, b); }
  Value Div(Value a, Value b) const { return ir().CreateFDiv(a, b); }
  Value Neg(Value a) const { return ir().CreateFNeg(a); }
  Value Abs(Value a) const;
  Value Sqrt(Value a) const;
  // |magnitude| with the sign of SIGN.
  Value CopySign(Value magnitude, Value sign) const;
  // a * b + c. Fma rounds once (without the instruction: as good as once), for error terms; MulAdd
  // is whichever of Fma and multiply-then-add is one instruction an operation.
  Value Fma(Value a, Value b, Value c) const;
  Value MulAdd(Value a, Value b, Value c) const;
  // c0 + c1 x + c2 x^2 ...
  Value Polynomial(Value x, absl::Span<const double> coefficients) const;
  // x + x^3 (c0 + c1 x^2 + c2 x^4 ...)
  Value OddPolynomial(Value x, absl::Span<const double> coefficients) const;

  Value RoundEven(Value a) const;
  Value Trunc(Value a) const;
  Value Floor(Value a) const;
  Value Ceil(Value a) const;

  // Comparisons; any is false when an operand is NaN, but Ne.
  Value Lt(Value a, Value b) const { return ir().CreateFCmpOLT(a, b); }
  Value Le(Value a, Value b) const { return ir().CreateFCmpOLE(a, b); }
  Value Gt(Value a, Value b) const { return ir().CreateFCmpOGT(a, b); }
  Value Ge(Value a, Value b) const { return ir().CreateFCmpOGE(a, b); }
  Value Eq(Value a, Value b) const { return ir().CreateFCmpOEQ(a, b); }
  Value Ne(Value a, Value b) const { return ir().CreateFCmpUNE(a, b); }
  Value IsNaN(Value a) const { return ir().CreateFCmpUNO(a, a); }
  Value And(Value a, Value b) const { return ir().CreateAnd(a, b); }
  Value Or(Value a, Value b) const { return ir().CreateOr(a, b); }
  Value Not(Value a) const { return ir().CreateNot(a); }
  Value Select(Value condition, Value a, Value b) const {
    return ir().CreateSelect(condition, a, b);
  }
  // At most / at least BOUND; NaN stays NaN. One instruction on x86.
  Value AtMost(Value a, Value bound) const { return Select(Gt(a, bound), bound, a); }
  Value AtLeast(Value a, Value bound) const { return Select(Lt(a, bound), bound, a); }
  // The sign bit is set.
  Value SignBit(Value a) const { return ir().CreateICmpSLT(Bits(a), I(0)); }

  Value Bits(Value a) const { return ir().CreateBitCast(a, int_type_); }
  Value FromBits(Value bits) const { return ir().CreateBitCast(bits, type_); }
  Value IntToFloat(Value integer) const { return ir().CreateSIToFP(integer, type_); }
  // 2^n for integers n within the normal exponents.
  Value PowerOfTwo(Value n) const;

  // Error-free: TwoSum for any operands, FastTwoSum where |a| >= |b| or a is 0.
  Double TwoSum(Value a, Value b) const;
  Double FastTwoSum(Value a, Value b) const;
  Double TwoProduct(Value a, Value b) const;

  // One bit: does CONDITION hold in any lane.
  Value Any(Value condition) const;
  // FAST where no lane of CONDITION holds; else, from a block of its own, what SLOW emits, as many
  // values. For paths too rare and too long for a blend.
  std::vector<Value> Rarely(Value condition, const std::vector<Value>& fast,
                            const std::function<std::vector<Value>()>& slow) const;

 private:
  Value RoundByMagic(Value a) const;
  Double SplitProduct(Value a, Value b) const;

  EmitContext context_;
  llvm::Type* type_;
  llvm::Type* int_type_;
  bool is_f64_;
};

}  // namespace astitch::codegen
