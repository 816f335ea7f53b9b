// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One operation on all lanes: a scalar function, instantiated for the types that an instruction
// form names.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "simt/exec/half.h"
#include "simt/machine/warp.h"

namespace astitch::simt {

// FN of each lane of MASK, several at once where the machine can. REQUIRES: FN writes its own lane of
// registers only and reads no other: registers are the same or apart.
template <typename F>
inline void ForOwnLanes(uint32_t mask, F fn) {
  if (mask != ~0u) {
    ForLanes(mask, fn);
    return;
  }
#ifdef __clang__
#pragma clang loop vectorize(assume_safety)
#else
#pragma GCC ivdep
#endif
  for (int lane = 0; lane < 32; ++lane) fn(lane);
}

template <auto F, typename D, typename... A, size_t... I>
inline void RunLanesOf(Warp& warp, const Op& op, uint32_t mask, std::index_sequence<I...>) {
  uint64_t* const d = warp.Dest(op.dst[0]);
  const uint64_t* const s[] = {warp.Source(op.src[I])...};
  ForOwnLanes(mask, [&](int lane) { d[lane] = Bits<D>(F(As<A>(s[I][lane])...)); });
}

// d = F(a, b, ...), D and A being the types of the result and of the sources.
template <auto F, typename D, typename... A>
void RunLanes(Warp& warp, const Op& op, uint32_t mask) {
  RunLanesOf<F, D, A...>(warp, op, mask, std::index_sequence_for<A...>());
}

// A packed pair: F on each half.
template <typename H>
struct Pair {
  H low, high;
};
template <auto F, typename H>
inline constexpr auto kOnPair =
    [](auto... pair) { return Pair<H>{F(pair.low...), F(pair.high...)}; };

// F on N sources, all of type T, as the result is.
template <auto F, typename T, int N>
constexpr ExecFn Homogeneous() {
  if constexpr (N == 1) return RunLanes<F, T, T>;
  if constexpr (N == 2) return RunLanes<F, T, T, T>;
  if constexpr (N == 3) return RunLanes<F, T, T, T, T>;
}

template <auto F, int N>
ExecFn ForIntegers(Type type) {
  switch (type) {
    case Type::kS16:
      return Homogeneous<F, int16_t, N>();
    case Type::kU16:
      return Homogeneous<F, uint16_t, N>();
    case Type::kS32:
      return Homogeneous<F, int32_t, N>();
    case Type::kU32:
      return Homogeneous<F, uint32_t, N>();
    case Type::kS64:
      return Homogeneous<F, int64_t, N>();
    case Type::kU64:
      return Homogeneous<F, uint64_t, N>();
    default:
      return nullptr;
  }
}

template <auto F, int N>
ExecFn ForBits(Type type) {
  switch (type) {
    case Type::kPred:
      return Homogeneous<F, uint8_t, N>();
    case Type::kB16:
      return Homogeneous<F, uint16_t, N>();
    case Type::kB32:
      return Homogeneous<F, uint32_t, N>();
    case Type::kB64:
      return Homogeneous<F, uint64_t, N>();
    default:
      return nullptr;
  }
}

// F is templated on how a value is computed: it takes and gives T itself.
template <auto F, int N>
ExecFn ForFloats(Type type) {
  switch (type) {
    case Type::kF16:
      return Homogeneous<F, F16, N>();
    case Type::kBF16:
      return Homogeneous<F, BF16, N>();
    case Type::kF32:
      return Homogeneous<F, float, N>();
    case Type::kF64:
      return Homogeneous<F, double, N>();
    case Type::kF16x2:
      return Homogeneous<kOnPair<F, F16>, Pair<F16>, N>();
    case Type::kBF16x2:
      return Homogeneous<kOnPair<F, BF16>, Pair<BF16>, N>();
    case Type::kF32x2:
      return Homogeneous<kOnPair<F, float>, Pair<float>, N>();
    default:
      return nullptr;
  }
}

}  // namespace astitch::simt
