// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Bulk decoding and encoding. Floats of at most 16 bits decode through a table; f16 and bf16 round
// by integer arithmetic on the double's bits where the result is a normal number, and by the
// general encoder elsewhere.
#include "interp/lanes.h"

#include <bit>
#include <cstring>
#include <vector>

#include "base/check.h"
#include "ir/number.h"

namespace astitch::interp {
namespace {

// Every value of a narrow float type, by code. Built once a type, on first use.
std::vector<double> MakeTable(ElementType type) {
  std::vector<double> table(size_t{1} << (8 * ByteWidth(type)));
  const uint64_t codes = uint64_t{1} << BitWidth(type);
  for (uint64_t code = 0; code < table.size(); ++code) {
    table[code] = DecodeFloat(type, code & (codes - 1));
  }
  return table;
}

template <ElementType kType>
const double* Table() {
  static const std::vector<double> table = MakeTable(kType);
  return table.data();
}

const double* NarrowTable(ElementType type) {
  switch (type) {
#define ASTITCH_X(enumerator, word, bits, kind)                       \
  case ElementType::enumerator:                                       \
    if constexpr (TypeKind::kind == TypeKind::kFloat && bits <= 16) { \
      return Table<ElementType::enumerator>();                        \
    }                                                                 \
    break;
    ASTITCH_ELEMENT_TYPES(ASTITCH_X)
#undef ASTITCH_X
  }
  ASTITCH_UNREACHABLE();
}

template <typename T>
T Load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

// Calls FN with a function that reads element INDEX of SRC into a lane.
template <typename Fn>
void WithReader(ElementType type, const std::byte* src, Fn fn) {
  const auto integers = [&]<typename T>(T) {
    fn([src](int64_t k) { return Lane{.i = static_cast<int64_t>(Load<T>(src + k * sizeof(T)))}; });
  };
  if (type == ElementType::kF32) {
    return fn([src](int64_t k) { return Lane{.f = Load<float>(src + 4 * k)}; });
  }
  if (type == ElementType::kF64) {
    return fn([src](int64_t k) { return Lane{.f = Load<double>(src + 8 * k)}; });
  }
  if (type == ElementType::kC64) {
    return fn([src](int64_t k) {
      return Lane{.f = Load<float>(src + 8 * k), .im = Load<float>(src + 8 * k + 4)};
    });
  }
  if (type == ElementType::kC128) {
    return fn([src](int64_t k) {
      return Lane{.f = Load<double>(src + 16 * k), .im = Load<double>(src + 16 * k + 8)};
    });
  }
  if (IsFloat(type)) {
    const double* table = NarrowTable(type);
    if (ByteWidth(type) == 1) {
      return fn([src, table](int64_t k) { return Lane{.f = table[Load<uint8_t>(src + k)]}; });
    }
    return fn([src, table](int64_t k) { return Lane{.f = table[Load<uint16_t>(src + 2 * k)]}; });
  }
  switch (BitWidth(type)) {
    case 8:
      return IsSigned(type) ? integers(int8_t{}) : integers(uint8_t{});
    case 16:
      return IsSigned(type) ? integers(int16_t{}) : integers(uint16_t{});
    case 32:
      return IsSigned(type) ? integers(int32_t{}) : integers(uint32_t{});
    case 64:
      return integers(int64_t{});
    default:  // pred and the types narrower than a byte: whatever the high bits hold
      return fn([src, type](int64_t k) { return Lane{.i = LoadAsInteger(type, src + k)}; });
  }
}

// Rounds VALUE to 16 bits with MANTISSA_BITS; BIAS is the format's.
template <int kMantissaBits, int kBias>
uint64_t EncodeHalf(ElementType type, double value) {
  constexpr int kShift = 52 - kMantissaBits;
  constexpr uint64_t kMinNormal = static_cast<uint64_t>(1023 - kBias + 1) << 52;
  constexpr uint64_t kMaxNormal = static_cast<uint64_t>(1023 + kBias) << 52;
  const uint64_t bits = std::bit_cast<uint64_t>(value);
  const uint64_t magnitude = bits & ~(uint64_t{1} << 63);
  if (magnitude < kMinNormal || magnitude >= kMaxNormal) return EncodeFloat(type, value);
  const uint64_t half = (uint64_t{1} << (kShift - 1)) - 1 + ((magnitude >> kShift) & 1);
  const uint64_t code = (magnitude + half - (static_cast<uint64_t>(1023 - kBias) << 52)) >> kShift;
  return (bits >> 63) << 15 | code;
}

// Calls FN with the function from a lane to the bits that are stored.
template <typename Fn>
void WithFloatEncoder(ElementType type, Fn fn) {
  if (type == ElementType::kF16) {
    return fn([](double v) { return EncodeHalf<10, 15>(ElementType::kF16, v); });
  }
  if (type == ElementType::kBF16) {
    return fn([](double v) { return EncodeHalf<7, 127>(ElementType::kBF16, v); });
  }
  return fn([type](double v) { return EncodeFloat(type, v); });
}

template <typename T>
void StoreIntegers(const Lane* lanes, int64_t n, std::byte* dst) {
  for (int64_t k = 0; k < n; ++k) {
    const T value = static_cast<T>(lanes[k].i);
    std::memcpy(dst + k * sizeof(T), &value, sizeof(T));
  }
}

void StoreComplex(ElementType type, const Lane* lanes, int64_t n, std::byte* dst) {
  for (int64_t k = 0; k < n; ++k) {
    if (type == ElementType::kC64) {
      const float parts[2] = {static_cast<float>(lanes[k].f), static_cast<float>(lanes[k].im)};
      std::memcpy(dst + k * sizeof(parts), parts, sizeof(parts));
    } else {
      const double parts[2] = {lanes[k].f, lanes[k].im};
      std::memcpy(dst + k * sizeof(parts), parts, sizeof(parts));
    }
  }
}

}  // namespace

void Decode(ElementType type, const std::byte* src, int64_t n, Lane* out) {
  WithReader(type, src, [n, out](auto read) {
    for (int64_t k = 0; k < n; ++k) out[k] = read(k);
  });
}

void DecodeAt(ElementType type, const std::byte* src, int64_t base, const int64_t* offsets,
              int64_t n, Lane* out) {
  WithReader(type, src, [=](auto read) {
    for (int64_t k = 0; k < n; ++k) out[k] = read(base + offsets[k]);
  });
}

void Encode(ElementType type, const Lane* lanes, int64_t n, std::byte* dst) {
  if (type == ElementType::kF32) {
    for (int64_t k = 0; k < n; ++k) {
      const float value = static_cast<float>(lanes[k].f);
      std::memcpy(dst + 4 * k, &value, 4);
    }
    return;
  }
  if (type == ElementType::kF64) {
    for (int64_t k = 0; k < n; ++k) std::memcpy(dst + 8 * k, &lanes[k].f, 8);
    return;
  }
  if (IsComplex(type)) return StoreComplex(type, lanes, n, dst);
  if (IsFloat(type)) {
    const int width = ByteWidth(type);
    return WithFloatEncoder(type, [=](auto encode) {
      for (int64_t k = 0; k < n; ++k) {
        const uint64_t bits = encode(lanes[k].f);
        std::memcpy(dst + k * width, &bits, width);
      }
    });
  }
  switch (BitWidth(type)) {
    case 8:
      return StoreIntegers<int8_t>(lanes, n, dst);
    case 16:
      return StoreIntegers<int16_t>(lanes, n, dst);
    case 32:
      return StoreIntegers<int32_t>(lanes, n, dst);
    case 64:
      return StoreIntegers<int64_t>(lanes, n, dst);
    default:
      for (int64_t k = 0; k < n; ++k) {
        dst[k] = static_cast<std::byte>(WrapInteger(type, lanes[k].i));
      }
  }
}

void Round(ElementType type, Lane* lanes, int64_t n) {
  if (type == ElementType::kC64) {
    // A loop a part: GCC 12 takes both parts of a lane for one vector and then drops its conversion
    // to float and back as if nothing were lost.
    for (int64_t k = 0; k < n; ++k) lanes[k].f = static_cast<float>(lanes[k].f);
    for (int64_t k = 0; k < n; ++k) lanes[k].im = static_cast<float>(lanes[k].im);
    return;
  }
  if (BitWidth(type) >= 64) return;
  if (type == ElementType::kF32) {
    for (int64_t k = 0; k < n; ++k) lanes[k].f = static_cast<float>(lanes[k].f);
  } else if (IsFloat(type)) {
    const double* table = NarrowTable(type);
    WithFloatEncoder(type, [=](auto encode) {
      for (int64_t k = 0; k < n; ++k) lanes[k].f = table[encode(lanes[k].f)];
    });
  } else {
    for (int64_t k = 0; k < n; ++k) lanes[k].i = WrapInteger(type, lanes[k].i);
  }
}

ElementType BitsType(ElementType type) {
  switch (ByteWidth(type)) {
    case 1:
      return ElementType::kU8;
    case 2:
      return ElementType::kU16;
    case 4:
      return ElementType::kU32;
    case 8:
      return ElementType::kU64;
    default:  // its lanes are its bits
      return ElementType::kC128;
  }
}

}  // namespace astitch::interp
