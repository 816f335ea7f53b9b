// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A line a phase and their sum.
#include "tools/common/time_report.h"

#include <cstdio>

namespace astitch {

void PrintTimeReport(const std::vector<TimedPhase>& phases) {
  double total = 0;
  for (const TimedPhase& phase : phases) {
    std::fprintf(stderr, "%-10s %10.2f ms\n", phase.phase.c_str(), phase.ms);
    total += phase.ms;
  }
  std::fprintf(stderr, "%-10s %10.2f ms\n", "total", total);
}

}  // namespace astitch
