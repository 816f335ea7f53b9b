// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The golden plans of GPUs, and for each a graph of the same stages and homes that is small enough
// for the simulated device. A golden file says which of its numbers become which:
//
//   target a100
//   fusion stitch
//   reduced 8192=24 768=256
//
// What a plan does for want of cache, or because there are more rows than multiprocessors, a small
// graph does on a small machine: `reduced on=a100-1-sm ...` is a graph for another machine file.
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "astitch/compile.h"
#include "plan/plan.h"

namespace astitch::testing {

struct Golden {
  std::string name, target, fusion, hlo;
  std::string reduced_target, reduced;  // the same of the reduced graph, if the file names one
};

inline void PrintTo(const Golden& golden, std::ostream* out) { *out << golden.name; }

// All of them, in order of names.
std::vector<Golden> GpuGoldens();

absl::StatusOr<Plan> FullPlan(const Golden& golden);
absl::StatusOr<Plan> ReducedPlan(const Golden& golden);

// Phases, stages, roots and homes of a plan, a line each, without a number.
std::string Structure(const Plan& plan);

}  // namespace astitch::testing
