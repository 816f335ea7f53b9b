// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Plans for tests of reports.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "plan/plan.h"
#include "plan/verify.h"

namespace astitch {

// Rows of 1024, of which %e stays in a slot.
inline constexpr char kSoftmax[] = R"(
HloModule softmax
max { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] maximum(a, b) }
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[4096,1024] parameter(0)
  low = f32[] constant(-inf)
  zero = f32[] constant(0)
  m = f32[4096] reduce(x, low), dimensions={1}, to_apply=max
  mb = f32[4096,1024] broadcast(m), dimensions={0}
  c = f32[4096,1024] subtract(x, mb)
  e = f32[4096,1024] exponential(c)
  s = f32[4096] reduce(e, zero), dimensions={1}, to_apply=add
  sb = f32[4096,1024] broadcast(s), dimensions={0}
  ROOT p = f32[4096,1024] divide(e, sb)
})";

struct Planned {
  Plan plan;
  PlanLimits limits;
};

// TARGET: a machine of tests/data/machines, or a built-in one.
absl::StatusOr<Planned> PlanOf(absl::string_view hlo, absl::string_view target,
                               absl::string_view fusion = "stitch");
absl::StatusOr<Planned> PlanOf(std::unique_ptr<Graph> graph, absl::string_view target,
                               absl::string_view fusion = "stitch");

struct GoldenGraph {
  std::string name, target, fusion, hlo;
};
// The graphs of tests/data/plans, each with its own target and fusion, and those of
// tests/data/corpus for a GPU, a host, and by the rules of others.
std::vector<GoldenGraph> GoldenGraphs();

// Of tests/data/plans-by-hand: forms that the planner chooses seldom or never.
std::vector<Plan> PlansByHand();
Plan PlanByHand(absl::string_view name);

}  // namespace astitch
