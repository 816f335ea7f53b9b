// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The machine's copy bandwidth, by which the benchmark judges kernels: no kernel that reads and
// writes memory can be expected to be faster than a copy.
#pragma once

#include <cstdint>
#include <vector>

namespace astitch {

// A copy between two buffers of BYTES each, split over THREADS. Beyond the last-level cache BYTES
// measures memory; smaller ones the cache.
class CopyBenchmark {
 public:
  CopyBenchmark(int64_t bytes, int threads);
  // Copies once and gives GB/s, read and written bytes counted.
  double RunOnce();

 private:
  std::vector<char> from_, to_;
  int threads_;
};

}  // namespace astitch
