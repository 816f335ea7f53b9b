// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Sine, cosine, tangent over all arguments. x = n pi/2 + r with |r| <= pi/4; sine and cosine of r
// by polynomial, n mod 4 picks and signs them.
//
// For usual x, n pi/2 is subtracted in three words. For large x that runs out of bits, and the
// fraction of x * 2/pi is computed in integers instead (Payne and Hanek): of the digits of 2/pi
// only those from two bits above the last place of x matter, since what stands higher gives
// multiples of four quadrants.
#include <cmath>

#include "codegen/common/math/exp_log.h"
#include "codegen/common/math/math.h"

namespace astitch::codegen::math {
namespace {

struct Reduced {
  Value r;
  Value quadrant;  // an integer; its two lowest bits count
};

// For |x| up to SmallLimit: n * (first word of pi/2) is then exact against x.
Value SmallLimit(const MathBuilder& b) { return b.F(b.Pick(4.0e4, 4.0e7)); }

Reduced ReduceSmall(const MathBuilder& b, Value x) {
  Value magic = b.F(std::ldexp(1.5, b.mantissa_bits()));
  Value sum = b.MulAdd(x, b.F(ASTITCH_COEFFICIENTS(b, kTwoOverPi)[0]), magic);
  Value n = b.Sub(sum, magic);
  Value r = x;
  for (double word : ASTITCH_COEFFICIENTS(b, kPiOver2)) r = b.Fma(n, b.F(-word), r);
  return {r, b.Bits(sum)};
}

// The integer half of the long reduction, in lanes of 64 bits that hold digits of 32.
class LongReduction {
 public:
  LongReduction(const MathBuilder& b, Value magnitude)
      : b_(b), ir_(b.ir()), wide_(magnitude->getType()->getWithNewType(b.ir().getInt64Ty())) {
    Value bits = ir_.CreateZExt(b.Bits(magnitude), wide_);
    const int mantissa = b.mantissa_bits();
    const int64_t hidden = int64_t{1} << mantissa;
    significand_ = ir_.CreateOr(ir_.CreateAnd(bits, I(hidden - 1)), I(hidden));
    // The first bit that matters, counted from the digit 0: that of weight 2^(2 - last place).
    Value field = ir_.CreateLShr(bits, I(mantissa));
    offset_ = ir_.CreateSub(field, I(b.Pick(127, 1023) + mantissa - 32 + 2));
  }

  // The fraction of |x| / 2 pi, COLUMNS digits of it.
  std::vector<Value> Fraction(int columns) const;
  Value I(int64_t c) const { return llvm::ConstantInt::getSigned(wide_, c); }

 private:
  std::vector<Value> Window(int count) const;
  Value Low(Value v) const { return ir_.CreateAnd(v, I(0xffffffff)); }
  Value High(Value v) const { return ir_.CreateLShr(v, I(32)); }

  const MathBuilder& b_;
  llvm::IRBuilderBase& ir_;
  llvm::Type* wide_;
  Value significand_, offset_;
};

// COUNT digits of 2/pi from the bit OFFSET_ on. Lanes differ in their offset, so digits are chosen
// by halving: each bit of the digit index moves all candidates or none.
std::vector<Value> LongReduction::Window(int count) const {
  Value index = ir_.CreateLShr(offset_, I(5));
  std::vector<Value> digits;
  for (unsigned digit : coefficients::kTwoOverPiDigits) digits.push_back(I(digit));
  const int index_bits = b_.Pick(3, 5);
  for (int bit = index_bits - 1; bit >= 0; --bit) {
    const int step = 1 << bit;
    Value moves = ir_.CreateICmpNE(ir_.CreateAnd(index, I(step)), I(0));
    const int wanted = count + 1 + step - 1;  // what the lower bits may still ask for
    for (int i = 0; i < wanted && i + step < static_cast<int>(digits.size()); ++i) {
      digits[i] = ir_.CreateSelect(moves, digits[i + step], digits[i]);
    }
  }
  Value shift = ir_.CreateAnd(offset_, I(31));
  std::vector<Value> window;
  for (int i = 0; i < count; ++i) {
    Value pair = ir_.CreateOr(ir_.CreateShl(digits[i], I(32)), digits[i + 1]);
    window.push_back(High(ir_.CreateShl(pair, shift)));
  }
  return window;
}

// Long multiplication of the significand, at most two digits, by the window; whole turns drop out.
std::vector<Value> LongReduction::Fraction(int columns) const {
  const std::vector<Value> window = Window(columns + 1);
  Value low = Low(significand_), high = High(significand_);
  std::vector<Value> sums(columns, I(0));
  auto add = [&](int column, Value product) {  // the product's last digit belongs to COLUMN
    if (column < columns) sums[column] = ir_.CreateAdd(sums[column], Low(product));
    if (column >= 1 && column <= columns) {
      sums[column - 1] = ir_.CreateAdd(sums[column - 1], High(product));
    }
  };
  for (int i = 0; i <= columns; ++i) {
    add(i, ir_.CreateMul(low, window[i]));
    if (b_.is_f64() && i > 0) add(i - 1, ir_.CreateMul(high, window[i]));
  }
  for (int i = columns - 1; i > 0; --i) {
    sums[i - 1] = ir_.CreateAdd(sums[i - 1], High(sums[i]));
    sums[i] = Low(sums[i]);
  }
  sums[0] = Low(sums[0]);
  return sums;
}

Reduced ReduceLarge(const MathBuilder& b, Value x) {
  llvm::IRBuilderBase& ir = b.ir();
  const LongReduction reduction(b, b.Abs(x));
  const std::vector<Value> digits = reduction.Fraction(b.Pick(3, 5));
  auto join = [&](Value high, Value low) {
    return ir.CreateOr(ir.CreateShl(high, reduction.I(32)), low);
  };
  // The top two bits are the quadrant once the rest is rounded to within half a quadrant.
  Value fraction = join(digits[0], digits[1]);
  Value rounded = ir.CreateAdd(fraction, reduction.I(int64_t{1} << 61));
  Value quadrant = ir.CreateLShr(rounded, reduction.I(62));
  Value rest = ir.CreateSub(fraction, ir.CreateShl(quadrant, reduction.I(62)));
  // f32 takes the detour through double, so that r is right to half a unit; the path is rare.
  llvm::Type* double_type = b.type()->getWithNewType(ir.getDoubleTy());
  const MathBuilder d(b.context(), double_type);
  Value turn = d.Mul(d.IntToFloat(rest), d.F(std::ldexp(1.0, -62)));
  if (b.is_f64()) {
    Value low = ir.CreateLShr(join(digits[2], digits[3]), reduction.I(1));
    turn = d.MulAdd(d.IntToFloat(low), d.F(std::ldexp(1.0, -125)), turn);
  }
  Value r = d.MulAdd(turn, d.F(coefficients::kPiOver2F64[0]),
                     d.Mul(turn, d.F(coefficients::kPiOver2F64[1])));
  if (!b.is_f64()) r = ir.CreateFPTrunc(r, b.type());
  // For negative x, both change sign.
  Value negative = b.SignBit(x);
  quadrant = ir.CreateTrunc(quadrant, b.Bits(x)->getType());
  quadrant = b.Select(negative, ir.CreateNeg(quadrant), quadrant);
  return {b.Select(negative, b.Neg(r), r), quadrant};
}

Reduced Reduce(const MathBuilder& b, Value x) {
  Value magnitude = b.Abs(x);
  const Reduced small = ReduceSmall(b, x);
  Value large = b.Not(b.Le(magnitude, SmallLimit(b)));
  const std::vector<Value> reduced = b.Rarely(large, {small.r, small.quadrant}, [&] {
    const Reduced far = ReduceLarge(b, x);
    Value r = b.Select(b.Lt(magnitude, b.Infinity()), far.r, b.NaN());
    return std::vector<Value>{b.Select(large, r, small.r),
                              b.Select(large, far.quadrant, small.quadrant)};
  });
  return {reduced[0], reduced[1]};
}

Value SineOfReduced(const MathBuilder& b, Value r) {
  return b.OddPolynomial(r, ASTITCH_COEFFICIENTS(b, kSin));
}

Value CosineOfReduced(const MathBuilder& b, Value r) {
  Value z = b.Mul(r, r);
  Value tail = b.Polynomial(z, ASTITCH_COEFFICIENTS(b, kCos));
  return b.MulAdd(b.Mul(z, z), tail, b.MulAdd(z, b.F(-0.5), b.F(1)));
}

Value IsOdd(const MathBuilder& b, Value quadrant) {
  return b.ir().CreateICmpNE(b.ir().CreateAnd(quadrant, b.I(1)), b.I(0));
}

// sin(r + quadrant * pi/2)
Value SineInQuadrant(const MathBuilder& b, Value r, Value quadrant) {
  Value value = b.Select(IsOdd(b, quadrant), CosineOfReduced(b, r), SineOfReduced(b, r));
  Value second_bit = b.ir().CreateAnd(quadrant, b.I(2));
  Value sign = b.ir().CreateShl(second_bit, b.I(b.Pick(30, 62)));
  return b.FromBits(b.ir().CreateXor(b.Bits(value), sign));
}

}  // namespace

Value Sine(const MathBuilder& b, Value x) {
  const Reduced reduced = Reduce(b, x);
  Value sine = SineInQuadrant(b, reduced.r, reduced.quadrant);
  return b.Select(b.Eq(x, b.F(0)), x, sine);  // keeps -0
}

Value Cosine(const MathBuilder& b, Value x) {
  const Reduced reduced = Reduce(b, x);
  return SineInQuadrant(b, reduced.r, b.ir().CreateAdd(reduced.quadrant, b.I(1)));
}

Value Tan(const MathBuilder& b, Value x) {
  const Reduced reduced = Reduce(b, x);
  Value odd = IsOdd(b, reduced.quadrant);
  Value sine = SineOfReduced(b, reduced.r), cosine = CosineOfReduced(b, reduced.r);
  Value top = b.Select(odd, b.Neg(cosine), sine), bottom = b.Select(odd, sine, cosine);
  return b.Select(b.Eq(x, b.F(0)), x, b.Div(top, bottom));
}

}  // namespace astitch::codegen::math
