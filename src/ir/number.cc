// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Generic float formats by integer arithmetic on the double's bits; f32 and f64 take the hardware's
// conversions.
#include "ir/number.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/check.h"

namespace astitch {
namespace {

using Specials = FloatFormat::Specials;

// Rounds MAGNITUDE (finite, >= 0) to the format and returns exponent and mantissa fields as one
// integer; may pass the top.
uint64_t RoundMagnitude(const FloatFormat& format, double magnitude) {
  if (magnitude == 0) return 0;
  int exponent;  // magnitude = fraction * 2^exponent, fraction in [0.5, 1)
  std::frexp(magnitude, &exponent);
  const int min_exponent = 1 - format.bias;            // of the smallest normal
  const int e = std::max(exponent - 1, min_exponent);  // subnormals share the smallest exponent
  // In units of the last place the value is below 2^(mantissa_bits + 2): exact in a double, so one
  // rounding happens.
  const double scaled = std::ldexp(magnitude, format.mantissa_bits - e);
  const uint64_t units = static_cast<uint64_t>(std::nearbyint(scaled));
  // Adding the exponent lets a mantissa carry move into the exponent field by itself.
  const uint64_t hidden = uint64_t{1} << format.mantissa_bits;
  if (units < hidden) return units;
  return (static_cast<uint64_t>(e + format.bias - 1) << format.mantissa_bits) + units;
}

uint64_t EncodePowerOfTwo(double value) {
  if (!(value > 0) || std::isinf(value)) return 0xff;
  int exponent;
  const double fraction = std::frexp(value, &exponent);  // in [0.5, 1)
  // Nearest power of two. A tie (fraction 0.75, significand 1.5) rounds its significand to the even
  // 2: always up.
  int code = exponent - 1 + 127;
  if (fraction >= 0.75) ++code;
  if (code < 0) code = 0;
  return code > 0xfe ? 0xff : code;
}

// The largest code of a finite magnitude.
uint64_t MaxFiniteCode(const FloatFormat& format) {
  const uint64_t all = (uint64_t{1} << (format.exponent_bits + format.mantissa_bits)) - 1;
  switch (format.specials) {
    case Specials::kIeee:
      return all - (uint64_t{1} << format.mantissa_bits);
    case Specials::kNanAllOnes:
      return all - 1;
    case Specials::kNanNegZero:
    case Specials::kFinite:
      return all;
    case Specials::kExponentOnly:
      return 0xfe;
  }
  ASTITCH_UNREACHABLE();
}

}  // namespace

uint64_t EncodeFloat(ElementType type, double value) {
  if (type == ElementType::kF64) return std::bit_cast<uint64_t>(value);
  if (type == ElementType::kF32) return std::bit_cast<uint32_t>(static_cast<float>(value));
  const FloatFormat format = FormatOf(type);
  if (format.specials == Specials::kExponentOnly) return EncodePowerOfTwo(value);
  const int width = format.exponent_bits + format.mantissa_bits;
  const uint64_t sign = static_cast<uint64_t>(std::signbit(value)) << width;
  const uint64_t all = (uint64_t{1} << width) - 1;
  const uint64_t infinity = all - ((uint64_t{1} << format.mantissa_bits) - 1);
  const bool nan = std::isnan(value);
  const uint64_t code =
      nan || std::isinf(value) ? all + 1 : RoundMagnitude(format, std::fabs(value));
  const bool overflow = code > MaxFiniteCode(format);
  switch (format.specials) {
    case Specials::kIeee:
      if (nan) return sign | infinity | (uint64_t{1} << (format.mantissa_bits - 1));
      return sign | (overflow ? infinity : code);
    case Specials::kNanAllOnes:
      return sign | (overflow ? all : code);
    case Specials::kNanNegZero:
      if (overflow) return uint64_t{1} << width;
      return code == 0 ? 0 : sign | code;
    case Specials::kFinite:
      return sign | (overflow ? all : code);
    case Specials::kExponentOnly:
      break;
  }
  ASTITCH_UNREACHABLE();
}

double DecodeFloat(ElementType type, uint64_t bits) {
  if (type == ElementType::kF64) return std::bit_cast<double>(bits);
  if (type == ElementType::kF32) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  const FloatFormat format = FormatOf(type);
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  if (format.specials == Specials::kExponentOnly) {
    return bits == 0xff ? kNan : std::ldexp(1.0, static_cast<int>(bits) - 127);
  }
  const int width = format.exponent_bits + format.mantissa_bits;
  const bool negative = (bits >> width) & 1;
  const uint64_t code = bits & ((uint64_t{1} << width) - 1);
  const uint64_t exponent = code >> format.mantissa_bits;
  const uint64_t mantissa = code & ((uint64_t{1} << format.mantissa_bits) - 1);
  const uint64_t top = (uint64_t{1} << format.exponent_bits) - 1;
  double magnitude;
  if (format.specials == Specials::kIeee && exponent == top) {
    magnitude = mantissa == 0 ? std::numeric_limits<double>::infinity() : kNan;
  } else if (format.specials == Specials::kNanAllOnes && code == (uint64_t{1} << width) - 1) {
    magnitude = kNan;
  } else if (format.specials == Specials::kNanNegZero && negative && code == 0) {
    return kNan;
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<double>(mantissa), 1 - format.bias - format.mantissa_bits);
  } else {
    magnitude = std::ldexp(static_cast<double>(mantissa | (uint64_t{1} << format.mantissa_bits)),
                           static_cast<int>(exponent) - format.bias - format.mantissa_bits);
  }
  return negative ? -magnitude : magnitude;
}

double MaxFinite(ElementType type) {
  if (type == ElementType::kF64) return std::numeric_limits<double>::max();
  return DecodeFloat(type, MaxFiniteCode(FormatOf(type)));
}

bool HasInfinity(ElementType type) { return FormatOf(type).specials == Specials::kIeee; }
bool HasNan(ElementType type) { return FormatOf(type).specials != Specials::kFinite; }

int64_t WrapInteger(ElementType type, int64_t value) {
  if (IsPred(type)) return value != 0;
  const int bits = BitWidth(type);
  if (bits == 64) return value;
  const uint64_t low = static_cast<uint64_t>(value) & ((uint64_t{1} << bits) - 1);
  if (IsUnsigned(type)) return static_cast<int64_t>(low);
  const uint64_t sign = uint64_t{1} << (bits - 1);
  return static_cast<int64_t>((low ^ sign) - sign);
}

int64_t MinInteger(ElementType type) {
  return IsSigned(type) ? -static_cast<int64_t>((uint64_t{1} << (BitWidth(type) - 1)) - 1) - 1 : 0;
}

uint64_t MaxInteger(ElementType type) {
  const int bits = IsSigned(type) ? BitWidth(type) - 1 : BitWidth(type);
  return bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
}

int64_t SaturateToInteger(ElementType type, double value) {
  if (IsPred(type)) return value != 0 || std::isnan(value);
  if (std::isnan(value)) return 0;
  value = std::trunc(value);
  if (value <= static_cast<double>(MinInteger(type))) return MinInteger(type);
  // 2^bits as a double: anything from there on saturates, and 2^63-1 itself is no double.
  if (value >= std::ldexp(1.0, IsSigned(type) ? BitWidth(type) - 1 : BitWidth(type))) {
    return static_cast<int64_t>(MaxInteger(type));
  }
  return IsUnsigned(type) ? static_cast<int64_t>(static_cast<uint64_t>(value))
                          : static_cast<int64_t>(value);
}

uint64_t LoadBits(ElementType type, const std::byte* at) {
  uint64_t bits = 0;
  std::memcpy(&bits, at, ByteWidth(type));  // little-endian, as every target is
  return bits;
}

void StoreBits(ElementType type, std::byte* at, uint64_t bits) {
  std::memcpy(at, &bits, ByteWidth(type));
}

int64_t LoadAsInteger(ElementType type, const std::byte* at) {
  return WrapInteger(type, static_cast<int64_t>(LoadBits(type, at)));
}

double LoadAsDouble(ElementType type, const std::byte* at) {
  if (IsFloat(type)) return DecodeFloat(type, LoadBits(type, at));
  const int64_t value = LoadAsInteger(type, at);
  return IsUnsigned(type) ? static_cast<double>(static_cast<uint64_t>(value))
                          : static_cast<double>(value);
}

void StoreFromDouble(ElementType type, std::byte* at, double value) {
  StoreBits(type, at,
            IsFloat(type) ? EncodeFloat(type, value)
                          : static_cast<uint64_t>(SaturateToInteger(type, value)));
}

}  // namespace astitch
