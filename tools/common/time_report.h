// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// --time-report: how long each phase took, as a table on standard error.
#pragma once

#include <string>
#include <vector>

namespace astitch {

struct TimedPhase {
  std::string phase;
  double ms = 0;
};

void PrintTimeReport(const std::vector<TimedPhase>& phases);

}  // namespace astitch
