// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Arithmetic, rounding and extrema of floats; the elementary functions are in math/.
#include "codegen/common/float_ops.h"

#include "codegen/common/math/exp_log.h"
#include "codegen/common/math/fast.h"
#include "codegen/common/math/math.h"

namespace astitch::codegen {
namespace {

// NaN when either is; which of two equal zeros is open.
Value Extremum(const MathBuilder& b, Value x, Value y, bool maximum) {
  const TargetTraits& traits = b.context().traits;
  if (!traits.is_nvptx || (traits.sm >= 80 && !b.is_f64())) {
    llvm::FastMathFlags any_zero;
    any_zero.setNoSignedZeros(!traits.is_nvptx);  // the instruction of a GPU tells them apart
    llvm::IRBuilderBase::FastMathFlagGuard guard(b.ir());
    b.ir().setFastMathFlags(any_zero);
    return b.ir().CreateBinaryIntrinsic(
        maximum ? llvm::Intrinsic::maximum : llvm::Intrinsic::minimum, x, y);
  }
  Value ordered = b.Select(maximum ? b.Gt(x, y) : b.Lt(x, y), x, y);
  return b.Select(b.IsNaN(x), x, ordered);
}

Value RoundNearestAwayFromZero(const MathBuilder& b, Value x) {
  Value whole = b.Trunc(x);
  Value fraction = b.Abs(b.Sub(x, whole));  // exact; NaN for infinities
  Value step = b.Select(b.Ge(fraction, b.F(0.5)), b.F(1), b.F(0));
  return b.CopySign(b.Add(b.Abs(whole), step), x);
}

Value Sign(const MathBuilder& b, Value x) {
  Value nonzero = b.ir().CreateFCmpONE(x, b.F(0));
  return b.Select(nonzero, b.CopySign(b.F(1), x), x);
}

Value EmitUnary(const MathBuilder& b, Opcode opcode, Value x) {
  switch (opcode) {
    case Opcode::kAbs:
      return b.Abs(x);
    case Opcode::kCeil:
      return b.Ceil(x);
    case Opcode::kCopy:
    case Opcode::kReal:
      return x;
    case Opcode::kFloor:
      return b.Floor(x);
    case Opcode::kImag:
      return b.F(0);
    case Opcode::kIsFinite:
      return b.Lt(b.Abs(x), b.Infinity());
    case Opcode::kNegate:
      return b.Neg(x);
    case Opcode::kRoundNearestAfz:
      return RoundNearestAwayFromZero(b, x);
    case Opcode::kRoundNearestEven:
      return b.RoundEven(x);
    case Opcode::kSign:
      return Sign(b, x);
    case Opcode::kSqrt:
      return b.Sqrt(x);
    default:
      return nullptr;
  }
}

Value EmitFunction(const MathBuilder& b, Opcode opcode, Value x) {
  switch (opcode) {
    case Opcode::kAcos:
      return math::Acos(b, x);
    case Opcode::kAcosh:
      return math::Acosh(b, x);
    case Opcode::kAsin:
      return math::Asin(b, x);
    case Opcode::kAsinh:
      return math::Asinh(b, x);
    case Opcode::kAtan:
      return math::Atan(b, x);
    case Opcode::kAtanh:
      return math::Atanh(b, x);
    case Opcode::kCbrt:
      return math::Cbrt(b, x);
    case Opcode::kCosh:
      return math::Cosh(b, x);
    case Opcode::kCosine:
      return math::Cosine(b, x);
    case Opcode::kErf:
      return math::Erf(b, x);
    case Opcode::kExponential:
      return math::Exp(b, x);
    case Opcode::kExponentialMinusOne:
      return math::Expm1(b, x);
    case Opcode::kLog:
      return math::Log(b, x);
    case Opcode::kLogPlusOne:
      return math::Log1p(b, x);
    case Opcode::kLogistic:
      return math::Logistic(b, x);
    case Opcode::kRsqrt:
      return math::Rsqrt(b, x);
    case Opcode::kSine:
      return math::Sine(b, x);
    case Opcode::kSinh:
      return math::Sinh(b, x);
    case Opcode::kTan:
      return math::Tan(b, x);
    case Opcode::kTanh:
      return math::Tanh(b, x);
    default:
      return nullptr;
  }
}

Value EmitBinary(const MathBuilder& b, Opcode opcode, Value x, Value y) {
  switch (opcode) {
    case Opcode::kAdd:
      return b.Add(x, y);
    case Opcode::kAtan2:
      return math::Atan2(b, x, y);
    case Opcode::kDivide:
      return b.Div(x, y);
    case Opcode::kMaximum:
      return Extremum(b, x, y, /*maximum=*/true);
    case Opcode::kMinimum:
      return Extremum(b, x, y, /*maximum=*/false);
    case Opcode::kMultiply:
      return b.Mul(x, y);
    case Opcode::kPower:
      return math::Power(b, x, y);
    case Opcode::kRemainder:
      return math::Remainder(b, x, y);
    case Opcode::kSubtract:
      return b.Sub(x, y);
    default:
      return nullptr;
  }
}

}  // namespace

Value EmitFloatOp(const EmitContext& context, Opcode opcode, absl::Span<Value const> operands) {
  const MathBuilder b(context, operands[0]->getType());
  if (context.traits.fast_math) {
    if (Value value = math::Approximation(b, opcode, operands)) return value;
  }
  if (opcode == Opcode::kClamp) {
    Value raised = Extremum(b, operands[1], operands[0], /*maximum=*/true);
    return Extremum(b, raised, operands[2], /*maximum=*/false);
  }
  if (operands.size() == 2) return EmitBinary(b, opcode, operands[0], operands[1]);
  if (operands.size() != 1) return nullptr;
  if (Value value = EmitUnary(b, opcode, operands[0])) return value;
  return EmitFunction(b, opcode, operands[0]);
}

llvm::Value* EmitDecay(const EmitContext& context, llvm::Value* x) {
  const MathBuilder b(context, x->getType());
  if (context.traits.fast_math) {
    if (Value value = math::Approximation(b, Opcode::kExponential, {x})) return value;
  }
  return math::ExpNonPositive(b, x);
}

}  // namespace astitch::codegen
