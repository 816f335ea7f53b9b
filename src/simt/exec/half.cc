// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Rounds a double to f16, bf16 and the eight-bit floats in any mode, and the fused form by odd
// rounding.
#include "simt/exec/half.h"

#include <algorithm>
#include <limits>

namespace astitch::simt {
namespace {

bool RoundsUp(double fraction, bool odd, bool negative, Rounding mode) {
  switch (mode) {
    case Rounding::kNearest:
      return fraction > 0.5 || (fraction == 0.5 && odd);
    case Rounding::kAway:
      return fraction >= 0.5;
    case Rounding::kZero:
      return false;
    case Rounding::kDown:
      return negative && fraction > 0;
    case Rounding::kUp:
      return !negative && fraction > 0;
  }
  return false;
}

// VALUE's magnitude in units of the last place, with the exponent above it; may overflow.
uint32_t RoundMagnitude(double magnitude, bool negative, int exponent_bits, int mantissa_bits,
                        Rounding mode) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  int exponent;
  std::frexp(magnitude, &exponent);
  exponent = std::max(exponent - 1, 1 - bias);
  const double scaled = std::ldexp(magnitude, mantissa_bits - exponent);
  const double whole = std::floor(scaled);
  uint64_t units = static_cast<uint64_t>(whole);
  units += RoundsUp(scaled - whole, (units & 1) != 0, negative, mode);
  return static_cast<uint32_t>((static_cast<uint64_t>(exponent + bias - 1) << mantissa_bits) +
                               units);
}

double ToOddMagnitude(uint64_t magnitude) {
  const int extra = std::max(0, 64 - std::countl_zero(magnitude) - 53);
  const uint64_t lost = magnitude & ((uint64_t{1} << extra) - 1);
  const uint64_t kept = magnitude >> extra | (lost != 0);
  return std::ldexp(static_cast<double>(kept), extra);
}

}  // namespace

uint32_t RoundToFormat(double value, int exponent_bits, int mantissa_bits, Rounding mode) {
  const uint32_t infinity = ((1u << exponent_bits) - 1) << mantissa_bits;
  const bool negative = std::signbit(value);
  const uint32_t sign = static_cast<uint32_t>(negative) << (exponent_bits + mantissa_bits);
  if (std::isnan(value)) return (1u << (exponent_bits + mantissa_bits)) - 1;
  if (std::isinf(value)) return sign | infinity;
  if (value == 0) return sign;
  // Far above every format here; keeps the shift below in range.
  const double magnitude = std::min(std::fabs(value), 0x1p130);
  const uint32_t bits = RoundMagnitude(magnitude, negative, exponent_bits, mantissa_bits, mode);
  if (bits < infinity) return sign | bits;
  const bool to_infinity = mode == Rounding::kNearest || mode == Rounding::kAway ||
                           mode == (negative ? Rounding::kDown : Rounding::kUp);
  return sign | (to_infinity ? infinity : infinity - 1);
}

uint8_t ToE4M3(double value) {
  if (std::isnan(value)) return 0x7F;
  const uint8_t sign = std::signbit(value) ? 0x80 : 0;
  if (std::fabs(value) >= 448) return sign | 0x7E;
  if (value == 0) return sign;
  return static_cast<uint8_t>(
      sign | std::min(RoundMagnitude(std::fabs(value), false, 4, 3, Rounding::kNearest), 0x7Eu));
}

uint8_t ToE5M2(double value) {
  if (std::isnan(value)) return 0x7F;
  const uint32_t bits = RoundToFormat(value, 5, 2, Rounding::kNearest);
  return static_cast<uint8_t>((bits & 0x7F) >= 0x7C ? (bits & 0x80) | 0x7B : bits);
}

double FromE4M3(uint8_t bits) {
  if ((bits & 0x7F) == 0x7F) return std::numeric_limits<double>::quiet_NaN();
  const int exponent = bits >> 3 & 15, mantissa = bits & 7;
  const double magnitude =
      exponent == 0 ? std::ldexp(mantissa, -9) : std::ldexp(8 + mantissa, exponent - 10);
  return (bits & 0x80) != 0 ? -magnitude : magnitude;
}

double FromE5M2(uint8_t bits) { return ToFloat(F16{static_cast<uint16_t>(bits << 8)}); }

double FmaToOdd(double a, double b, double c) {
  const double product = a * b;
  const double sum = product + c;
  if (!std::isfinite(sum)) return sum;
  const double c_part = sum - product;
  const double error = (product - (sum - c_part)) + (c - c_part);
  if (error == 0 || (std::bit_cast<uint64_t>(sum) & 1) != 0) return sum;
  return std::nextafter(sum, error > 0 ? std::numeric_limits<double>::infinity()
                                       : -std::numeric_limits<double>::infinity());
}

double ToOdd(uint64_t value) { return ToOddMagnitude(value); }

double ToOdd(int64_t value) {
  if (value >= 0) return ToOddMagnitude(static_cast<uint64_t>(value));
  return -ToOddMagnitude(-static_cast<uint64_t>(value));
}

}  // namespace astitch::simt
