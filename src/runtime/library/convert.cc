// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One loop for each type and direction, with contiguous rows as a loop of their own so that the
// compiler makes vectors of it. f16 uses the CPU's converter where there is one.
#include "runtime/library/convert.h"

#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace astitch {
namespace {

struct F16 {
  uint16_t bits;
};
struct BF16 {
  uint16_t bits;
};

float ToF32(float x) { return x; }
float ToF32(int8_t x) { return x; }
float ToF32(uint8_t x) { return x; }
float ToF32(int32_t x) { return static_cast<float>(x); }
float ToF32(BF16 x) { return std::bit_cast<float>(uint32_t{x.bits} << 16); }
float ToF32(F16 x) {
  const uint32_t sign = uint32_t{x.bits & 0x8000u} << 16;
  const uint32_t magnitude = x.bits & 0x7fffu;
  // Exponent and mantissa moved into f32's fields, then scaled by 2^112 for the bias: exact for
  // subnormals too. Infinity and NaN get the top exponent.
  float value = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if (magnitude >= 0x7c00u) bits = (magnitude << 13) | 0x7f800000u;
  return std::bit_cast<float>(bits | sign);
}

void FromF32(float x, float& to) { to = x; }
void FromF32(float x, int8_t& to) { to = static_cast<int8_t>(x); }
void FromF32(float x, uint8_t& to) { to = static_cast<uint8_t>(x); }
void FromF32(float x, int32_t& to) { to = static_cast<int32_t>(x); }
void FromF32(float x, BF16& to) {
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  const uint32_t quiet_nan = (bits >> 16) | 0x40u;
  to.bits = static_cast<uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? quiet_nan : rounded);
}
void FromF32(float x, F16& to) {
  const uint32_t bits = std::bit_cast<uint32_t>(x);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  uint32_t half;
  if (magnitude > 0x7f800000u) {
    half = 0x7e00u | ((magnitude >> 13) & 0x3ffu);
  } else if (magnitude >= 0x477ff000u) {  // 65520 and above round to infinity
    half = 0x7c00u;
  } else if (magnitude < 0x38800000u) {  // below 2^-14: adding 1/2 rounds at the unit 2^-24
    half = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000u;
  } else {
    half = (magnitude - 0x38000000u + 0xfffu + ((magnitude >> 13) & 1u)) >> 13;
  }
  to.bits = static_cast<uint16_t>(sign | half);
}

template <typename T>
void LoadRow(const T* from, int64_t count, int64_t stride, float* to) {
  if (stride == 1) {
    for (int64_t i = 0; i < count; ++i) to[i] = ToF32(from[i]);
  } else {
    for (int64_t i = 0; i < count; ++i) to[i] = ToF32(from[i * stride]);
  }
}

template <typename T>
void StoreRow(const float* from, int64_t count, int64_t stride, T* to) {
  if (stride == 1) {
    for (int64_t i = 0; i < count; ++i) FromF32(from[i], to[i]);
  } else {
    for (int64_t i = 0; i < count; ++i) FromF32(from[i], to[i * stride]);
  }
}

#if defined(__x86_64__)
bool HasF16c() { return __builtin_cpu_supports("avx") && __builtin_cpu_supports("f16c"); }

__attribute__((target("avx,f16c"))) void LoadRowF16c(const F16* from, int64_t count, float* to) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128((const __m128i*)(from + i))));
  }
  for (; i < count; ++i) to[i] = ToF32(from[i]);
}

__attribute__((target("avx,f16c"))) void StoreRowF16c(const float* from, int64_t count, F16* to) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    _mm_storeu_si128((__m128i*)(to + i),
                     _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
  }
  for (; i < count; ++i) FromF32(from[i], to[i]);
}

void LoadRow(const F16* from, int64_t count, int64_t stride, float* to) {
  if (stride == 1 && HasF16c()) return LoadRowF16c(from, count, to);
  LoadRow<F16>(from, count, stride, to);
}

void StoreRow(const float* from, int64_t count, int64_t stride, F16* to) {
  if (stride == 1 && HasF16c()) return StoreRowF16c(from, count, to);
  StoreRow<F16>(from, count, stride, to);
}
#endif

template <typename T>
void Load(const void* from, const Matrix& m, float* to) {
  for (int64_t r = 0; r < m.rows; ++r) {
    LoadRow(static_cast<const T*>(from) + r * m.row_stride, m.columns, m.column_stride,
            to + r * m.columns);
  }
}

template <typename T>
void Store(const float* from, const Matrix& m, void* to) {
  for (int64_t r = 0; r < m.rows; ++r) {
    StoreRow(from + r * m.columns, m.columns, m.column_stride,
             static_cast<T*>(to) + r * m.row_stride);
  }
}

}  // namespace

void LoadAsF32(DataType type, const void* from, const Matrix& matrix, float* to) {
  switch (type) {
    case DataType::kF32:
      return Load<float>(from, matrix, to);
    case DataType::kF16:
      return Load<F16>(from, matrix, to);
    case DataType::kBF16:
      return Load<BF16>(from, matrix, to);
    case DataType::kS8:
      return Load<int8_t>(from, matrix, to);
    case DataType::kU8:
      return Load<uint8_t>(from, matrix, to);
    case DataType::kS32:
      return Load<int32_t>(from, matrix, to);
  }
}

void StoreFromF32(DataType type, const float* from, const Matrix& matrix, void* to) {
  switch (type) {
    case DataType::kF32:
      return Store<float>(from, matrix, to);
    case DataType::kF16:
      return Store<F16>(from, matrix, to);
    case DataType::kBF16:
      return Store<BF16>(from, matrix, to);
    case DataType::kS8:
      return Store<int8_t>(from, matrix, to);
    case DataType::kU8:
      return Store<uint8_t>(from, matrix, to);
    case DataType::kS32:
      return Store<int32_t>(from, matrix, to);
  }
}

void AddToS32(const float* from, const Matrix& m, int32_t* to) {
  for (int64_t r = 0; r < m.rows; ++r) {
    for (int64_t c = 0; c < m.columns; ++c) {
      // Wraps as s32 sums do in HLO.
      int32_t& sum = to[r * m.row_stride + c * m.column_stride];
      sum = static_cast<int32_t>(
          static_cast<uint32_t>(sum) +
          static_cast<uint32_t>(static_cast<int32_t>(from[r * m.columns + c])));
    }
  }
}

}  // namespace astitch
