// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The error function: a polynomial for small |x|, 1 - erfc(|x|) above, where the subtracted part is
// at most 0.16, so that its own error hardly shows.
//
// f32 takes erfc as the eighth power of a polynomial: the eighth root of something like e^(-x^2) is
// so smooth that degree 6 does, where erfc itself needs 13; no division, no exponential. f64 takes
// e^(-x^2) g(x).
#include "codegen/common/math/exp_log.h"
#include "codegen/common/math/math.h"

namespace astitch::codegen::math {
namespace {

// erfc for x >= 1.2; past 3.925 erf rounds to 1.
Value ErfcF32(const MathBuilder& b, Value x) {
  Value root = b.Polynomial(b.AtMost(x, b.F(3.925)), coefficients::kErfcRootF32);
  Value square = b.Mul(root, root);
  Value fourth = b.Mul(square, square);
  return b.Mul(fourth, fourth);
}

// erfc for x >= 1.
Value ErfcF64(const MathBuilder& b, Value x) {
  Value clamped = b.AtMost(x, b.F(6));
  Value t = b.Div(b.Sub(clamped, b.F(2.5)), b.Add(clamped, b.F(2.5)));
  Value scaled = b.Polynomial(t, coefficients::kErfcScaledF64);
  return b.Mul(ExpNonPositive(b, b.Neg(b.Mul(clamped, clamped))), scaled);
}

}  // namespace

Value Erf(const MathBuilder& b, Value x) {
  Value magnitude = b.Abs(x);
  Value small = b.MulAdd(x, b.Polynomial(b.Mul(x, x), ASTITCH_COEFFICIENTS(b, kErfSmall)), x);
  Value erfc = b.is_f64() ? ErfcF64(b, magnitude) : ErfcF32(b, magnitude);
  Value large = b.CopySign(b.Sub(b.F(1), erfc), x);
  return b.Select(b.Lt(magnitude, b.F(b.Pick(1.2, 1.0))), small, large);
}

}  // namespace astitch::codegen::math
