// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Elementwise operations on floats. Arithmetic is done in double, which rounds innocuously to every
// narrower type; f64's transcendentals go through long double, so that they too are within a hair
// of half a unit in the last place.
#include <bit>
#include <cmath>

#include "interp/lane_op.h"

namespace astitch::interp {

double FloatMaximum(double a, double b) {
  if (std::isnan(a)) return a;
  if (std::isnan(b)) return b;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

double FloatMinimum(double a, double b) {
  if (std::isnan(a)) return a;
  if (std::isnan(b)) return b;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}

int64_t TotalOrderKey(double value) {
  const int64_t bits = std::bit_cast<int64_t>(value);
  return bits < 0 ? bits ^ INT64_MAX : bits;
}

namespace {

template <auto kFn>
void Unary(const LaneOp&, const Lane* a, const Lane*, const Lane*, int64_t n, Lane* out) {
  for (int64_t k = 0; k < n; ++k) out[k].f = kFn(a[k].f);
}

template <auto kFn>
void Binary(const LaneOp&, const Lane* a, const Lane* b, const Lane*, int64_t n, Lane* out) {
  for (int64_t k = 0; k < n; ++k) out[k].f = kFn(a[k].f, b[k].f);
}

void IsFinite(const LaneOp&, const Lane* a, const Lane*, const Lane*, int64_t n, Lane* out) {
  for (int64_t k = 0; k < n; ++k) out[k].i = std::isfinite(a[k].f);
}

void Clamp(const LaneOp&, const Lane* low, const Lane* x, const Lane* high, int64_t n, Lane* out) {
  for (int64_t k = 0; k < n; ++k) {
    // A NaN bound must win over a finite x, as FloatMaximum and FloatMinimum see to.
    out[k].f = FloatMinimum(FloatMaximum(x[k].f, low[k].f), high[k].f);
  }
}

double Sign(double x) { return std::isnan(x) || x == 0 ? x : std::copysign(1.0, x); }

// One kernel for f64, through long double, and one for everything narrower.
template <auto kWide, auto kDouble>
LaneKernel ByWidth(ElementType type) {
  return type == ElementType::kF64 ? &Unary<kWide> : &Unary<kDouble>;
}

using Wide = long double;

LaneKernel FindTranscendental(Opcode opcode, ElementType type) {
#define ASTITCH_MATH(enumerator, expression)  \
  case Opcode::enumerator:                    \
    return ByWidth<[](double v) {             \
      const Wide x = v;                       \
      return static_cast<double>(expression); \
    },                                        \
                   [](double x) { return static_cast<double>(expression); }>(type);
  switch (opcode) {
    ASTITCH_MATH(kAcos, std::acos(x))
    ASTITCH_MATH(kAcosh, std::acosh(x))
    ASTITCH_MATH(kAsin, std::asin(x))
    ASTITCH_MATH(kAsinh, std::asinh(x))
    ASTITCH_MATH(kAtan, std::atan(x))
    ASTITCH_MATH(kAtanh, std::atanh(x))
    ASTITCH_MATH(kCbrt, std::cbrt(x))
    ASTITCH_MATH(kCosh, std::cosh(x))
    ASTITCH_MATH(kCosine, std::cos(x))
    ASTITCH_MATH(kErf, std::erf(x))
    ASTITCH_MATH(kExponential, std::exp(x))
    ASTITCH_MATH(kExponentialMinusOne, std::expm1(x))
    ASTITCH_MATH(kLog, std::log(x))
    ASTITCH_MATH(kLogPlusOne, std::log1p(x))
    ASTITCH_MATH(kLogistic, 1 / (1 + std::exp(-x)))
    ASTITCH_MATH(kRsqrt, 1 / std::sqrt(x))
    ASTITCH_MATH(kSine, std::sin(x))
    ASTITCH_MATH(kSinh, std::sinh(x))
    ASTITCH_MATH(kSqrt, std::sqrt(x))
    ASTITCH_MATH(kTan, std::tan(x))
    ASTITCH_MATH(kTanh, std::tanh(x))
    default:
      return nullptr;
  }
#undef ASTITCH_MATH
}

LaneKernel FindBinary(Opcode opcode, ElementType type) {
  const bool wide = type == ElementType::kF64;
  switch (opcode) {
    case Opcode::kAdd:
      return &Binary<[](double a, double b) { return a + b; }>;
    case Opcode::kSubtract:
      return &Binary<[](double a, double b) { return a - b; }>;
    case Opcode::kMultiply:
      return &Binary<[](double a, double b) { return a * b; }>;
    case Opcode::kDivide:
      return &Binary<[](double a, double b) { return a / b; }>;
    case Opcode::kRemainder:
      return &Binary<[](double a, double b) { return std::fmod(a, b); }>;
    case Opcode::kMaximum:
      return &Binary<FloatMaximum>;
    case Opcode::kMinimum:
      return &Binary<FloatMinimum>;
    case Opcode::kPower:
      if (!wide) return &Binary<[](double a, double b) { return std::pow(a, b); }>;
      return &Binary<[](double a, double b) { return static_cast<double>(powl(a, b)); }>;
    case Opcode::kAtan2:
      if (!wide) return &Binary<[](double y, double x) { return std::atan2(y, x); }>;
      return &Binary<[](double y, double x) { return static_cast<double>(atan2l(y, x)); }>;
    default:
      return nullptr;
  }
}

}  // namespace

LaneKernel FindFloatKernel(Opcode opcode, ElementType type) {
  switch (opcode) {
    case Opcode::kAbs:
      return &Unary<[](double x) { return std::fabs(x); }>;
    case Opcode::kNegate:
      return &Unary<[](double x) { return -x; }>;
    case Opcode::kSign:
      return &Unary<Sign>;
    case Opcode::kFloor:
      return &Unary<[](double x) { return std::floor(x); }>;
    case Opcode::kCeil:
      return &Unary<[](double x) { return std::ceil(x); }>;
    case Opcode::kRoundNearestAfz:
      return &Unary<[](double x) { return std::round(x); }>;
    case Opcode::kRoundNearestEven:
      return &Unary<[](double x) { return std::nearbyint(x); }>;
    case Opcode::kImag:
      return &Unary<[](double) { return 0.0; }>;
    case Opcode::kIsFinite:
      return &IsFinite;
    case Opcode::kClamp:
      return &Clamp;
    case Opcode::kReducePrecision:
      return ReducePrecisionKernel();
    default:
      break;
  }
  if (const LaneKernel kernel = FindBinary(opcode, type)) return kernel;
  return FindTranscendental(opcode, type);  // null for what is not defined on floats
}

}  // namespace astitch::interp
