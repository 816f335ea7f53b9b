// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// C's fmod, exactly: long division, some 20 (f32) or 50 (f64) bits of the quotient a step.
//
// A step takes q * d off the remainder r, d being |y| times a power of two with r / d small enough
// for a whole float. r - q d is a multiple of d's last place and below d, so a fused multiply-add
// gives it exactly; q, from a rounded division, is at most one too large, which one addition of d
// repairs. One step does nearly always, 14 (f32) or 42 (f64) at the worst.
#include <cmath>

#include "codegen/common/math/math.h"

namespace astitch::codegen::math {
namespace {

// floor(log2(x)) for normal x > 0, as an integer of the float's width.
Value Exponent(const MathBuilder& b, Value x) {
  return b.ir().CreateSub(b.ir().CreateLShr(b.Bits(x), b.I(b.mantissa_bits())),
                          b.I(b.Pick(127, 1023)));
}

// r - quotient * divisor. Without the fused instruction the product is formed first, and with a
// quotient one too large it might overflow: so huge numbers, divisors of huge ones among them, are
// scaled down.
Value SubtractProduct(const MathBuilder& b, Value r, Value quotient, Value divisor) {
  if (b.context().traits.has_fma || !b.is_f64()) return b.Fma(b.Neg(quotient), divisor, r);
  Value huge = b.Gt(r, b.F(0x1p1000));
  Value scale = b.Select(huge, b.F(0x1p-64), b.F(1));
  Value rest = b.Fma(b.Neg(quotient), b.Mul(divisor, scale), b.Mul(r, scale));
  return b.Mul(rest, b.Select(huge, b.F(0x1p64), b.F(1)));
}

// A step of the division where ACTIVE; the remainder stays elsewhere.
Value Step(const MathBuilder& b, Value r, Value y, Value y_exponent, Value active) {
  llvm::IRBuilderBase& ir = b.ir();
  // Bits of the quotient of one step: one is lost to the quotient reaching 2^(k+1), one kept free.
  const int k = b.mantissa_bits() - 3;
  Value excess = ir.CreateSub(ir.CreateSub(Exponent(b, r), y_exponent), b.I(k));
  excess = b.Select(ir.CreateICmpSGT(excess, b.I(0)), excess, b.I(0));
  // 2^excess may be no float; its two halves are.
  Value half = ir.CreateLShr(excess, b.I(1));
  Value divisor = b.Mul(b.Mul(y, b.PowerOfTwo(half)), b.PowerOfTwo(ir.CreateSub(excess, half)));
  Value quotient = b.Trunc(b.Div(r, divisor));
  Value rest = SubtractProduct(b, r, quotient, divisor);
  rest = b.Select(b.Lt(rest, b.F(0)), b.Add(rest, divisor), rest);
  return b.Select(active, rest, r);
}

// r mod y for y > 0, r >= 0, both normal or 0 after scaling.
Value Divide(const MathBuilder& b, Value r, Value y) {
  llvm::IRBuilderBase& ir = b.ir();
  Value y_exponent = Exponent(b, y);
  llvm::BasicBlock* entry = ir.GetInsertBlock();
  auto* head = llvm::BasicBlock::Create(ir.getContext(), "fmod", entry->getParent());
  auto* body = llvm::BasicBlock::Create(ir.getContext(), "fmod.step", entry->getParent());
  auto* done = llvm::BasicBlock::Create(ir.getContext(), "fmod.done", entry->getParent());
  ir.CreateBr(head);
  ir.SetInsertPoint(head);
  llvm::PHINode* rest = ir.CreatePHI(r->getType(), 2);
  rest->addIncoming(r, entry);
  Value active = b.Ge(rest, y);
  ir.CreateCondBr(b.Any(active), body, done);
  ir.SetInsertPoint(body);
  Value next = Step(b, rest, y, y_exponent, active);
  rest->addIncoming(next, ir.GetInsertBlock());
  ir.CreateBr(head);
  ir.SetInsertPoint(done);
  return rest;
}

}  // namespace

Value Remainder(const MathBuilder& b, Value x, Value y) {
  Value r = b.Abs(x), d = b.Abs(y);
  Value infinity = b.Infinity(), one = b.F(1);
  // A number over zero or NaN, or infinity, has no remainder; 0 mod 1 stands in for the loop.
  Value defined = b.And(b.Lt(r, infinity), b.Gt(d, b.F(0)));
  r = b.Select(defined, r, b.F(0));
  d = b.Select(defined, d, one);
  // A subnormal divisor is scaled up, and with it what of r is within reach; a larger r is first
  // reduced by the largest multiple of the divisor that is normal, which is a multiple all the
  // same.
  Value min_normal = b.F(std::ldexp(1.0, b.Pick(-126, -1022)));
  const double lift = std::ldexp(1.0, b.mantissa_bits() + 1);
  Value subnormal = b.Lt(d, min_normal);
  Value lifted = b.Mul(d, b.F(lift));
  r = Divide(b, r, b.Select(subnormal, lifted, d));
  Value small = b.Select(subnormal, b.Mul(r, b.F(lift)), r);
  Value rest = Divide(b, small, b.Select(subnormal, lifted, d));
  rest = b.Select(subnormal, b.Mul(rest, b.F(1 / lift)), rest);
  return b.Select(defined, b.CopySign(rest, x), b.NaN());
}

}  // namespace astitch::codegen::math
