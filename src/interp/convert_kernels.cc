// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Conversions between lanes: one rounding from the source value to the target, whatever lies
// between them.
#include <algorithm>
#include <cmath>

#include "interp/lane_op.h"
#include "ir/number.h"

namespace astitch::interp {
namespace {

void KeepLanes(const LaneOp&, const Lane* a, const Lane*, const Lane*, int64_t n, Lane* out) {
  for (int64_t k = 0; k < n; ++k) out[k] = a[k];
}

void IntegerToPred(const LaneOp&, const Lane* a, const Lane*, const Lane*, int64_t n, Lane* out) {
  for (int64_t k = 0; k < n; ++k) out[k].i = a[k].i != 0;
}

void FloatToInteger(const LaneOp& op, const Lane* a, const Lane*, const Lane*, int64_t n,
                    Lane* out) {
  for (int64_t k = 0; k < n; ++k) out[k].i = SaturateToInteger(op.result_type, a[k].f);
}

// An integer past 2^53 on its way to a type narrower than f64 must not round twice: the double is
// cut off with its last bit set where something was lost (round to odd), which rounds on as the
// integer itself would.
double MagnitudeToOdd(uint64_t magnitude) {
  const int excess = 64 - 53 - std::min(64 - 53, __builtin_clzll(magnitude | 1));
  if (excess == 0) return static_cast<double>(magnitude);
  uint64_t kept = magnitude >> excess;
  if (kept << excess != magnitude) kept |= 1;
  return std::ldexp(static_cast<double>(kept), excess);
}

template <bool kUnsigned, bool kToF64>
void IntegerToFloat(const LaneOp&, const Lane* a, const Lane*, const Lane*, int64_t n, Lane* out) {
  for (int64_t k = 0; k < n; ++k) {
    const int64_t value = a[k].i;
    const uint64_t bits = static_cast<uint64_t>(value);
    if constexpr (kToF64) {
      out[k].f = kUnsigned ? static_cast<double>(bits) : static_cast<double>(value);
    } else {
      const bool negative = !kUnsigned && value < 0;
      const double magnitude = MagnitudeToOdd(negative ? -bits : bits);
      out[k].f = negative ? -magnitude : magnitude;
    }
  }
}

LaneKernel IntegerToFloatKernel(ElementType from, ElementType to) {
  const bool to_f64 = to == ElementType::kF64;
  if (IsUnsigned(from)) return to_f64 ? &IntegerToFloat<true, true> : &IntegerToFloat<true, false>;
  return to_f64 ? &IntegerToFloat<false, true> : &IntegerToFloat<false, false>;
}

// The value as a float would have it, and nothing imaginary.
void RealToComplex(const LaneOp& op, const Lane* a, const Lane*, const Lane*, int64_t n,
                   Lane* out) {
  const ElementType part =
      op.result_type == ElementType::kC64 ? ElementType::kF32 : ElementType::kF64;
  FindConvertKernel(op.operand_types[0], part)(op, a, nullptr, nullptr, n, out);
  for (int64_t k = 0; k < n; ++k) out[k].im = 0;
}

// |x| is cut off, and one is added when the random number, read as a fraction of its type's range,
// lies below what was cut.
int64_t StochasticRound(ElementType to, double x, uint64_t random, int random_bits) {
  if (std::isnan(x)) return 0;
  if (x >= static_cast<double>(MaxInteger(to))) return static_cast<int64_t>(MaxInteger(to));
  if (x <= static_cast<double>(MinInteger(to))) return MinInteger(to);
  const double magnitude = std::fabs(x);
  const double whole = std::trunc(magnitude);
  // Exact below 2^64: the fraction of a double has at most 53 significant bits.
  const double threshold = std::ldexp(magnitude - whole, random_bits);
  int64_t result = static_cast<int64_t>(static_cast<uint64_t>(whole));
  if (static_cast<long double>(random) < std::trunc(static_cast<long double>(threshold))) ++result;
  return x < 0 ? -result : result;
}

void StochasticConvert(const LaneOp& op, const Lane* a, const Lane* random, const Lane*, int64_t n,
                       Lane* out) {
  const int bits = BitWidth(op.operand_types[1]);
  for (int64_t k = 0; k < n; ++k) {
    out[k].i = StochasticRound(op.result_type, a[k].f, static_cast<uint64_t>(random[k].i), bits);
  }
}

// On the source's bits, as the definition has it: the mantissa rounds to nearest even with its
// carry running into the exponent; then what the narrower exponent cannot hold becomes an infinity
// or a zero. Subnormals of the target flush.
uint64_t ReduceMagnitude(uint64_t magnitude, const FloatFormat& format, int exponent_bits,
                         int mantissa_bits) {
  const uint64_t infinity = ((uint64_t{1} << format.exponent_bits) - 1) << format.mantissa_bits;
  if (const int shift = format.mantissa_bits - mantissa_bits; shift > 0) {
    const uint64_t last_kept = (magnitude >> shift) & 1;
    magnitude += (uint64_t{1} << (shift - 1)) - 1 + last_kept;
    magnitude &= ~((uint64_t{1} << shift) - 1);
  }
  if (exponent_bits < format.exponent_bits) {
    const int64_t target_bias = (int64_t{1} << (exponent_bits - 1)) - 1;
    const int64_t exponent = static_cast<int64_t>(magnitude >> format.mantissa_bits);
    if (exponent > format.bias + target_bias) return infinity;
    if (exponent <= format.bias - target_bias) return 0;
  }
  return magnitude;
}

void ReducePrecision(const LaneOp& op, const Lane* a, const Lane*, const Lane*, int64_t n,
                     Lane* out) {
  const ElementType type = op.operand_types[0];
  const FloatFormat format = FormatOf(type);
  const uint64_t sign = uint64_t{1} << (format.exponent_bits + format.mantissa_bits);
  for (int64_t k = 0; k < n; ++k) {
    out[k] = a[k];
    if (std::isnan(a[k].f)) continue;
    const uint64_t bits = EncodeFloat(type, a[k].f);
    const uint64_t magnitude =
        ReduceMagnitude(bits & (sign - 1), format, op.exponent_bits, op.mantissa_bits);
    out[k].f = DecodeFloat(type, (bits & sign) | magnitude);
  }
}

void BitcastConvert(const LaneOp& op, const Lane* a, const Lane*, const Lane*, int64_t n,
                    Lane* out) {
  for (int64_t k = 0; k < n; ++k) {
    std::byte bits[8] = {};
    Encode(op.operand_types[0], a + k, 1, bits);
    Decode(op.result_type, bits, 1, out + k);
  }
}

}  // namespace

LaneKernel FindBitcastConvertKernel(ElementType from, ElementType to) {
  if (IsComplex(from) || IsComplex(to) || BitWidth(from) != BitWidth(to)) return nullptr;
  return &BitcastConvert;
}

LaneKernel FindConvertKernel(ElementType from, ElementType to) {
  if (IsComplex(from)) return IsComplex(to) ? &KeepLanes : nullptr;
  if (IsComplex(to)) return &RealToComplex;
  if (IsFloat(from)) return IsFloat(to) ? &KeepLanes : &FloatToInteger;
  if (IsFloat(to)) return IntegerToFloatKernel(from, to);
  return IsPred(to) ? &IntegerToPred : &KeepLanes;  // the rest wraps when encoded
}

LaneKernel FindStochasticConvertKernel(ElementType from, ElementType to) {
  return IsFloat(from) && IsInteger(to) ? &StochasticConvert : nullptr;
}

LaneKernel ReducePrecisionKernel() { return &ReducePrecision; }

}  // namespace astitch::interp
