// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Through blocks of lanes, in both directions.
#include "interp/arrange.h"

#include <algorithm>
#include <numeric>

#include "interp/lanes.h"
#include "interp/strides.h"

namespace astitch::interp {
namespace {

template <typename T>
T FromLane(ElementType type, const Lane& lane) {
  if constexpr (std::is_same_v<T, uint64_t>) {
    return static_cast<uint64_t>(lane.i);
  } else {
    if constexpr (std::is_same_v<T, Complex>) {
      if (IsComplex(type)) return lane.z();
    }
    return IsFloat(type) ? lane.f : static_cast<double>(lane.i);
  }
}

Lane ToLane(double value) { return {.f = value}; }
Lane ToLane(uint64_t value) { return {.i = static_cast<int64_t>(value)}; }
Lane ToLane(Complex value) { return {.f = value.real(), .im = value.imag()}; }

}  // namespace

template <typename T>
std::vector<T> Arrange(const Literal& literal, const std::vector<int64_t>& order) {
  const ElementType type = literal.shape().element_type();
  const std::vector<int64_t> strides = RowMajorStrides(literal.shape().dims());
  std::vector<int64_t> dims, ordered_strides;
  for (int64_t d : order) {
    dims.push_back(literal.shape().dim(d));
    ordered_strides.push_back(strides[d]);
  }
  BoxWalk walk(dims, ordered_strides);
  std::vector<T> out(walk.size());
  std::vector<int64_t> offsets(kLanes);
  std::vector<Lane> lanes(kLanes);
  for (int64_t start = 0; start < walk.size(); start += kLanes) {
    const int64_t n = std::min(kLanes, walk.size() - start);
    walk.Take(n, offsets.data());
    DecodeAt(type, literal.bytes().data(), 0, offsets.data(), n, lanes.data());
    for (int64_t k = 0; k < n; ++k) out[start + k] = FromLane<T>(type, lanes[k]);
  }
  return out;
}

template <typename T>
std::vector<T> ElementsOf(const Literal& literal) {
  std::vector<int64_t> order(literal.shape().rank());
  std::iota(order.begin(), order.end(), 0);
  return Arrange<T>(literal, order);
}

template <typename T>
void EncodeElements(ElementType type, const T* elements, int64_t n, std::byte* dst) {
  std::vector<Lane> lanes(std::min(kLanes, n));
  for (int64_t start = 0; start < n; start += kLanes) {
    const int64_t count = std::min(kLanes, n - start);
    for (int64_t k = 0; k < count; ++k) lanes[k] = ToLane(elements[start + k]);
    Encode(type, lanes.data(), count, dst + start * ByteWidth(type));
  }
}

#define ASTITCH_INSTANTIATE(T)                                                     \
  template std::vector<T> Arrange<T>(const Literal&, const std::vector<int64_t>&); \
  template std::vector<T> ElementsOf<T>(const Literal&);                           \
  template void EncodeElements<T>(ElementType, const T*, int64_t, std::byte*);
ASTITCH_INSTANTIATE(double)
ASTITCH_INSTANTIATE(uint64_t)
ASTITCH_INSTANTIATE(Complex)
#undef ASTITCH_INSTANTIATE

}  // namespace astitch::interp
