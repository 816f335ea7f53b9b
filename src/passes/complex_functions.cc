// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One function an operation, spelled on a builder of real operations. z = a + bi throughout.
#include "passes/complex_functions.h"

#include <limits>
#include <numbers>

#include "ir/number.h"
#include "passes/constants.h"

namespace astitch {
namespace {

using Value = Instruction*;
using Complex = ComplexParts;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Builder {
 public:
  Builder(Rewriter& rewriter, const Instruction& origin)
      : rewriter_(rewriter),
        origin_(origin),
        shape_(Shape::Array(PartType(origin.operand(0)->shape().element_type()),
                            origin.operand(0)->shape().dims())) {}

  // ---- real numbers

  Value Number(double value) {
    return AddSplat(rewriter_, origin_, shape_, EncodeFloat(shape_.element_type(), value));
  }
  Value Do(Opcode opcode, Value a) { return rewriter_.Add(origin_, opcode, shape_, {a}); }
  Value Do(Opcode opcode, Value a, Value b) {
    return rewriter_.Add(origin_, opcode, shape_, {a, b});
  }
  Value Add(Value a, Value b) { return Do(Opcode::kAdd, a, b); }
  Value Sub(Value a, Value b) { return Do(Opcode::kSubtract, a, b); }
  Value Mul(Value a, Value b) { return Do(Opcode::kMultiply, a, b); }
  Value Mul(double a, Value b) { return Mul(Number(a), b); }
  Value Div(Value a, Value b) { return Do(Opcode::kDivide, a, b); }
  Value Neg(Value a) { return Do(Opcode::kNegate, a); }
  Value Abs(Value a) { return Do(Opcode::kAbs, a); }
  Value Square(Value a) { return Mul(a, a); }
  Value Angle(Value y, Value x) { return Do(Opcode::kAtan2, y, x); }

  Value Test(ComparisonDirection direction, Value a, Value b, ComparisonType type) {
    return rewriter_.Add(origin_, Opcode::kCompare,
                         Shape::Array(ElementType::kPred, a->shape().dims()), {a, b},
                         CompareAttributes{direction, type});
  }
  Value Test(ComparisonDirection direction, Value a, Value b) {
    return Test(direction, a, b, ComparisonType::kFloat);
  }
  Value Equal(Value a, double b) { return Test(ComparisonDirection::kEq, a, Number(b)); }
  Value AtLeast(Value a, Value b) { return Test(ComparisonDirection::kGe, a, b); }
  Value Logic(Opcode opcode, Value a, Value b) {
    return rewriter_.Add(origin_, opcode, a->shape(), {a, b});
  }
  Value And(Value a, Value b) { return Logic(Opcode::kAnd, a, b); }
  Value Or(Value a, Value b) { return Logic(Opcode::kOr, a, b); }
  Value Not(Value a) { return rewriter_.Add(origin_, Opcode::kNot, a->shape(), {a}); }
  Value If(Value condition, Value a, Value b) {
    return rewriter_.Add(origin_, Opcode::kSelect, shape_, {condition, a, b});
  }
  Value IsInfinite(Value a) { return Equal(Abs(a), kInfinity); }
  // |MAGNITUDE| with the sign of SIGN, which may be a zero's.
  Value WithSign(Value magnitude, Value sign) {
    const bool narrow = shape_.element_type() == ElementType::kF32;
    const Shape bits = Shape::Array(narrow ? ElementType::kS32 : ElementType::kS64, shape_.dims());
    Value number = rewriter_.Add(origin_, Opcode::kBitcastConvert, bits, {sign});
    Value negative = Test(ComparisonDirection::kLt, number, AddSplat(rewriter_, origin_, bits, 0),
                          ComparisonType::kSigned);
    Value positive = Abs(magnitude);
    return If(negative, Neg(positive), positive);
  }
  // A * B where a zero B wins, even against infinity.
  Value ZeroOrProduct(Value a, Value b) { return If(Equal(b, 0), b, Mul(a, b)); }

  // ---- complex numbers

  Complex Operand(int64_t i) { return PartsOf(rewriter_, origin_, origin_.operand(i)); }
  Complex TimesI(Complex z) { return {Neg(z.im), z.re}; }
  Complex TimesMinusI(Complex z) { return {z.im, Neg(z.re)}; }
  Complex Plus(Complex z, double real) { return {Add(z.re, Number(real)), z.im}; }

  Value HasInfinity(Complex z) { return Or(IsInfinite(z.re), IsInfinite(z.im)); }

  // |z| is larger * sqrt(1 + ratio^2).
  struct Magnitude {
    Value larger, ratio;
  };
  Magnitude MagnitudeOf(Complex z) {
    Value a = Abs(z.re), b = Abs(z.im);
    Value infinite = Or(Equal(a, kInfinity), Equal(b, kInfinity));
    Value larger = If(infinite, Number(kInfinity), Do(Opcode::kMaximum, a, b));
    Value quotient = Div(Do(Opcode::kMinimum, a, b), larger);
    return {larger, If(Or(infinite, Equal(larger, 0)), Number(0), quotient)};
  }
  // Between 1 and sqrt(2).
  Value Stretch(const Magnitude& m) { return Do(Opcode::kSqrt, Add(Number(1), Square(m.ratio))); }
  Value Length(Complex z) {
    const Magnitude m = MagnitudeOf(z);
    return Mul(m.larger, Stretch(m));
  }
  Value LogOfLength(Complex z) {
    const Magnitude m = MagnitudeOf(z);
    return Add(Do(Opcode::kLog, m.larger), Mul(0.5, Do(Opcode::kLogPlusOne, Square(m.ratio))));
  }

  Complex Product(Complex z, Complex w) {
    return {Sub(Mul(z.re, w.re), Mul(z.im, w.im)), Add(Mul(z.re, w.im), Mul(z.im, w.re))};
  }
  Complex Quotient(Complex z, Complex w);
  Complex Exp(Complex z);
  Complex ExpMinusOne(Complex z);
  Complex Log(Complex z) { return {LogOfLength(z), Angle(z.im, z.re)}; }
  Complex LogPlusOne(Complex z);
  Complex Sqrt(Complex z);
  Complex Rsqrt(Complex z);
  Complex Power(Complex z, Complex w);
  Complex Sign(Complex z);
  Complex Logistic(Complex z);
  Complex Tanh(Complex z);
  Complex Sinh(Complex z) {
    return {ZeroOrProduct(Do(Opcode::kCosine, z.im), Do(Opcode::kSinh, z.re)),
            ZeroOrProduct(Do(Opcode::kCosh, z.re), Do(Opcode::kSine, z.im))};
  }
  Complex Cosh(Complex z) {
    return {Mul(Do(Opcode::kCosh, z.re), Do(Opcode::kCosine, z.im)),
            ZeroOrProduct(Do(Opcode::kSinh, z.re), Do(Opcode::kSine, z.im))};
  }
  Complex Sine(Complex z) { return TimesMinusI(Sinh(TimesI(z))); }
  Complex Cosine(Complex z) { return Cosh(TimesI(z)); }
  Complex Tan(Complex z) { return TimesMinusI(Tanh(TimesI(z))); }
  Complex Atanh(Complex z);
  Complex Atan(Complex z) { return TimesMinusI(Atanh(TimesI(z))); }
  Complex Asin(Complex z);
  Complex Asinh(Complex z) { return TimesMinusI(Asin(TimesI(z))); }
  Complex Acos(Complex z);
  Complex Acosh(Complex z);
  Complex Atan2(Complex y, Complex x);

 private:
  Rewriter& rewriter_;
  const Instruction& origin_;
  Shape shape_;  // of every part
};

// With |d| <= |c|: (a + b d/c) / (c + d d/c), and the other way around. A divisor without an imaginary part, as a
// real number becomes one, divides part by part.
Complex Builder::Quotient(Complex z, Complex w) {
  if (IsSplatOf(*w.im, 0.0)) return {Div(z.re, w.re), Div(z.im, w.re)};
  Value first = AtLeast(Abs(w.re), Abs(w.im));
  Value larger = If(first, w.re, w.im), smaller = If(first, w.im, w.re);
  Value ratio = Div(smaller, larger);
  Value divisor = Add(larger, Mul(smaller, ratio));
  Value p = If(first, z.re, z.im), q = If(first, z.im, z.re);
  Value turned = Sub(q, Mul(p, ratio));
  Complex quotient = {Div(Add(p, Mul(q, ratio)), divisor),
                      Div(If(first, turned, Neg(turned)), divisor)};
  const auto replace = [&](Value condition, Value re, Value im) {
    quotient = {If(condition, re, quotient.re), If(condition, im, quotient.im)};
  };
  const auto finite = [&](Complex x) {
    Value magnitude = Do(Opcode::kMaximum, Abs(x.re), Abs(x.im));
    return Test(ComparisonDirection::kLt, magnitude, Number(kInfinity));
  };
  // The signs of infinite parts are all that is left of them.
  const auto unit = [&](Value part) {
    return WithSign(If(IsInfinite(part), Number(1), Number(0)), part);
  };
  const auto scaled = [&](double scale, Complex x, Complex y) {
    return Complex{Mul(scale, Add(Mul(x.re, y.re), Mul(x.im, y.im))),
                   Mul(scale, Sub(Mul(x.im, y.re), Mul(x.re, y.im)))};
  };
  const Complex far = scaled(kInfinity, {unit(z.re), unit(z.im)}, w);
  replace(And(HasInfinity(z), finite(w)), far.re, far.im);
  const Complex near = scaled(0, z, {unit(w.re), unit(w.im)});
  replace(And(finite(z), HasInfinity(w)), near.re, near.im);
  Value limit = WithSign(Number(kInfinity), w.re);
  replace(And(Equal(w.re, 0), Equal(w.im, 0)), Mul(limit, z.re), Mul(limit, z.im));
  return quotient;
}

// e^a in two factors: it may be infinite where the product with a small sine is not.
Complex Builder::Exp(Complex z) {
  Value root = Do(Opcode::kExponential, Mul(0.5, z.re));
  Value sine = Do(Opcode::kSine, z.im);
  return {Mul(root, Mul(root, Do(Opcode::kCosine, z.im))),
          If(Equal(sine, 0), sine, Mul(root, Mul(root, sine)))};
}

// e^a cos b - 1 = (e^a - 1) cos b - 2 sin^2(b/2): nothing cancels near zero.
Complex Builder::ExpMinusOne(Complex z) {
  Value less = Do(Opcode::kExponentialMinusOne, z.re);
  Value half = Do(Opcode::kSine, Mul(0.5, z.im));
  return {Sub(Mul(less, Do(Opcode::kCosine, z.im)), Mul(2, Square(half))), Exp(z).im};
}

// |1 + z|^2 - 1 = a (2 + a) + b^2 where z is small.
Complex Builder::LogPlusOne(Complex z) {
  const Complex next = Plus(z, 1);
  Value larger = Do(Opcode::kMaximum, Abs(z.re), Abs(z.im));
  Value near =
      Mul(0.5, Do(Opcode::kLogPlusOne, Add(Mul(z.re, Add(z.re, Number(2))), Square(z.im))));
  return {If(AtLeast(Number(0.5), larger), near, LogOfLength(next)), Angle(z.im, next.re)};
}

// The part away from zero is s = sqrt((|a| + |z|) / 2), the other one |b| / 2s.
Complex Builder::Sqrt(Complex z) {
  const Magnitude m = MagnitudeOf(z);
  Value along = Abs(z.re);
  Value share =
      If(Test(ComparisonDirection::kEq, along, m.larger), Number(1), Div(along, m.larger));
  Value s = Mul(Do(Opcode::kSqrt, m.larger), Do(Opcode::kSqrt, Mul(0.5, Add(share, Stretch(m)))));
  Value other = If(Equal(s, 0), s, Div(Abs(z.im), Add(s, s)));
  Value right = AtLeast(z.re, Number(0));
  Value unbounded = IsInfinite(z.im);
  return {If(unbounded, Abs(z.im), If(right, s, other)),
          If(unbounded, z.im, WithSign(If(right, other, s), z.im))};
}

// The conjugate of sqrt(z), over |z|.
Complex Builder::Rsqrt(Complex z) {
  const Complex root = Sqrt(z);
  const Magnitude m = MagnitudeOf(z);
  Value stretch = Stretch(m);
  Value zero = Equal(m.larger, 0), infinite = Equal(m.larger, kInfinity);
  const auto over = [&](Value part) {
    return If(infinite, WithSign(Number(0), part), Div(Div(part, m.larger), stretch));
  };
  return {If(zero, Number(kInfinity), over(root.re)), over(Neg(root.im))};
}

// e^(w log z); of zero the limit, where there is one.
Complex Builder::Power(Complex z, Complex w) {
  const Complex power = Exp(Product(w, Log(z)));
  Value of_zero = And(Equal(z.re, 0), Equal(z.im, 0));
  Value to_zero = And(Equal(w.re, 0), Equal(w.im, 0));
  Value limit = If(Test(ComparisonDirection::kGt, w.re, Number(0)), Number(0),
                   Number(std::numeric_limits<double>::quiet_NaN()));
  return {If(of_zero, If(to_zero, Number(1), limit), power.re),
          If(of_zero, If(to_zero, Number(0), limit), power.im)};
}

Complex Builder::Sign(Complex z) {
  const Magnitude m = MagnitudeOf(z);
  Value stretch = Stretch(m), zero = Equal(m.larger, 0);
  const auto over = [&](Value part) { return If(zero, part, Div(Div(part, m.larger), stretch)); };
  return {over(z.re), over(z.im)};
}

// With e = exp(-|a|): 1 / (1 + exp(-z)) for a >= 0, exp(z) / (1 + exp(z)) below, each over
// |...|^2 = (1 - e)^2 + 4 e cos^2(b/2). Next to the poles nothing cancels, since 1 - e and 1 + cos b are computed as they
// are.
Complex Builder::Logistic(Complex z) {
  Value back = Neg(Abs(z.re));
  Value e = Do(Opcode::kExponential, back), less = Do(Opcode::kExponentialMinusOne, back);
  Value up = Mul(2, Square(Do(Opcode::kCosine, Mul(0.5, z.im))));
  Value divisor = Add(Square(less), Mul(2, Mul(e, up)));
  Value above = Sub(Mul(e, up), less), below = Mul(e, Add(up, less));
  return {Div(If(AtLeast(z.re, Number(0)), above, below), divisor),
          Div(Mul(e, Do(Opcode::kSine, z.im)), divisor)};
}

// With h = tanh a, t = tan b: (h + ti) / (1 + hti) = (h (1 + t^2) + t (1 - h^2) i) / (1 + h^2 t^2).
Complex Builder::Tanh(Complex z) {
  Value h = Do(Opcode::kTanh, z.re), t = Do(Opcode::kTan, z.im);
  Value divisor = Add(Number(1), Square(Mul(h, t)));
  Value cosh = Do(Opcode::kCosh, z.re);
  return {Div(Mul(h, Add(Number(1), Square(t))), divisor), Div(Div(Div(t, cosh), cosh), divisor)};
}

// Half of the logarithm of (1 + z) / (1 - z), whose length is far from 1 where |a| is near it. Next to 1 the squares
// are too small for the type, and 1 + z is 2.
Complex Builder::Atanh(Complex z) {
  constexpr double kNear = 1e-10;
  Value along = Abs(z.re);
  Value less = Sub(Number(1), along);
  Value infinite = HasInfinity(z);
  Value near = AtLeast(Number(kNear), Do(Opcode::kMaximum, Abs(less), Abs(z.im)));
  Value ratio = Mul(4, Div(along, Add(Square(less), Square(z.im))));
  Value re = If(near, Mul(0.5, Sub(Number(std::numbers::ln2), LogOfLength({less, z.im}))),
                Mul(0.25, Do(Opcode::kLogPlusOne, ratio)));
  Value across = Sub(Mul(less, Add(Number(1), along)), Square(z.im));
  Value angle = Angle(z.im, Mul(0.5, across));
  return {WithSign(If(infinite, Number(0), re), z.re),
          Mul(0.5, If(infinite, WithSign(Number(std::numbers::pi), z.im), angle))};
}

Complex Builder::Asin(Complex z) {
  const Complex up = Sqrt(Plus(z, 1)), down = Sqrt({Sub(Number(1), z.re), Neg(z.im)});
  Value infinite = HasInfinity(z);
  Value im = Do(Opcode::kAsinh, Sub(Mul(down.re, up.im), Mul(down.im, up.re)));
  return {Angle(z.re, If(infinite, Abs(z.im), Product(up, down).re)),
          If(infinite, WithSign(Number(kInfinity), z.im), im)};
}

Complex Builder::Acos(Complex z) {
  const Complex up = Sqrt(Plus(z, 1)), down = Sqrt({Sub(Number(1), z.re), Neg(z.im)});
  return {If(HasInfinity(z), Angle(Abs(z.im), z.re), Mul(2, Angle(down.re, up.re))),
          Do(Opcode::kAsinh, Sub(Mul(up.re, down.im), Mul(up.im, down.re)))};
}

Complex Builder::Acosh(Complex z) {
  const Complex up = Sqrt(Plus(z, 1)), down = Sqrt(Plus(z, -1));
  return {Do(Opcode::kAsinh, Add(Mul(down.re, up.re), Mul(down.im, up.im))),
          If(HasInfinity(z), Angle(z.im, z.re), Mul(2, Angle(down.im, up.re)))};
}

// -i log((x + yi) / sqrt(x^2 + y^2)), which is the same of both over the largest part.
Complex Builder::Atan2(Complex y, Complex x) {
  const auto largest_of = [&](Complex z) { return Do(Opcode::kMaximum, Abs(z.re), Abs(z.im)); };
  Value largest = Do(Opcode::kMaximum, largest_of(y), largest_of(x));
  Value scale = If(Or(Equal(largest, 0), Equal(largest, kInfinity)), Number(1), largest);
  y = {Div(y.re, scale), Div(y.im, scale)};
  x = {Div(x.re, scale), Div(x.im, scale)};
  const Complex turned = TimesI(y);
  const Complex sum = {Add(x.re, turned.re), Add(x.im, turned.im)};
  const Complex xx = Product(x, x), yy = Product(y, y);
  return TimesMinusI(Log(Quotient(sum, Sqrt({Add(xx.re, yy.re), Add(xx.im, yy.im)}))));
}

bool HasComplexOperand(const Instruction& instruction) {
  return instruction.num_operands() > 0 && IsStaticArray(instruction.operand(0)->shape()) &&
         IsComplex(instruction.operand(0)->shape().element_type());
}

}  // namespace

std::optional<ComplexParts> ComplexFunction(Rewriter& rewriter, const Instruction& instruction) {
  if (!HasComplexOperand(instruction) || !IsStaticArray(instruction.shape())) return std::nullopt;
  Builder b(rewriter, instruction);
  switch (instruction.opcode()) {
    case Opcode::kAcos:
      return b.Acos(b.Operand(0));
    case Opcode::kAcosh:
      return b.Acosh(b.Operand(0));
    case Opcode::kAsin:
      return b.Asin(b.Operand(0));
    case Opcode::kAsinh:
      return b.Asinh(b.Operand(0));
    case Opcode::kAtan:
      return b.Atan(b.Operand(0));
    case Opcode::kAtan2:
      return b.Atan2(b.Operand(0), b.Operand(1));
    case Opcode::kAtanh:
      return b.Atanh(b.Operand(0));
    case Opcode::kCosh:
      return b.Cosh(b.Operand(0));
    case Opcode::kCosine:
      return b.Cosine(b.Operand(0));
    case Opcode::kDivide:
      return b.Quotient(b.Operand(0), b.Operand(1));
    case Opcode::kExponential:
      return b.Exp(b.Operand(0));
    case Opcode::kExponentialMinusOne:
      return b.ExpMinusOne(b.Operand(0));
    case Opcode::kLog:
      return b.Log(b.Operand(0));
    case Opcode::kLogPlusOne:
      return b.LogPlusOne(b.Operand(0));
    case Opcode::kLogistic:
      return b.Logistic(b.Operand(0));
    case Opcode::kMultiply:
      return b.Product(b.Operand(0), b.Operand(1));
    case Opcode::kPower:
      return b.Power(b.Operand(0), b.Operand(1));
    case Opcode::kRsqrt:
      return b.Rsqrt(b.Operand(0));
    case Opcode::kSign:
      return b.Sign(b.Operand(0));
    case Opcode::kSine:
      return b.Sine(b.Operand(0));
    case Opcode::kSinh:
      return b.Sinh(b.Operand(0));
    case Opcode::kSqrt:
      return b.Sqrt(b.Operand(0));
    case Opcode::kTan:
      return b.Tan(b.Operand(0));
    case Opcode::kTanh:
      return b.Tanh(b.Operand(0));
    default:  // works on each part by itself, or is no arithmetic
      return std::nullopt;
  }
}

Instruction* RealOfComplex(Rewriter& rewriter, const Instruction& instruction) {
  const Opcode opcode = instruction.opcode();
  const bool taken = opcode == Opcode::kReal || opcode == Opcode::kImag;
  if (!HasComplexOperand(instruction)) {
    if (!taken || !IsStatic(instruction)) return nullptr;
    return opcode == Opcode::kReal ? instruction.operand(0)
                                   : Builder(rewriter, instruction).Number(0);
  }
  if (taken) {
    // Of a value that is not made of parts, it is as simple as can be.
    const Instruction* value = instruction.operand(0);
    if (value->opcode() != Opcode::kComplex) return nullptr;
    return value->operand(opcode == Opcode::kReal ? 0 : 1);
  }
  Builder b(rewriter, instruction);
  if (opcode == Opcode::kAbs) return b.Length(b.Operand(0));
  if (opcode != Opcode::kCompare) return nullptr;
  const Complex z = b.Operand(0), w = b.Operand(1);
  const ComparisonDirection direction = instruction.as<CompareAttributes>().direction;
  Value re = b.Test(direction, z.re, w.re), im = b.Test(direction, z.im, w.im);
  return direction == ComparisonDirection::kEq ? b.And(re, im) : b.Or(re, im);
}

}  // namespace astitch
