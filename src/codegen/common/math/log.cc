// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Logarithms. x = 2^e * m with m in [sqrt(1/2), sqrt(2)), so that e = 0 around 1, where the result
// is small and m - 1 carries all of it exactly.
//
// f32 takes a polynomial in f = m - 1; f64 takes the faster converging one in s = f / (2 + f) at
// the price of a division. The logarithm of a sum 1 + x is that of the rounded sum with the
// rounding error added to f: no division for the correction.
#include <cmath>

#include "codegen/common/math/exp_log.h"
#include "codegen/common/math/math.h"

namespace astitch::codegen::math {
namespace {

// log(1 + f) as f + the value returned, for 1 + f in [sqrt(1/2), sqrt(2)).
Value LogTail(const MathBuilder& b, Value f) {
  if (!b.is_f64()) {
    Value p = b.Polynomial(f, coefficients::kLogTailF32);
    return b.Mul(b.MulAdd(p, f, b.F(-0.5)), b.Mul(f, f));
  }
  Value s = b.Div(f, b.Add(f, b.F(2)));
  Value z = b.Mul(s, s);
  Value r = b.Mul(z, b.Polynomial(z, coefficients::kLogSeriesF64));
  Value half_square = b.Mul(b.Mul(f, f), b.F(0.5));
  return b.Sub(b.Mul(s, b.Add(half_square, r)), half_square);
}

// C's values where x is not positive and finite.
Value FixSpecials(const MathBuilder& b, Value x, Value result) {
  Value finite = b.Select(b.Lt(x, b.Infinity()), result, x);
  Value at_most_zero = b.Select(b.Eq(x, b.F(0)), b.Neg(b.Infinity()), b.NaN());
  return b.Select(b.Gt(x, b.F(0)), finite, at_most_zero);
}

}  // namespace

Decomposed Decompose(const MathBuilder& b, Value x) {
  const int mantissa = b.mantissa_bits(), bias = b.Pick(127, 1023);
  Value subnormal = b.Lt(x, b.F(std::ldexp(1.0, 1 - bias)));
  Value scaled = b.Select(subnormal, b.Mul(x, b.F(std::ldexp(1.0, mantissa))), x);
  // Adding the distance from sqrt(1/2) to 1 carries into the exponent exactly from sqrt(2) on.
  const int64_t one = int64_t{bias} << mantissa;
  const int64_t sqrt_half = b.Pick(int64_t{0x3f3504f3}, int64_t{0x3fe6a09e667f3bcd});
  Value bits = b.ir().CreateAdd(b.Bits(scaled), b.I(one - sqrt_half));
  Value field = b.ir().CreateLShr(bits, b.I(mantissa));
  // The field in the low bits of 2^mantissa reads as that power plus the field.
  const double base = std::ldexp(1.0, mantissa);
  Value as_float = b.FromBits(b.ir().CreateOr(field, b.I(int64_t{bias + mantissa} << mantissa)));
  Value offset = b.Select(subnormal, b.F(base + bias + mantissa), b.F(base + bias));
  Value low_bits = b.ir().CreateAnd(bits, b.I((int64_t{1} << mantissa) - 1));
  Value m = b.FromBits(b.ir().CreateAdd(low_bits, b.I(sqrt_half)));
  // 2^-128 is no normal number; zero stands for it.
  Value inverse = b.ir().CreateSub(b.I(2 * bias), field);
  inverse = b.Select(b.ir().CreateICmpSLT(inverse, b.I(0)), b.I(0), inverse);
  Value unscale = b.ir().CreateShl(inverse, b.I(mantissa));
  return {b.Sub(as_float, offset), b.Sub(m, b.F(1)), b.FromBits(unscale)};
}

Value LogOfSum(const MathBuilder& b, Value hi, Value lo) {
  const Decomposed d = Decompose(b, hi);
  const absl::Span<const double> ln2 = ASTITCH_COEFFICIENTS(b, kLn2);
  if (lo == nullptr) {
    Value tail = b.MulAdd(d.exponent, b.F(ln2[1]), LogTail(b, d.fraction));
    Value result = b.MulAdd(d.exponent, b.F(ln2[0]), b.Add(d.fraction, tail));
    return FixSpecials(b, hi, result);
  }
  // Here the leading terms add up in two words: what calls this has used up its error already.
  Value low = b.Mul(lo, d.unscale);
  Value tail = LogTail(b, b.Add(d.fraction, low));
  tail = b.Add(low, b.MulAdd(d.exponent, b.F(ln2[1]), tail));
  const Double head = b.FastTwoSum(b.Mul(d.exponent, b.F(ln2[0])), d.fraction);
  return FixSpecials(b, hi, b.Add(head.hi, b.Add(head.lo, tail)));
}

Value Log(const MathBuilder& b, Value x) { return LogOfSum(b, x, nullptr); }

Value Log1p(const MathBuilder& b, Value x) {
  const Double sum = b.TwoSum(b.F(1), x);
  Value result = LogOfSum(b, sum.hi, sum.lo);
  return b.Select(b.Eq(x, b.F(0)), x, result);
}

Value Log2(const MathBuilder& b, Value x) {
  const Decomposed d = Decompose(b, x);
  const absl::Span<const double> log2e = ASTITCH_COEFFICIENTS(b, kLog2e);
  Value tail = LogTail(b, d.fraction);
  // (f + tail) * log2(e), f and the constant in full.
  const Double head = b.TwoProduct(d.fraction, b.F(log2e[0]));
  Value small = b.MulAdd(tail, b.F(log2e[0]), b.MulAdd(d.fraction, b.F(log2e[1]), head.lo));
  return FixSpecials(b, x, b.Add(d.exponent, b.Add(head.hi, small)));
}

// 2 atanh(s) with every term that matters beyond the working precision in two words.
Double LogExtended(const MathBuilder& b, Value x) {
  const Decomposed d = Decompose(b, x);
  const absl::Span<const double> ln2 = ASTITCH_COEFFICIENTS(b, kLn2);
  const absl::Span<const double> two_thirds = ASTITCH_COEFFICIENTS(b, kTwoThirds);
  // s = f / (2 + f)
  const Double divisor = b.FastTwoSum(b.F(2), d.fraction);
  Value inverse = b.Div(b.F(1), divisor.hi);
  Value s = b.Mul(d.fraction, inverse);
  Value rest = b.Fma(b.Neg(s), divisor.hi, d.fraction);
  Value s_lo = b.Mul(b.Sub(rest, b.Mul(s, divisor.lo)), inverse);
  // z = s^2
  Double z = b.TwoProduct(s, s);
  z.lo = b.MulAdd(b.Add(s, s), s_lo, z.lo);
  // v = s z (2/3 + z T(z))
  Value tail = b.Mul(z.hi, b.Polynomial(z.hi, ASTITCH_COEFFICIENTS(b, kLogPowTail)));
  Double c = b.FastTwoSum(b.F(two_thirds[0]), tail);
  c.lo = b.Add(c.lo, b.F(two_thirds[1]));
  Double w = b.TwoProduct(z.hi, c.hi);
  w.lo = b.Add(w.lo, b.MulAdd(z.hi, c.lo, b.Mul(z.lo, c.hi)));
  Double v = b.TwoProduct(s, w.hi);
  v.lo = b.Add(v.lo, b.MulAdd(s, w.lo, b.Mul(s_lo, w.hi)));
  // e ln 2 + 2 s + v
  const Double log_m = b.FastTwoSum(b.Add(s, s), v.hi);
  Value log_m_lo = b.Add(log_m.lo, b.Add(b.Add(s_lo, s_lo), v.lo));
  const Double sum = b.FastTwoSum(b.Mul(d.exponent, b.F(ln2[0])), log_m.hi);
  Value lo = b.Add(sum.lo, b.MulAdd(d.exponent, b.F(ln2[1]), log_m_lo));
  return b.FastTwoSum(sum.hi, lo);
}

}  // namespace astitch::codegen::math
