// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Time that passed, by the monotonic clock, and the spread of repeated measurements.
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace astitch {

class Stopwatch {
 public:
  double ElapsedMs() const {
    return std::chrono::duration<double, std::milli>(Clock::now() - start_).count();
  }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point start_ = Clock::now();
};

struct Spread {
  double min = 0, median = 0, max = 0;
};

// All zero for no samples.
inline Spread SpreadOf(std::vector<double> samples) {
  if (samples.empty()) return {};
  std::sort(samples.begin(), samples.end());
  const size_t n = samples.size();
  const double median = n % 2 == 1 ? samples[n / 2] : (samples[n / 2 - 1] + samples[n / 2]) / 2;
  return {samples.front(), median, samples.back()};
}

}  // namespace astitch
