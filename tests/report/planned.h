// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Plans for tests of reports.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "plan/plan.h"
#include "plan/verify.h"

namespace astitch {

struct Planned {
  Plan plan;
  PlanLimits limits;
};

// TARGET: a machine of tests/data/machines, or a built-in one.
absl::StatusOr<Planned> PlanOf(absl::string_view hlo, absl::string_view target,
                               absl::string_view fusion = "stitch");

struct GoldenGraph {
  std::string name, target, fusion, hlo;
};
// The graphs of tests/data/plans, each with its own target and fusion, and those of
// tests/data/corpus for a GPU, a host, and by the rules of others.
std::vector<GoldenGraph> GoldenGraphs();

// Of tests/data/plans-by-hand: forms that the planner chooses seldom or never.
std::vector<Plan> PlansByHand();

}  // namespace astitch
