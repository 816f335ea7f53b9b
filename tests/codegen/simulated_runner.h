// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Runs the GPU kernels of a plan on the simulated device, with all its reports on, and compares them
// with the interpreter.
#pragma once

#include <functional>
#include <string>

#include "plan/plan.h"
#include "simt/launch.h"

namespace astitch::testing {

struct SimOptions {
  int sm = 80;
  simt::Order order = simt::Order::kForward;
  int64_t max_grid = 6;
  int launches = 1;  // of each kernel, on the same barrier state
  int64_t resident_blocks = 64;
  bool wide_indices = false;
  std::function<std::string(std::string)> edit = nullptr;  // of the PTX, before it runs
  int64_t max_steps = int64_t{1} << 32;
};

// Empty when nothing was reported and the results are the interpreter's (within each type's
// tolerance), else what is wrong.
std::string CheckSimulated(const Plan& plan, const SimOptions& options);

}  // namespace astitch::testing
