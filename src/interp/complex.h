// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Complex arithmetic where HLO's is not what std::complex has.
#pragma once

#include <cmath>
#include <complex>
#include <limits>

namespace astitch::interp {

using Complex = std::complex<double>;

// Four products and no more: operator* would bring infinities back from the NaNs that they become.
template <typename T>
std::complex<T> Multiply(const std::complex<T>& a, const std::complex<T>& b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

template <typename T>
T MultiplyAdd(T x, T y, T sum) {
  return sum + x * y;
}

template <typename T>
std::complex<T> MultiplyAdd(std::complex<T> x, std::complex<T> y, std::complex<T> sum) {
  return sum + Multiply(x, y);
}

inline double Divide(double a, double b) { return a / b; }

// As C99's Annex G has it: the divisor is scaled, so that its square stays in range, and quotients
// that are infinite or zero come out so, not as NaN.
template <typename T>
std::complex<T> Divide(const std::complex<T>& z, const std::complex<T>& w) {
  T a = z.real(), b = z.imag(), c = w.real(), d = w.imag();
  const T size = std::logb(std::fmax(std::fabs(c), std::fabs(d)));
  const int scale = std::isfinite(size) ? -static_cast<int>(size) : 0;
  c = std::scalbn(c, scale);
  d = std::scalbn(d, scale);
  const T square = c * c + d * d;
  const T x = std::scalbn((a * c + b * d) / square, scale);
  const T y = std::scalbn((b * c - a * d) / square, scale);
  if (!std::isnan(x) || !std::isnan(y)) return {x, y};
  constexpr T kInfinity = std::numeric_limits<T>::infinity();
  const auto unit = [](T v) { return std::copysign(T{std::isinf(v) ? 1.0 : 0.0}, v); };
  if (square == 0 && (!std::isnan(a) || !std::isnan(b))) {
    const T infinity = std::copysign(kInfinity, c);
    return {infinity * a, infinity * b};
  }
  if ((std::isinf(a) || std::isinf(b)) && std::isfinite(c) && std::isfinite(d)) {
    a = unit(a);
    b = unit(b);
    return {kInfinity * (a * c + b * d), kInfinity * (b * c - a * d)};
  }
  if (std::isinf(size) && size > 0 && std::isfinite(a) && std::isfinite(b)) {
    c = unit(c);
    d = unit(d);
    return {T{0} * (a * c + b * d), T{0} * (b * c - a * d)};
  }
  return {x, y};
}

}  // namespace astitch::interp
