// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Exponentials. e^x = e^r * 4^n with n = round(x / ln 4), |r| <= ln 2.
//
// Splitting by ln 4 instead of ln 2 costs two more terms of the polynomial and makes the scale the
// square of one power of two: multiplying by it twice reaches infinity and the subnormals with one
// rounding and without a blend. Adding 1.5 * 2^mantissa rounds to an integer and leaves it in the
// low bits, from where a shift moves it into the exponent.
//
// Far below the subnormals arguments are clamped where the scale becomes an exact zero, not where
// the result first rounds to zero: products that underflow are slow on some processors,
// and masked logits are that small by the million.
#include <cmath>

#include "codegen/common/math/exp_log.h"
#include "codegen/common/math/math.h"

namespace astitch::codegen::math {
namespace {

// round(x * factor) as a float, and its integer in the low bits of MAGIC_SUM.
struct Rounded {
  Value value, magic_sum;
};

Rounded RoundProduct(const MathBuilder& b, Value x, double factor) {
  Value magic = b.F(std::ldexp(1.5, b.mantissa_bits()));
  Value sum = b.MulAdd(x, b.F(factor), magic);
  return {b.Sub(sum, magic), sum};
}

// 2^(n + exponent), n from the low bits of a magic sum; 0 for the exponent below the normal ones.
Value ScaleFromMagic(const MathBuilder& b, Value magic_sum, int exponent) {
  const int64_t one = int64_t{b.Pick(127, 1023) + exponent} << b.mantissa_bits();
  Value shifted = b.ir().CreateShl(b.Bits(magic_sum), b.I(b.mantissa_bits()));
  return b.FromBits(b.ir().CreateAdd(shifted, b.I(one)));
}

// e^r for |r| <= ln 2.
Value ExpReduced(const MathBuilder& b, Value r) {
  Value p = b.Polynomial(r, ASTITCH_COEFFICIENTS(b, kExp));
  return b.MulAdd(b.MulAdd(p, r, b.F(1)), r, b.F(1));
}

// e^x * 2^(lift + back) where x has one sign. Here n = round(x / ln 2): its range of one sign fits
// the exponents once a constant is added, which the last product takes back.
Value ExpOneSided(const MathBuilder& b, Value x, int lift, int back) {
  const absl::Span<const double> ln2 = ASTITCH_COEFFICIENTS(b, kLn2);
  const Rounded n = RoundProduct(b, x, ASTITCH_COEFFICIENTS(b, kLog2e)[0]);
  Value r = b.MulAdd(n.value, b.F(-ln2[0]), x);
  r = b.MulAdd(n.value, b.F(-ln2[1]), r);
  Value p = b.Polynomial(r, ASTITCH_COEFFICIENTS(b, kExpm1));
  p = b.MulAdd(b.MulAdd(p, r, b.F(1)), r, b.F(1));
  Value lifted = b.Mul(p, ScaleFromMagic(b, n.magic_sum, lift));
  return b.Mul(lifted, b.F(std::ldexp(1.0, back)));
}

}  // namespace

Value ExpOfSum(const MathBuilder& b, Value x, Value lo) {
  // Past these the result is infinity, or the scale is zero: n = -127 and -1023.
  Value high = b.F(b.Pick(90.0, 711.0)), low = b.F(b.Pick(-176.0, -1418.0));
  Value clamped = b.AtLeast(b.AtMost(x, high), low);
  const absl::Span<const double> ln2 = ASTITCH_COEFFICIENTS(b, kLn2);
  const Rounded n = RoundProduct(b, clamped, ASTITCH_COEFFICIENTS(b, kLog2e)[0] / 2);
  Value r = b.MulAdd(n.value, b.F(-2 * ln2[0]), clamped);
  r = b.MulAdd(n.value, b.F(-2 * ln2[1]), r);
  if (lo != nullptr) r = b.Add(r, lo);
  Value scale = ScaleFromMagic(b, n.magic_sum, 0);
  return b.Mul(b.Mul(ExpReduced(b, r), scale), scale);
}

Value ExpNonPositive(const MathBuilder& b, Value x) {
  const int lift = b.Pick(64, 512);
  // n + lift = -127 and -1023 there: the scale is zero.
  return ExpOneSided(b, b.AtLeast(x, b.F(b.Pick(-132.25, -1064.0))), lift, -lift);
}

Value HalfExpNonNegative(const MathBuilder& b, Value x) {
  const int lift = b.Pick(64, 512);
  return ExpOneSided(b, b.AtMost(x, b.F(b.Pick(90.0, 711.0))), -lift, lift - 1);
}

Value Exp(const MathBuilder& b, Value x) { return ExpOfSum(b, x, nullptr); }

Value Exp2(const MathBuilder& b, Value x) {
  Value high = b.F(b.Pick(129.0, 1025.0)), low = b.F(b.Pick(-254.0, -2046.0));
  Value clamped = b.AtLeast(b.AtMost(x, high), low);
  const Rounded n = RoundProduct(b, clamped, 0.5);
  const absl::Span<const double> ln2 = ASTITCH_COEFFICIENTS(b, kLn2);
  Value fraction = b.MulAdd(n.value, b.F(-2), clamped);  // exact
  Value r = b.MulAdd(fraction, b.F(ln2[0]), b.Mul(fraction, b.F(ln2[1])));
  Value scale = ScaleFromMagic(b, n.magic_sum, 0);
  return b.Mul(b.Mul(ExpReduced(b, r), scale), scale);
}

// e^x - 1 = 2^n (e^r - 1) + (2^n - 1), |r| <= ln 2 / 2. Everything is computed at half its size, so
// that 2^n does not overflow before the result does.
Value Expm1(const MathBuilder& b, Value x) {
  Value clamped = b.AtLeast(b.AtMost(x, b.F(b.Pick(89.0, 710.0))), b.F(b.Pick(-25.0, -50.0)));
  const absl::Span<const double> ln2 = ASTITCH_COEFFICIENTS(b, kLn2);
  const Rounded n = RoundProduct(b, clamped, ASTITCH_COEFFICIENTS(b, kLog2e)[0]);
  Value r = b.MulAdd(n.value, b.F(-ln2[0]), clamped);
  r = b.MulAdd(n.value, b.F(-ln2[1]), r);
  Value tail = b.Mul(b.Polynomial(r, ASTITCH_COEFFICIENTS(b, kExpm1)), b.Mul(r, r));
  Value half_scale = ScaleFromMagic(b, n.magic_sum, -1);
  Value head = b.MulAdd(half_scale, r, b.Sub(half_scale, b.F(0.5)));
  Value half = b.MulAdd(half_scale, tail, head);
  // Below, e^x - 1 rounds to x; this keeps -0 and the subnormals, too.
  Value tiny = b.F(std::ldexp(1.0, -b.mantissa_bits() - 2));
  return b.Select(b.Lt(b.Abs(x), tiny), x, b.Add(half, half));
}

// With e = e^-|x| nothing overflows, and for negative x the small result e / (1 + e) keeps its
// precision down to the subnormals.
Value Logistic(const MathBuilder& b, Value x) {
  Value e = ExpNonPositive(b, b.Neg(b.Abs(x)));
  Value numerator = b.Select(b.Lt(x, b.F(0)), e, b.F(1));
  // The rounding error of 1 + e, at most 2^-24 of it, is taken back to first order.
  const Double divisor = b.FastTwoSum(b.F(1), e);
  Value quotient = b.Div(numerator, divisor.hi);
  return b.Sub(quotient, b.Mul(quotient, divisor.lo));
}

}  // namespace astitch::codegen::math
