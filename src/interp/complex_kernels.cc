// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Elementwise operations on complex numbers: principal values with the branch cuts and the signed
// zeros of C99. Sums and products are made of doubles; what can overflow on its way, or lose
// digits, goes through long double for c128, which has both to spare, as doubles have for c64.
#include "interp/complex.h"
#include "interp/lane_op.h"

namespace astitch::interp {
namespace {

using Wide = long double;

template <typename T>
std::complex<T> FromLane(const Lane& lane) {
  return {lane.f, lane.im};
}

template <typename T>
Lane ToLane(const std::complex<T>& z) {
  return {.f = static_cast<double>(z.real()), .im = static_cast<double>(z.imag())};
}

template <typename T, auto kFn>
void Unary(const LaneOp&, const Lane* a, const Lane*, const Lane*, int64_t n, Lane* out) {
  for (int64_t k = 0; k < n; ++k) out[k] = ToLane(kFn(FromLane<T>(a[k])));
}

template <typename T, auto kFn>
void Binary(const LaneOp&, const Lane* a, const Lane* b, const Lane*, int64_t n, Lane* out) {
  for (int64_t k = 0; k < n; ++k) out[k] = ToLane(kFn(FromLane<T>(a[k]), FromLane<T>(b[k])));
}

template <auto kFn>
LaneKernel UnaryByWidth(ElementType type) {
  return type == ElementType::kC128 ? &Unary<Wide, kFn> : &Unary<double, kFn>;
}

template <auto kFn>
LaneKernel BinaryByWidth(ElementType type) {
  return type == ElementType::kC128 ? &Binary<Wide, kFn> : &Binary<double, kFn>;
}

void Imaginary(const LaneOp&, const Lane* a, const Lane*, const Lane*, int64_t n, Lane* out) {
  for (int64_t k = 0; k < n; ++k) out[k].f = a[k].im;
}

void FromParts(const LaneOp&, const Lane* a, const Lane* b, const Lane*, int64_t n, Lane* out) {
  for (int64_t k = 0; k < n; ++k) out[k] = {.f = a[k].f, .im = b[k].f};
}

template <bool kHolds>
void CompareEqual(const LaneOp&, const Lane* a, const Lane* b, const Lane*, int64_t n, Lane* out) {
  for (int64_t k = 0; k < n; ++k) out[k].i = (a[k].z() == b[k].z()) == kHolds;
}

template <typename T>
std::complex<T> Sign(const std::complex<T>& z) {
  if (z == T{0}) return z;
  const T size = std::hypot(z.real(), z.imag());
  return {z.real() / size, z.imag() / size};
}

// e^z - 1 and e^z + 1 where |Re z| < 1. Their real parts are sums of what is known to its last
// digit, of one sign around zero and around i pi:
//   e^x cos y - 1 = (e^x - 1) cos y - 2 sin^2(y/2)
//   e^x cos y + 1 = (e^x - 1) cos y + 2 cos^2(y/2)
template <typename T>
std::complex<T> ExpMinusOne(const std::complex<T>& z) {
  const T x = z.real(), y = z.imag();
  if (!(std::fabs(x) < 1)) return std::exp(z) - T{1};
  const T half = std::sin(y / 2);
  return {std::expm1(x) * std::cos(y) - 2 * half * half, std::exp(x) * std::sin(y)};
}

template <typename T>
std::complex<T> ExpPlusOne(const std::complex<T>& z) {
  const T x = z.real(), y = z.imag();
  if (!(std::fabs(x) < 1)) return std::exp(z) + T{1};
  const T half = std::cos(y / 2);
  return {std::expm1(x) * std::cos(y) + 2 * half * half, std::exp(x) * std::sin(y)};
}

// Of 1 / (1 + e^-z) = e^z / (1 + e^z) the form whose exponential is at most one.
template <typename T>
std::complex<T> Logistic(const std::complex<T>& z) {
  if (z.real() < 0) return Divide(std::exp(z), ExpPlusOne(z));
  return Divide(std::complex<T>{1}, ExpPlusOne(-z));
}

// A + B as a rounded sum and what the rounding lost, which is added to LOST.
template <typename T>
T AddExactly(T a, T b, T& lost) {
  const T sum = a + b;
  const T b_in_sum = sum - a;
  lost += (a - (sum - b_in_sum)) + (b - b_in_sum);
  return sum;
}

// Re log(1 + z) = log1p(|1 + z|^2 - 1) / 2, where 2x + x^2 + y^2 may cancel to its last digits. Towards z = -1 that
// is little more than -1, and 1 + x is exact.
template <typename T>
std::complex<T> LogPlusOne(const std::complex<T>& z) {
  const T x = z.real(), y = z.imag();
  if (!(x > T{-0.5} && x < 2 && std::fabs(y) < 2)) return std::log(T{1} + z);
  const T xx = x * x, yy = y * y;
  T lost = std::fma(x, x, -xx) + std::fma(y, y, -yy);
  const T sum = AddExactly(AddExactly(2 * x, yy, lost), xx, lost);
  return {std::log1p(sum + lost) / 2, std::atan2(y, 1 + x)};
}

template <typename T>
std::complex<T> Power(const std::complex<T>& z, const std::complex<T>& w) {
  constexpr T kNan = std::numeric_limits<T>::quiet_NaN();
  if (z != T{0}) return std::exp(Multiply(w, std::log(z)));
  if (w == T{0}) return T{1};
  if (w.real() > 0) return T{0};
  return {kNan, kNan};
}

// -i log((x + i y) / sqrt(x^2 + y^2))
template <typename T>
std::complex<T> Atan2(const std::complex<T>& y, const std::complex<T>& x) {
  const std::complex<T> point(x.real() - y.imag(), x.imag() + y.real());
  const std::complex<T> log = std::log(Divide(point, std::sqrt(Multiply(x, x) + Multiply(y, y))));
  return {log.imag(), -log.real()};
}

LaneKernel FindTranscendental(Opcode opcode, ElementType type) {
  switch (opcode) {
    case Opcode::kAcos:
      return UnaryByWidth<[](const auto& z) { return std::acos(z); }>(type);
    case Opcode::kAcosh:
      return UnaryByWidth<[](const auto& z) { return std::acosh(z); }>(type);
    case Opcode::kAsin:
      return UnaryByWidth<[](const auto& z) { return std::asin(z); }>(type);
    case Opcode::kAsinh:
      return UnaryByWidth<[](const auto& z) { return std::asinh(z); }>(type);
    case Opcode::kAtan:
      return UnaryByWidth<[](const auto& z) { return std::atan(z); }>(type);
    case Opcode::kAtanh:
      return UnaryByWidth<[](const auto& z) { return std::atanh(z); }>(type);
    case Opcode::kCosh:
      return UnaryByWidth<[](const auto& z) { return std::cosh(z); }>(type);
    case Opcode::kCosine:
      return UnaryByWidth<[](const auto& z) { return std::cos(z); }>(type);
    case Opcode::kExponential:
      return UnaryByWidth<[](const auto& z) { return std::exp(z); }>(type);
    case Opcode::kExponentialMinusOne:
      return UnaryByWidth<[](const auto& z) { return ExpMinusOne(z); }>(type);
    case Opcode::kLog:
      return UnaryByWidth<[](const auto& z) { return std::log(z); }>(type);
    case Opcode::kLogPlusOne:
      return UnaryByWidth<[](const auto& z) { return LogPlusOne(z); }>(type);
    case Opcode::kLogistic:
      return UnaryByWidth<[](const auto& z) { return Logistic(z); }>(type);
    case Opcode::kRsqrt:
      return UnaryByWidth<[]<typename T>(const std::complex<T>& z) {
        return Divide(std::complex<T>{1}, std::sqrt(z));
      }>(type);
    case Opcode::kSine:
      return UnaryByWidth<[](const auto& z) { return std::sin(z); }>(type);
    case Opcode::kSinh:
      return UnaryByWidth<[](const auto& z) { return std::sinh(z); }>(type);
    case Opcode::kSqrt:
      return UnaryByWidth<[](const auto& z) { return std::sqrt(z); }>(type);
    case Opcode::kTan:
      return UnaryByWidth<[](const auto& z) { return std::tan(z); }>(type);
    case Opcode::kTanh:
      return UnaryByWidth<[](const auto& z) { return std::tanh(z); }>(type);
    case Opcode::kPower:
      return BinaryByWidth<[](const auto& z, const auto& w) { return Power(z, w); }>(type);
    case Opcode::kAtan2:
      return BinaryByWidth<[](const auto& y, const auto& x) { return Atan2(y, x); }>(type);
    default:
      return nullptr;
  }
}

}  // namespace

LaneKernel FindComplexKernel(Opcode opcode, ElementType type) {
  switch (opcode) {
    case Opcode::kAbs:
      return UnaryByWidth<[]<typename T>(const std::complex<T>& z) {
        return std::complex<T>(std::hypot(z.real(), z.imag()));
      }>(type);
    case Opcode::kImag:
      return &Imaginary;
    case Opcode::kNegate:
      return &Unary<double, [](const Complex& z) { return -z; }>;
    case Opcode::kSign:
      return UnaryByWidth<[](const auto& z) { return Sign(z); }>(type);
    case Opcode::kAdd:
      return &Binary<double, [](const Complex& a, const Complex& b) { return a + b; }>;
    case Opcode::kSubtract:
      return &Binary<double, [](const Complex& a, const Complex& b) { return a - b; }>;
    case Opcode::kMultiply:
      return &Binary<double, [](const Complex& a, const Complex& b) { return Multiply(a, b); }>;
    case Opcode::kDivide:
      return BinaryByWidth<[](const auto& a, const auto& b) { return Divide(a, b); }>(type);
    default:
      return FindTranscendental(opcode, type);  // null for what is not defined on complex numbers
  }
}

LaneKernel FindComplexCompareKernel(ComparisonDirection direction) {
  switch (direction) {
    case ComparisonDirection::kEq:
      return &CompareEqual<true>;
    case ComparisonDirection::kNe:
      return &CompareEqual<false>;
    default:  // they have no order
      return nullptr;
  }
}

LaneKernel ComplexFromPartsKernel() { return &FromParts; }

}  // namespace astitch::interp
