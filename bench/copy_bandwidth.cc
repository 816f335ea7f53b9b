// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Each thread copies one contiguous slice; memcpy itself chooses non-temporal stores when a slice
// is large, as a good kernel does.
#include "bench/copy_bandwidth.h"

#include <algorithm>
#include <cstring>
#include <thread>

#include "tools/common/stopwatch.h"

namespace astitch {

CopyBenchmark::CopyBenchmark(int64_t bytes, int threads)
    : from_(bytes, 1), to_(bytes, 0), threads_(std::max(1, threads)) {}

double CopyBenchmark::RunOnce() {
  const int64_t slice = static_cast<int64_t>(from_.size()) / threads_;
  std::vector<std::thread> others;
  const Stopwatch watch;
  for (int t = 1; t < threads_; ++t) {
    others.emplace_back(
        [&, t] { std::memcpy(to_.data() + t * slice, from_.data() + t * slice, slice); });
  }
  std::memcpy(to_.data(), from_.data(), slice);
  for (std::thread& other : others) other.join();
  const double seconds = watch.ElapsedMs() / 1e3;
  return 2.0 * static_cast<double>(slice * threads_) / seconds / 1e9;
}

}  // namespace astitch
