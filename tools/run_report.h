// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What astitch-run says about a run: each output in a line, comparisons, times; as text or JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "astitch/literal.h"
#include "runtime/simt/simulated_device.h"
#include "tensor_io/compare.h"
#include "tools/common/stopwatch.h"

namespace astitch {

struct RunReport {
  std::string graph, target;
  std::vector<Literal> outputs;
  std::vector<std::optional<Comparison>> comparisons;  // one an output; nothing to compare with
  std::vector<double> run_ms;                          // one a repetition
  bool with_values = true;                             // outputs in lines
  bool with_times = false;
  std::vector<SimulatedStep> simulated;  // of the last run; to be shown

  bool AllRight() const;
  std::string ToText() const;
  std::string ToJson() const;
};

}  // namespace astitch
