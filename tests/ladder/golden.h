// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The golden plans of GPUs, and for each a graph of the same stages and homes that is small enough
// for the simulated device. A golden file says which of its numbers become which:
//
//   target a100
//   fusion stitch
//   reduced 8192=24 768=256
#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "astitch/compile.h"
#include "plan/plan.h"

namespace astitch::testing {

struct Golden {
  std::string name, target, fusion;
  std::string hlo, reduced;  // texts of the two graphs; reduced: empty when the file names none
};

inline void PrintTo(const Golden& golden, std::ostream* out) { *out << golden.name; }

// Those with a reduced graph, in order of names.
std::vector<Golden> GpuGoldens();

absl::StatusOr<Plan> PlanOf(const Golden& golden, const std::string& hlo);

// Phases, stages, roots and homes of a plan, a line each, without a number.
std::string Structure(const Plan& plan);

}  // namespace astitch::testing
