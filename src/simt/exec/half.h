// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The narrow float formats, through double: their sums, products, quotients and roots round twice
// without harm, since 53 bits are more than twice their own plus two. Only a fused multiply-add
// needs its sum rounded to odd first.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace astitch::simt {

enum class Rounding : uint8_t { kNearest, kZero, kDown, kUp, kAway };

// Bits of VALUE in a format with an infinity, rounded once.
uint32_t RoundToFormat(double value, int exponent_bits, int mantissa_bits, Rounding mode);
// e4m3 has no infinity, and NaN only as 0x7F; both fp8 conversions saturate.
uint8_t ToE4M3(double value);
uint8_t ToE5M2(double value);
double FromE4M3(uint8_t bits);
double FromE5M2(uint8_t bits);

// a * b + c, for the next rounding to be the only one that counts. REQUIRES: a * b is exact.
double FmaToOdd(double a, double b, double c);
// An integer of up to 64 bits, likewise.
double ToOdd(int64_t value);
double ToOdd(uint64_t value);

struct F16 {
  uint16_t bits;
  static constexpr int kExponentBits = 5, kMantissaBits = 10;
};
struct BF16 {
  uint16_t bits;
  static constexpr int kExponentBits = 8, kMantissaBits = 7;
};

inline float ToFloat(BF16 v) { return std::bit_cast<float>(static_cast<uint32_t>(v.bits) << 16); }
inline float ToFloat(F16 v) {
  const uint32_t sign = static_cast<uint32_t>(v.bits & 0x8000) << 16;
  const uint32_t exponent = v.bits >> 10 & 31, mantissa = v.bits & 0x3FF;
  if (exponent == 0) {
    const float tiny = static_cast<float>(mantissa) * 0x1p-24f;
    return sign != 0 ? -tiny : tiny;
  }
  const uint32_t wide = exponent == 31 ? 255u : exponent + 112;
  return std::bit_cast<float>(sign | wide << 23 | mantissa << 13);
}
inline float ToFloat(float v) { return v; }
inline double ToFloat(double v) { return v; }

template <typename T>
inline T Narrow(double value, Rounding mode = Rounding::kNearest) {
  return T{static_cast<uint16_t>(RoundToFormat(value, T::kExponentBits, T::kMantissaBits, mode))};
}
template <>
inline float Narrow<float>(double value, Rounding) {
  return static_cast<float>(value);
}
template <>
inline double Narrow<double>(double value, Rounding) {
  return value;
}

}  // namespace astitch::simt
