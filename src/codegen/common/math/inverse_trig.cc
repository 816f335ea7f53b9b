// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Inverse trigonometric functions.
//
// The arc tangent of a quotient u/v takes one division whatever the quotient: it is that of u/v, of
// (u - v) / (u + v) plus pi/4, or of -v/u plus pi/2, whichever is within tan(pi/8). Arc sine takes
// a polynomial up to 1/2 and asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2)) above.
#include <cmath>

#include "codegen/common/math/exp_log.h"
#include "codegen/common/math/math.h"

namespace astitch::codegen::math {
namespace {

// arctan(u / v) in [0, pi/2], in two words. REQUIRES: u, v >= 0 (or NaN), u + v finite and not 0.
Double AtanOfQuotient(const MathBuilder& b, Value u, Value v) {
  const absl::Span<const double> pi_over_2 = ASTITCH_COEFFICIENTS(b, kPiOver2);
  constexpr double kTanPiOver8 = 0.41421356237309503;
  Value low = b.Lt(u, b.Mul(v, b.F(kTanPiOver8)));
  Value middle = b.Lt(b.Mul(u, b.F(kTanPiOver8)), v);  // once it is not low
  Value top = b.Select(low, u, b.Select(middle, b.Sub(u, v), b.Neg(v)));
  Value bottom = b.Select(low, v, b.Select(middle, b.Add(u, v), u));
  auto by_range = [&](double word) {
    return b.Select(low, b.F(0), b.Select(middle, b.F(word / 2), b.F(word)));
  };
  Value t = b.Div(top, bottom);
  Value z = b.Mul(t, t);
  Value tail = b.Mul(b.Mul(t, z), b.Polynomial(z, ASTITCH_COEFFICIENTS(b, kAtan)));
  // offset + t + tail + rest of the offset; the offset is 0 or larger than t.
  const Double sum = b.FastTwoSum(by_range(pi_over_2[0]), t);
  return {sum.hi, b.Add(sum.lo, b.Add(tail, by_range(pi_over_2[1])))};
}

// x^2 P(x^2) with asin(x) = x + x * this, for 0 <= x <= 1/2, from z = x^2.
Value AsinTail(const MathBuilder& b, Value z) {
  return b.Mul(z, b.Polynomial(z, ASTITCH_COEFFICIENTS(b, kAsin)));
}

// Where |x| > 1/2 the tail is that of sqrt((1 - |x|) / 2).
struct AsinParts {
  Value small;  // |x| < 1/2
  Value root;   // |x|, or the square root
  Value tail;   // what the arc sine of root is more than root
};

AsinParts AsinOfRoot(const MathBuilder& b, Value magnitude) {
  Value small = b.Lt(magnitude, b.F(0.5));
  Value half_rest = b.MulAdd(magnitude, b.F(-0.5), b.F(0.5));  // exact for |x| > 1/2
  Value z = b.Select(small, b.Mul(magnitude, magnitude), half_rest);
  Value root = b.Select(small, magnitude, b.Sqrt(half_rest));
  return {small, root, b.Mul(root, AsinTail(b, z))};
}

}  // namespace

Value Asin(const MathBuilder& b, Value x) {
  const absl::Span<const double> pi_over_2 = ASTITCH_COEFFICIENTS(b, kPiOver2);
  const AsinParts parts = AsinOfRoot(b, b.Abs(x));
  Value small = b.Add(parts.root, parts.tail);
  // pi/2 - 2 root - 2 tail, the first difference in two words.
  const Double head = b.FastTwoSum(b.F(pi_over_2[0]), b.Mul(parts.root, b.F(-2)));
  Value rest = b.MulAdd(parts.tail, b.F(-2), b.F(pi_over_2[1]));
  Value large = b.Add(head.hi, b.Add(head.lo, rest));
  return b.CopySign(b.Select(parts.small, small, large), x);
}

Value Acos(const MathBuilder& b, Value x) {
  const absl::Span<const double> pi_over_2 = ASTITCH_COEFFICIENTS(b, kPiOver2);
  const AsinParts parts = AsinOfRoot(b, b.Abs(x));
  Value value = b.Add(parts.root, parts.tail);
  Value signed_value = b.CopySign(value, x);
  Value middle = b.Sub(b.F(pi_over_2[0]), b.Sub(signed_value, b.F(pi_over_2[1])));
  Value twice = b.Add(value, value);
  Value left = b.Sub(b.F(2 * pi_over_2[0]), b.Sub(twice, b.F(2 * pi_over_2[1])));
  return b.Select(parts.small, middle, b.Select(b.Lt(x, b.F(0)), left, twice));
}

Value Atan(const MathBuilder& b, Value x) {
  // An infinity would meet itself in the middle range; pi/2 is reached long before.
  Value magnitude = b.AtMost(b.Abs(x), b.F(std::ldexp(1.0, b.mantissa_bits() + 10)));
  const Double angle = AtanOfQuotient(b, magnitude, b.F(1));
  return b.CopySign(b.Add(angle.hi, angle.lo), x);
}

Value Atan2(const MathBuilder& b, Value y, Value x) {
  const absl::Span<const double> pi_over_2 = ASTITCH_COEFFICIENTS(b, kPiOver2);
  Value u = b.Abs(y), v = b.Abs(x);
  Value zero = b.F(0), one = b.F(1);
  // Two zeros and two infinities stand for the angles 0 and pi/4.
  v = b.Select(b.And(b.Eq(u, zero), b.Eq(v, zero)), one, v);
  Value both_infinite = b.And(b.Eq(u, b.Infinity()), b.Eq(v, b.Infinity()));
  u = b.Select(both_infinite, one, u);
  v = b.Select(both_infinite, one, v);
  // The sum must not overflow, nor the products that choose the range vanish; powers of two are
  // exact.
  Value huge = b.F(std::ldexp(1.0, b.Pick(125, 1021)));
  Value tiny = b.F(std::ldexp(1.0, b.Pick(-100, -960)));
  Value is_huge = b.Or(b.Gt(u, huge), b.Gt(v, huge));
  Value is_tiny = b.And(b.Lt(u, tiny), b.Lt(v, tiny));
  Value scale = b.Select(is_huge, b.F(0.25), one);
  scale = b.Select(is_tiny, b.F(std::ldexp(1.0, b.mantissa_bits() + 10)), scale);
  Double angle = AtanOfQuotient(b, b.Mul(u, scale), b.Mul(v, scale));
  // Left of the y axis: pi - angle.
  Value folded = b.Sub(b.F(2 * pi_over_2[0]), angle.hi);
  Value folded_lo = b.Sub(b.F(2 * pi_over_2[1]), angle.lo);
  Value left = b.SignBit(x);
  Value result = b.Select(left, b.Add(folded, folded_lo), b.Add(angle.hi, angle.lo));
  return b.CopySign(b.Select(b.ir().CreateFCmpUNO(x, y), b.NaN(), result), y);
}

}  // namespace astitch::codegen::math
