// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Prediction: how long the cost model (stitch/cost.h) thinks that a step, or a stage of a kernel,
// takes, and from what it thinks so. A prediction, not a measurement; nothing that runs depends on it.
// Whole numbers, so that its text is the same everywhere.
#pragma once

#include <cstdint>

#include "absl/strings/string_view.h"

namespace astitch {

// What the time goes by.
enum class Bound : uint8_t {
  kMemory,      // bytes from and to DRAM
  kCache,       // bytes between the last cache (host: all caches) and the cores
  kArithmetic,  // operations
  kLatency,     // accesses and barriers that wait for each other, launches
};
absl::string_view ToString(Bound bound);

struct Prediction {
  int64_t ns = 0;
  Bound bound = Bound::kMemory;
  int64_t dram_bytes = 0, cache_bytes = 0;
  int64_t operations = 0;  // of one lane, an addition of f32 is 1; products: multiply-adds are 2
  int64_t latency_ns = 0;  // of the longest chain of accesses and barriers of a block
  int64_t barriers = 0;    // of the whole grid; of a kernel
  friend bool operator==(const Prediction&, const Prediction&) = default;
};

}  // namespace astitch
