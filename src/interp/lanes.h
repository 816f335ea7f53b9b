// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Lanes: runs of elements in the widest type, which is where every operation is computed.
//
//   memory (f16, s4, pred, ...)  --Decode-->  Lane[n]  --kernels-->  Lane[n]  --Encode-->  memory
//
// A float lane is a double, an integer or pred lane a sign- or zero-extended 64-bit integer (u64
// keeps its bit pattern), a complex lane two doubles. Encode and Round are where an instruction's
// one rounding happens.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>

#include "astitch/element_type.h"

namespace astitch::interp {

struct Lane {
  union {
    double f;  // of a complex lane the real part
    int64_t i;
  };
  double im = 0;  // only complex lanes read it; whoever makes one sets it

  std::complex<double> z() const { return {f, im}; }
};

// Lanes handled at a time: 8 KiB a register, so that a handful stays in the first caches.
inline constexpr int64_t kLanes = 512;

// N consecutive elements at SRC.
void Decode(ElementType type, const std::byte* src, int64_t n, Lane* out);
// Elements SRC[offsets[k] + base].
void DecodeAt(ElementType type, const std::byte* src, int64_t base, const int64_t* offsets,
              int64_t n, Lane* out);
// Floats round once, to nearest even; integers wrap; pred becomes 0 or 1.
void Encode(ElementType type, const Lane* lanes, int64_t n, std::byte* dst);
// What Encode and Decode would make of the lanes.
void Round(ElementType type, Lane* lanes, int64_t n);

inline Lane DecodeOne(ElementType type, const std::byte* src) {
  Lane lane;
  Decode(type, src, 1, &lane);
  return lane;
}

// The unsigned type of the same width, whose lanes carry an element's bits untouched.
ElementType BitsType(ElementType type);

}  // namespace astitch::interp
