// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One rule a kind of operation. Bounds are coarse on purpose: a fault of stitching is off by whole
// values, not by ulps.
#include "check/error_bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ir/number.h"

namespace astitch {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Twice the stated bounds of the elementwise functions, and double rounding.
constexpr double kFunctionUlps = 16;

// The distance of neighbours, relative to a value of the type.
double Epsilon(ElementType type) {
  return IsFloat(type) ? std::ldexp(1.0, -FormatOf(type).mantissa_bits) : 0;
}
// The distance of neighbours around zero.
double Smallest(ElementType type) {
  if (!IsFloat(type)) return 0;
  const FloatFormat format = FormatOf(type);
  return std::ldexp(1.0, 1 - format.bias - format.mantissa_bits);
}
double Largest(ElementType type) {
  return std::ldexp(1.0, (1 << (FormatOf(type).exponent_bits - 1)) - 1);
}

ErrorBound Unknown() {
  ErrorBound out;
  out.exact = false;
  out.unknown = out.may_be_nan = true;
  out.lo = -kInfinity;
  out.hi = kInfinity;
  out.error = kInfinity;
  return out;
}

// Exact, of any value of TYPE.
ErrorBound Anything(ElementType type, bool may_be_nan) {
  ErrorBound out;
  out.may_be_nan = may_be_nan;
  if (IsFloat(type)) {
    out.lo = -kInfinity;
    out.hi = kInfinity;
  } else if (!IsPred(type)) {
    const int bits = BitWidth(type);
    out.lo = IsSigned(type) ? -std::ldexp(1.0, bits - 1) : 0;
    out.hi = std::ldexp(1.0, IsSigned(type) ? bits - 1 : bits);
    out.step = 1;
  } else {
    out.hi = 1;
    out.step = 1;
  }
  return out;
}

// An inexact result in [lo, hi] that is off by ERROR before it is rounded.
ErrorBound Inexact(ElementType type, double lo, double hi, double error, bool may_be_nan) {
  ErrorBound out;
  out.exact = false;
  out.may_be_nan = may_be_nan;
  out.lo = lo;
  out.hi = hi;
  out.error = error + kFunctionUlps * (Epsilon(type) * out.magnitude() + Smallest(type));
  // Near the largest value one side may round to infinity.
  if (!(out.magnitude() + out.error < Largest(type))) return Unknown();
  return out;
}

// A correctly rounded result in [lo, hi]; exact when all operands are.
ErrorBound Rounded(ElementType type, double lo, double hi, double step, double error,
                   const std::vector<ErrorBound>& operands) {
  ErrorBound out;
  for (const ErrorBound& bound : operands) {
    out.exact &= bound.exact;
    out.may_be_nan |= bound.may_be_nan;
  }
  if (std::isnan(lo) || std::isnan(hi)) {
    lo = -kInfinity;
    hi = kInfinity;
  }
  if (!out.exact) return Inexact(type, lo, hi, error, out.may_be_nan);
  if (IsFloat(type) && !(std::max(-lo, hi) < Largest(type))) {
    out.may_be_nan = true;
    lo = -kInfinity;
    hi = kInfinity;
  }
  out.lo = lo;
  out.hi = hi;
  out.step = step;
  return out;
}

ErrorBound Multiply(ElementType type, const ErrorBound& a, const ErrorBound& b,
                    const std::vector<ErrorBound>& all) {
  const double corners[] = {a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi};
  double lo = corners[0], hi = corners[0];
  for (double corner : corners) {
    if (std::isnan(corner)) return Rounded(type, -kInfinity, kInfinity, 0, kInfinity, all);
    lo = std::min(lo, corner);
    hi = std::max(hi, corner);
  }
  const double error = a.error * b.magnitude() + b.error * a.magnitude() + a.error * b.error;
  return Rounded(type, lo, hi, a.step * b.step, error, all);
}

ErrorBound Divide(ElementType type, const ErrorBound& a, const ErrorBound& b,
                  const std::vector<ErrorBound>& all) {
  const double least = b.lo > 0 ? b.lo : b.hi < 0 ? -b.hi : 0;
  const double safe = least - b.error;
  if (safe <= 0) {
    ErrorBound out = Rounded(type, -kInfinity, kInfinity, 0, kInfinity, all);
    out.may_be_nan = true;
    return out;
  }
  const double hi = a.magnitude() / least;
  return Rounded(type, -hi, hi, 0, (a.error + hi * b.error) / safe, all);
}

// Functions whose slope is at most SLOPE on the operand's range, with results in [lo, hi].
ErrorBound Function(ElementType type, const ErrorBound& x, double slope, double lo, double hi) {
  if (x.unknown || !std::isfinite(slope)) return Unknown();
  return Inexact(type, lo, hi, x.error * slope, x.may_be_nan);
}

ErrorBound FunctionOf(const Instruction& value, const ErrorBound& x) {
  const ElementType type = value.shape().element_type();
  if (!IsFloat(type)) return Anything(type, false);
  if (x.unknown || !std::isfinite(x.magnitude())) return Unknown();
  const double m = x.magnitude() + x.error;
  switch (value.opcode()) {
    case Opcode::kExponential:
      return Function(type, x, std::exp(x.hi + x.error), 0, std::exp(x.hi));
    case Opcode::kExponentialMinusOne:
      return Function(type, x, std::exp(x.hi + x.error), -1, std::exp(x.hi));
    case Opcode::kTanh:
    case Opcode::kErf:
      return Function(type, x, 1.2, -1, 1);
    case Opcode::kLogistic:
      return Function(type, x, 0.25, 0, 1);
    case Opcode::kSine:
    case Opcode::kCosine:
      return Function(type, x, 1, -1, 1);
    case Opcode::kAtan:
      return Function(type, x, 1, -1.6, 1.6);
    case Opcode::kAsinh:
      return Function(type, x, 1, -std::asinh(m), std::asinh(m));
    case Opcode::kSinh:
    case Opcode::kCosh:
      return Function(type, x, std::cosh(m), -std::cosh(m), std::cosh(m));
    case Opcode::kLog:
    case Opcode::kRsqrt:
    case Opcode::kCbrt:
    case Opcode::kSqrt: {
      const double least = x.lo - x.error;
      if (value.opcode() == Opcode::kSqrt && x.exact && x.lo >= 0)
        return Rounded(type, 0, std::sqrt(x.hi), 0, 0, {x});
      if (least <= 0) return Unknown();
      const double slope = 1 / std::min(least, least * std::sqrt(least));
      const double hi = std::max(std::fabs(std::log(least)), std::fabs(std::log(m)));
      return Function(type, x, slope, -hi - std::sqrt(m) - 1 / std::sqrt(least),
                      hi + std::sqrt(m) + 1 / std::sqrt(least));
    }
    case Opcode::kLogPlusOne: {
      const double least = 1 + x.lo - x.error;
      if (least <= 0) return Unknown();
      const double hi = std::max(std::fabs(std::log(least)), std::log1p(m));
      return Function(type, x, 1 / least, -hi, hi);
    }
    default:
      return Unknown();
  }
}

ErrorBound Convert(const Instruction& value, const ErrorBound& x) {
  const ElementType from = value.operand(0)->shape().element_type();
  const ElementType to = value.shape().element_type();
  if (x.unknown) return IsFloat(to) || IsInteger(to) || IsPred(to) ? Unknown() : x;
  if (!IsFloat(to)) {
    if (!x.exact) return Unknown();
    ErrorBound out = Anything(to, false);
    if (IsFloat(from) || IsInteger(from) || IsPred(from)) {
      // Saturating from floats, wrapping from integers: kept only where neither happens.
      if (!IsPred(to) && x.lo >= out.lo && x.hi < out.hi && !x.may_be_nan) {
        out.lo = std::floor(x.lo);
        out.hi = std::ceil(x.hi);
      }
    }
    return out;
  }
  const bool wider = IsFloat(from) && FormatOf(to).mantissa_bits >= FormatOf(from).mantissa_bits &&
                     FormatOf(to).exponent_bits >= FormatOf(from).exponent_bits;
  if (wider) return x;
  return Rounded(to, x.lo, x.hi, x.step, x.error, {x});
}

// Sums of N values: exact when every partial sum fits the accumulator.
ErrorBound Sum(ElementType type, const ErrorBound& x, const ErrorBound& init, double n) {
  if (!IsFloat(type)) return Anything(type, false);
  const double hi = n * x.magnitude() + init.magnitude();
  const double step = std::min(x.step, init.step);
  const double accumulator = type == ElementType::kF64 ? 0x1p-52 : 0x1p-23;
  const double holds = step / accumulator;
  if (x.exact && init.exact && !x.may_be_nan && step > 0 && hi <= holds)
    return Rounded(type, -hi, hi, step, 0, {x, init});
  if (!std::isfinite(hi)) return Unknown();
  const double error = n * x.error + init.error + 2 * n * accumulator * hi;
  return Inexact(type, -hi, hi, error, x.may_be_nan || init.may_be_nan);
}

// The same where each of them may be rounded to TYPE: updates are made in place.
ErrorBound SumInPlace(ElementType type, const ErrorBound& x, const ErrorBound& init, double n) {
  const ErrorBound sum = Sum(type, x, init, n);
  if (!IsFloat(type) || sum.unknown) return sum;
  const double hi = n * x.magnitude() + init.magnitude();
  if (sum.exact && hi <= std::min(x.step, init.step) / Epsilon(type)) return sum;
  const double error = n * x.error + init.error + n * Epsilon(type) * hi;
  return Inexact(type, -hi, hi, error, sum.may_be_nan);
}

ErrorBound Hull(const ErrorBound& a, const ErrorBound& b) {
  ErrorBound out = a;
  out.exact &= b.exact;
  out.unknown |= b.unknown;
  out.may_be_nan |= b.may_be_nan;
  out.lo = std::min(a.lo, b.lo);
  out.hi = std::max(a.hi, b.hi);
  out.step = std::min(a.step, b.step);
  out.error = std::max(a.error, b.error);
  return out;
}

// Anything picks among elements: movement, maximum, select.
ErrorBound HullOf(const std::vector<ErrorBound>& bounds) {
  ErrorBound out = bounds[0];
  for (const ErrorBound& bound : bounds) out = Hull(out, bound);
  return out;
}

// How many elements one result of a reduction or a window may take, and how many updates an element
// of a scatter: one of each window.
double FoldedElements(const Instruction& value) {
  if (value.opcode() == Opcode::kReduceWindow) {
    double n = 1;
    for (const WindowDim& dim : value.as<WindowAttributes>().window)
      n *= static_cast<double>(dim.size);
    return n;
  }
  double n = 1;
  if (value.opcode() == Opcode::kScatter) {
    const Shape& updates = value.operand(value.num_operands() - 1)->shape();
    const auto& window = value.as<ScatterAttributes>().update_window_dims;
    for (int64_t d = 0; d < updates.rank(); ++d) {
      if (std::find(window.begin(), window.end(), d) == window.end())
        n *= static_cast<double>(updates.dim(d));
    }
    return n;
  }
  for (int64_t d : value.dimensions()) n *= static_cast<double>(value.operand(0)->shape().dim(d));
  return n;
}

// N elements within X, folded by BODY from INIT.
ErrorBound Fold(const Computation& body, ElementType type, const ErrorBound& x,
                const ErrorBound& init, double n) {
  switch (body.root()->opcode()) {
    case Opcode::kAdd:
      return Sum(type, x, init, n);
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kParameter:  // of a scatter that overwrites
      return Hull(x, init);
    case Opcode::kMultiply: {
      if (!IsFloat(type)) return Anything(type, false);
      const ErrorBound both = Hull(x, init);
      if (both.magnitude() > 1) return Unknown();
      return Inexact(type, -1, 1, n * (both.error + 0x1p-22), both.may_be_nan);
    }
    default:
      return IsFloat(type) ? Unknown() : Anything(type, false);
  }
}

ErrorBound Reduce(const Instruction& value, const std::vector<ErrorBound>& operands) {
  for (const ErrorBound& bound : operands) {
    if (bound.unknown) return Unknown();
  }
  if (value.opcode() != Opcode::kScatter && operands.size() > 2) {
    // Several results, by comparisons: right when nothing is inexact.
    for (const ErrorBound& bound : operands) {
      if (!bound.exact || bound.may_be_nan) return Unknown();
    }
    return HullOf(operands);
  }
  const bool scatter = value.opcode() == Opcode::kScatter;
  if (scatter && !operands[1].exact) return Unknown();
  const ElementType type = value.shape().element_type();
  const double n = FoldedElements(value);
  if (scatter && value.called()[0]->root()->opcode() == Opcode::kAdd)
    return SumInPlace(type, operands[2], operands[0], n);
  return Fold(*value.called()[0], type, operands[scatter ? 2 : 0], operands[scatter ? 0 : 1], n);
}

ErrorBound Constant(const Instruction& value) {
  ErrorBound out = Anything(value.shape().element_type(), true);
  const ElementType type = value.shape().element_type();
  if (IsPred(type)) return Anything(type, false);
  double lo = kInfinity, hi = -kInfinity;
  const Literal& literal = value.literal();
  const int width = ByteWidth(type);
  out.may_be_nan = false;
  bool quarters = true;
  for (int64_t i = 0; i < literal.shape().num_elements(); ++i) {
    const double x = LoadAsDouble(type, &literal.bytes()[i * width]);
    if (std::isnan(x)) {
      out.may_be_nan = true;
      continue;
    }
    lo = std::min(lo, x);
    hi = std::max(hi, x);
    quarters &= std::isfinite(x) && x * 4 == std::floor(x * 4);
  }
  if (lo > hi) return out;
  out.lo = lo;
  out.hi = hi;
  out.step = quarters ? 0.25 : 0;
  return out;
}

ErrorBound Dot(const Instruction& value, const std::vector<ErrorBound>& operands) {
  const ElementType type = value.shape().element_type();
  if (operands[0].unknown || operands[1].unknown) return Unknown();
  const ErrorBound product = Multiply(type, operands[0], operands[1], operands);
  double n = 1;
  const auto& dot = value.as<DotAttributes>();
  for (int64_t d : dot.lhs_contracting) n *= static_cast<double>(value.operand(0)->shape().dim(d));
  ErrorBound zero;
  zero.step = 1;
  return Sum(type, product, zero, std::max(n, 1.0));
}

ErrorBound Arithmetic(const Instruction& value, const std::vector<ErrorBound>& x) {
  const ElementType type = value.shape().element_type();
  if (value.opcode() == Opcode::kMultiply) return Multiply(type, x[0], x[1], x);
  if (value.opcode() == Opcode::kDivide) return Divide(type, x[0], x[1], x);
  const bool add = value.opcode() == Opcode::kAdd;
  return Rounded(type, x[0].lo + (add ? x[1].lo : -x[1].hi), x[0].hi + (add ? x[1].hi : -x[1].lo),
                 std::min(x[0].step, x[1].step), x[0].error + x[1].error, x);
}

ErrorBound Power(ElementType type, const std::vector<ErrorBound>& x, bool may_be_nan) {
  const double least = x[0].lo - x[0].error;
  if (least < 0.25 || !std::isfinite(x[0].hi) || !std::isfinite(x[1].magnitude())) return Unknown();
  const double base = std::max(x[0].hi + x[0].error, 4.0), exponent = x[1].magnitude();
  const double hi = std::pow(base, exponent + x[1].error);
  return Inexact(type, 0, hi, hi * (4 * (exponent + 1) * x[0].error + std::log(base) * x[1].error),
                 may_be_nan);
}

ErrorBound Elementwise(const Instruction& value, const std::vector<ErrorBound>& x) {
  const ElementType type = value.shape().element_type();
  bool all_exact = true, nan = false;
  for (const ErrorBound& bound : x) {
    if (bound.unknown) return Unknown();
    all_exact &= bound.exact;
    nan |= bound.may_be_nan;
  }
  const auto exact_only = [&](ErrorBound bound) { return all_exact ? bound : Unknown(); };
  switch (value.opcode()) {
    case Opcode::kCopy:
      return x[0];
    case Opcode::kNegate: {
      if (!IsFloat(type)) return exact_only(Anything(type, false));
      ErrorBound out = x[0];
      out.lo = -x[0].hi;
      out.hi = -x[0].lo;
      return out;
    }
    case Opcode::kAbs: {
      if (!IsFloat(type)) return exact_only(Anything(type, false));
      ErrorBound out = x[0];
      out.hi = x[0].magnitude();
      out.lo = std::max({0.0, x[0].lo, -x[0].hi});
      return out;
    }
    case Opcode::kAdd:
    case Opcode::kSubtract:
    case Opcode::kMultiply:
    case Opcode::kDivide:
      return IsFloat(type) ? Arithmetic(value, x) : exact_only(Anything(type, false));
    case Opcode::kMaximum:
    case Opcode::kMinimum:
      return HullOf(x);
    case Opcode::kClamp: {
      ErrorBound out = HullOf(x);
      out.lo = std::max(x[1].lo, x[0].lo);
      out.hi = std::min(x[1].hi, x[2].hi);
      if (out.lo > out.hi) out.lo = -(out.hi = HullOf(x).magnitude());
      return out;
    }
    case Opcode::kSelect:
      return x[0].exact ? Hull(x[1], x[2]) : Unknown();
    case Opcode::kConvert:
      return Convert(value, x[0]);
    case Opcode::kFloor:
    case Opcode::kCeil:
    case Opcode::kRoundNearestAfz:
    case Opcode::kRoundNearestEven: {
      if (!all_exact) return Unknown();
      ErrorBound out = x[0];
      out.lo = std::floor(x[0].lo);
      out.hi = std::ceil(x[0].hi);
      out.step = 1;
      return out;
    }
    case Opcode::kSign: {
      ErrorBound out = Anything(type, nan);
      out.lo = -1;
      out.hi = 1;
      out.step = 1;
      return exact_only(out);
    }
    case Opcode::kReducePrecision:
    case Opcode::kRemainder:
    case Opcode::kBitcastConvert:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
    case Opcode::kNot:
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kShiftRightLogical:
    case Opcode::kPopcnt:
    case Opcode::kCountLeadingZeros:
    case Opcode::kCompare:
    case Opcode::kIsFinite:
      return exact_only(Anything(type, IsFloat(type)));
    case Opcode::kPower:
      return IsFloat(type) ? Power(type, x, nan) : exact_only(Anything(type, false));
    default:
      return FunctionOf(value, x[0]);
  }
}

bool HasComplex(const Instruction* value) {
  return value->shape().IsArray() && IsComplex(value->shape().element_type());
}

bool TouchesComplex(const Instruction& value) {
  return HasComplex(&value) ||
         std::any_of(value.operands().begin(), value.operands().end(), HasComplex);
}

// An array that is part of a parameter.
bool IsOfParameter(const Instruction& value) {
  const Instruction* whole = &value;
  while (whole->opcode() == Opcode::kGetTupleElement) whole = whole->operand(0);
  return value.shape().IsArray() && whole->opcode() == Opcode::kParameter;
}

// A bound of complex numbers holds for both parts. Nothing is known of what is computed with them.
ErrorBound OfComplex(const Instruction& value, const std::vector<ErrorBound>& operands) {
  switch (value.opcode()) {
    case Opcode::kParameter:
      return BoundOfInput(value.shape().element_type());
    case Opcode::kComplex:
    case Opcode::kReal:
    case Opcode::kImag:
    case Opcode::kTuple:
      return HullOf(operands);
    case Opcode::kGetTupleElement:
      return IsOfParameter(value) ? BoundOfInput(value.shape().element_type()) : Unknown();
    default:
      return KindOf(value.opcode()) == OpKind::kIndexMap ? HullOf(operands) : Unknown();
  }
}

}  // namespace

ErrorBound BoundOfInput(ElementType type) {
  type = PartType(type);
  ErrorBound out = Anything(type, false);
  if (IsPred(type)) return out;
  out.lo = IsUnsigned(type) ? 0 : IsFloat(type) ? -2 : -6;
  out.hi = IsFloat(type) ? 2 : 6;
  out.step = IsFloat(type) ? 0.25 : 1;
  return out;
}

ErrorBound BoundOf(const Instruction& value, const std::vector<ErrorBound>& operands) {
  const Shape& shape = value.shape();
  if (TouchesComplex(value)) return OfComplex(value, operands);
  switch (KindOf(value.opcode())) {
    case OpKind::kSource:
      if (value.opcode() == Opcode::kConstant) return Constant(value);
      if (value.opcode() == Opcode::kParameter) return BoundOfInput(shape.element_type());
      {
        ErrorBound out = Anything(shape.element_type(), false);
        if (IsFloat(shape.element_type())) {
          out.lo = 0;
          out.hi = static_cast<double>(shape.dim(value.dimensions()[0]));
          out.step = 1;
        }
        return out;
      }
    case OpKind::kElementwise:
      return Elementwise(value, operands);
    case OpKind::kIndexMap:
      return HullOf(operands);
    case OpKind::kDynamicMap: {
      if (value.opcode() == Opcode::kScatter) return Reduce(value, operands);
      // Data operands are hulled, indices have to be exact.
      const bool updates = value.opcode() == Opcode::kDynamicUpdateSlice;
      for (size_t i = updates ? 2 : 1; i < operands.size(); ++i) {
        if (!operands[i].exact) return Unknown();
      }
      return updates ? Hull(operands[0], operands[1]) : operands[0];
    }
    case OpKind::kReduction:
      return value.called().size() == 1 ? Reduce(value, operands) : Unknown();
    case OpKind::kTuple:
      if (IsOfParameter(value)) return BoundOfInput(shape.element_type());
      return operands.empty() ? ErrorBound() : HullOf(operands);
    case OpKind::kContraction:
      return value.opcode() == Opcode::kDot ? Dot(value, operands) : Unknown();
    case OpKind::kControl:
    case OpKind::kLibrary:
    case OpKind::kCollective:
    case OpKind::kOther:
      return Unknown();
  }
  return Unknown();
}

std::vector<ErrorBound> BoundsOf(const Graph& graph) {
  std::vector<ErrorBound> out(graph.entry()->id_bound());
  for (const Instruction* value : graph.entry()->post_order()) {
    std::vector<ErrorBound> operands;
    for (const Instruction* operand : value->operands()) operands.push_back(out[operand->id()]);
    out[value->id()] = BoundOf(*value, operands);
  }
  return out;
}

std::vector<ErrorBound> ResultBounds(const Graph& graph) {
  const std::vector<ErrorBound> bounds = BoundsOf(graph);
  const Instruction* root = graph.entry()->root();
  if (root->opcode() != Opcode::kTuple) return {bounds[root->id()]};
  std::vector<ErrorBound> out;
  for (const Instruction* operand : root->operands()) out.push_back(bounds[operand->id()]);
  return out;
}

}  // namespace astitch
