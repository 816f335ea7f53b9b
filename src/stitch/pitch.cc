// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Rows that are an odd number of units apart begin in different units of the 128 bytes that the
// banks have, and in all of them.
#include "stitch/pitch.h"

#include <algorithm>

#include "base/checked_math.h"

namespace astitch {
namespace {

constexpr int64_t kBank = 4, kAllBanks = 128;

// The least odd multiple of UNIT bytes that WIDTH elements fit in, in elements.
int64_t OddMultiple(int64_t width, int64_t element_bytes, int64_t unit) {
  return (CeilDiv(width * element_bytes, unit) | 1) * unit / element_bytes;
}

}  // namespace

// A unit is a bank, or an element that takes several: every lane along rows has its own.
int64_t TurnedPitch(int64_t width, int64_t element_bytes) {
  return OddMultiple(width, element_bytes, std::max(kBank, element_bytes));
}

// A unit is what the lanes of a row take at once.
int64_t SideBySidePitch(int64_t width, int64_t element_bytes, int64_t threads, int64_t vector) {
  const int64_t unit = std::max(kBank, threads * vector * element_bytes);
  if (unit >= kAllBanks) return width;
  return OddMultiple(width, element_bytes, unit);
}

}  // namespace astitch
