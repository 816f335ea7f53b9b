// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Powers and roots. x^y = e^(y log|x|), the logarithm and its product with y in two words: an error
// in the exponent is an error of the result, and y log|x| reaches 700.
#include <cmath>

#include "codegen/common/math/exp_log.h"
#include "codegen/common/math/math.h"

namespace astitch::codegen::math {
namespace {

// x^y for finite x > 0.
Value PositivePower(const MathBuilder& b, Value x, Value y) {
  const Double log = LogExtended(b, x);
  Double t = b.TwoProduct(y, log.hi);
  t.lo = b.MulAdd(y, log.lo, t.lo);
  // Where the result overflows or vanishes, the low word may be anything.
  Value in_range = b.Lt(b.Abs(t.hi), b.F(b.Pick(128.0, 1024.0)));
  return ExpOfSum(b, t.hi, b.Select(in_range, t.lo, b.F(0)));
}

}  // namespace

Value Power(const MathBuilder& b, Value x, Value y) {
  Value zero = b.F(0), one = b.F(1);
  Value magnitude = b.Abs(x);
  Value result = PositivePower(b, magnitude, y);
  // 0 and infinity: to a power of one sign zero, to one of the other infinity.
  Value is_zero = b.Eq(magnitude, zero);
  Value is_edge = b.Or(is_zero, b.Eq(magnitude, b.Infinity()));
  Value grows = b.Not(b.ir().CreateXor(is_zero, b.Lt(y, zero)));
  result = b.Select(is_edge, b.Select(grows, b.Infinity(), zero), result);
  // A negative base: the sign follows an odd exponent; no value for a fraction.
  Value half = b.Mul(y, b.F(0.5));
  Value whole = b.Eq(b.Trunc(y), y);
  Value odd = b.And(whole, b.Ne(b.Trunc(half), half));
  Value negated = b.CopySign(result, x);
  result = b.Select(odd, negated, result);
  Value no_value = b.And(b.And(b.Lt(x, zero), b.Not(is_edge)), b.Not(whole));
  result = b.Select(b.Or(no_value, b.ir().CreateFCmpUNO(x, y)), b.NaN(), result);
  Value is_one = b.Or(b.Eq(y, zero), b.Eq(x, one));
  Value infinite_exponent = b.Eq(b.Abs(y), b.Infinity());
  is_one = b.Or(is_one, b.And(b.Eq(magnitude, one), infinite_exponent));
  return b.Select(is_one, one, result);
}

Value Rsqrt(const MathBuilder& b, Value x) { return b.Div(b.F(1), b.Sqrt(x)); }

// r = |x|^(-1/3) by Newton's iteration, which needs no division, from a guess that divides the
// exponent by three: r += r (1 - x r^3) / 3. Then |x|^(1/3) = x r^2 and one correction.
Value Cbrt(const MathBuilder& b, Value x) {
  const int mantissa = b.mantissa_bits();
  Value magnitude = b.Abs(x);
  Value subnormal = b.Lt(magnitude, b.F(std::ldexp(1.0, b.Pick(-126, -1022))));
  const int shift = b.Pick(24, 54);  // a multiple of three
  Value a = b.Select(subnormal, b.Mul(magnitude, b.F(std::ldexp(1.0, shift))), magnitude);
  // Bits as a number are nearly a logarithm: those of a^(-1/3) are 4/3 bits(1) - bits(a) / 3, less
  // what levels the error to 3.5 percent. The upper bits suffice, so the division is a product.
  const double one = std::ldexp(b.Pick(127.0, 1023.0), mantissa);
  const double guess_offset = one * 4 / 3 - std::ldexp(0.0332, mantissa);
  const int dropped = b.Pick(16, 44), scale = b.Pick(15, 21);
  Value upper = b.ir().CreateLShr(b.Bits(a), b.I(dropped));
  Value third = b.ir().CreateMul(upper, b.I(b.Pick(10923, 699051)));  // 2^scale / 3
  third = b.ir().CreateShl(third, b.I(dropped - scale));
  Value r = b.FromBits(b.ir().CreateSub(b.I(static_cast<int64_t>(guess_offset)), third));
  Value inverse_three = b.F(1.0 / 3);
  for (int i = 0; i < b.Pick(3, 4); ++i) {
    Value error = b.MulAdd(b.Neg(a), b.Mul(b.Mul(r, r), r), b.F(1));
    r = b.MulAdd(b.Mul(r, inverse_three), error, r);
  }
  Value square = b.Mul(r, r);
  Value root = b.Mul(a, square);
  // root += (a - root^3) r^2 / 3, the difference exact enough through a two-word square.
  const Double root_square = b.TwoProduct(root, root);
  Value difference = b.Fma(b.Neg(root_square.hi), root, a);
  difference = b.MulAdd(b.Neg(root_square.lo), root, difference);
  root = b.MulAdd(difference, b.Mul(square, inverse_three), root);
  root = b.Select(subnormal, b.Mul(root, b.F(std::ldexp(1.0, -shift / 3))), root);
  Value special = b.Or(b.Eq(x, b.F(0)), b.Not(b.Lt(magnitude, b.Infinity())));
  return b.Select(special, x, b.CopySign(root, x));
}

}  // namespace astitch::codegen::math
