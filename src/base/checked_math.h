// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// 64-bit arithmetic on sizes that says when it overflows. Sizes come from input files and may be
// hostile.
#pragma once

#include <cstdint>
#include <optional>

namespace astitch {

inline std::optional<int64_t> CheckedMul(int64_t a, int64_t b) {
  int64_t out;
  if (__builtin_mul_overflow(a, b, &out)) return std::nullopt;
  return out;
}

inline std::optional<int64_t> CheckedAdd(int64_t a, int64_t b) {
  int64_t out;
  if (__builtin_add_overflow(a, b, &out)) return std::nullopt;
  return out;
}

// REQUIRES: b > 0. Rounds toward minus infinity / plus infinity; the remainder is in [0, b).
constexpr int64_t FloorDiv(int64_t a, int64_t b) { return a / b - (a % b != 0 && a < 0 ? 1 : 0); }
constexpr int64_t CeilDiv(int64_t a, int64_t b) { return a / b + (a % b != 0 && a > 0 ? 1 : 0); }
constexpr int64_t FloorMod(int64_t a, int64_t b) { return a - FloorDiv(a, b) * b; }
constexpr int64_t RoundUp(int64_t a, int64_t b) { return CeilDiv(a, b) * b; }

}  // namespace astitch
