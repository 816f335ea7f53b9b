// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Hyperbolic functions and their inverses.
//
// tanh, the hot one: in f32 a polynomial up to 0.55 and 1 - 2 / (e^2x + 1) above; in f64
// (e^2x - 1) / (e^2x + 1).
// sinh and cosh are (E -/+ 1/4E) with E = e^|x| / 2, which overflows only where they do; sinh takes
// a polynomial up to 1, where that difference would cancel. The inverses are log1p of an argument
// kept in two words.
#include <cmath>

#include "codegen/common/math/exp_log.h"
#include "codegen/common/math/math.h"

namespace astitch::codegen::math {
namespace {

// e^2x + 1 for 0.5 < x < 10 in f32. The result is divided into 2 and taken from 1, which halves its
// error; and no exponent is extreme. So this is shorter than Exp: one word of ln 2, one product.
Value ExpOfTwicePlusOne(const MathBuilder& b, Value x) {
  Value twice = b.Add(x, x);
  Value magic = b.F(0x1.8p23);
  Value sum = b.MulAdd(twice, b.F(coefficients::kLog2eF32[0]), magic);
  Value n = b.Sub(sum, magic);
  Value r = b.MulAdd(n, b.F(-coefficients::kLn2F32[0] - coefficients::kLn2F32[1]), twice);
  Value p = b.Polynomial(r, coefficients::kExpm1F32);
  p = b.MulAdd(b.MulAdd(p, r, b.F(1)), r, b.F(1));
  Value bits = b.ir().CreateShl(b.Bits(sum), b.I(23));
  Value scale = b.FromBits(b.ir().CreateAdd(bits, b.I(0x3f800000)));
  return b.MulAdd(p, scale, b.F(1));
}

// Past this |x| (about 2 / epsilon) the inverses are log(2 |x|).
Value HugeArgument(const MathBuilder& b) { return b.F(std::ldexp(1.0, b.mantissa_bits() + 4)); }

// log1p(hi + lo), or log(2 a) for the a at or above HugeArgument.
Value LogOnePlus(const MathBuilder& b, Double w, Value a) {
  Value huge = b.Ge(a, HugeArgument(b));
  Double sum = b.TwoSum(b.F(1), w.hi);
  sum.hi = b.Select(huge, a, sum.hi);
  sum.lo = b.Select(huge, b.F(0), b.Add(sum.lo, w.lo));
  Value result = LogOfSum(b, sum.hi, sum.lo);
  return b.Select(
      huge, b.Add(result, b.F(ASTITCH_COEFFICIENTS(b, kLn2)[0] + ASTITCH_COEFFICIENTS(b, kLn2)[1])),
      result);
}

}  // namespace

Value Tanh(const MathBuilder& b, Value x) {
  if (b.is_f64()) {
    Value clamped = b.AtMost(b.Abs(x), b.F(22));  // tanh rounds to 1 from 19.1 on
    Value e = Expm1(b, b.Add(clamped, clamped));
    return b.CopySign(b.Div(e, b.Add(e, b.F(2))), x);
  }
  Value magnitude = b.Abs(x);
  Value small = b.OddPolynomial(magnitude, coefficients::kTanhF32);
  Value clamped = b.AtMost(magnitude, b.F(9.02));  // tanh rounds to 1 from 9.01 on
  Value sum = ExpOfTwicePlusOne(b, clamped);
  Value large = b.Sub(b.F(1), b.Div(b.F(2), sum));
  return b.CopySign(b.Select(b.Lt(magnitude, b.F(0.55)), small, large), x);
}

Value Sinh(const MathBuilder& b, Value x) {
  Value magnitude = b.Abs(x);
  Value half_exp = HalfExpNonNegative(b, magnitude);
  Value large = b.Sub(half_exp, b.Div(b.F(0.25), half_exp));
  Value small = b.OddPolynomial(x, ASTITCH_COEFFICIENTS(b, kSinh));
  return b.Select(b.Lt(magnitude, b.F(1)), small, b.CopySign(large, x));
}

Value Cosh(const MathBuilder& b, Value x) {
  Value half_exp = HalfExpNonNegative(b, b.Abs(x));
  return b.Add(half_exp, b.Div(b.F(0.25), half_exp));
}

// log1p(a + a^2 / (1 + sqrt(a^2 + 1))), a = |x|.
Value Asinh(const MathBuilder& b, Value x) {
  Value a = b.Abs(x);
  Value square = b.Mul(a, a);
  Value root = b.Sqrt(b.MulAdd(a, a, b.F(1)));
  Value rest = b.Div(square, b.Add(root, b.F(1)));
  Value result = LogOnePlus(b, b.TwoSum(a, rest), a);
  return b.Select(b.Eq(x, b.F(0)), x, b.CopySign(result, x));
}

// log1p(t + sqrt(t (t + 2))), t = x - 1.
Value Acosh(const MathBuilder& b, Value x) {
  Value t = b.Sub(x, b.F(1));
  Value root = b.Sqrt(b.MulAdd(t, t, b.Add(t, t)));
  Value result = LogOnePlus(b, b.TwoSum(t, root), x);
  return b.Select(b.Lt(x, b.F(1)), b.NaN(), result);
}

// log1p(2 a / (1 - a)) / 2, a = |x|, the quotient in two words.
Value Atanh(const MathBuilder& b, Value x) {
  Value a = b.Abs(x);
  Value twice = b.Add(a, a);
  const Double divisor = b.FastTwoSum(b.F(1), b.Neg(a));
  Value inverse = b.Div(b.F(1), divisor.hi);
  Value quotient = b.Mul(twice, inverse);
  Value rest = b.Fma(b.Neg(quotient), divisor.hi, twice);
  rest = b.MulAdd(b.Neg(quotient), divisor.lo, rest);
  Double sum = b.TwoSum(b.F(1), quotient);
  sum.lo = b.MulAdd(rest, inverse, sum.lo);
  Value result = b.Mul(LogOfSum(b, sum.hi, sum.lo), b.F(0.5));
  // At 1 the quotient is infinite; below 2^-(mantissa / 2) the result rounds to x.
  result = b.Select(b.Eq(a, b.F(1)), b.Infinity(), result);
  Value tiny = b.Lt(a, b.F(std::ldexp(1.0, -b.mantissa_bits() / 2 - 2)));
  return b.Select(tiny, x, b.CopySign(result, x));
}

}  // namespace astitch::codegen::math
