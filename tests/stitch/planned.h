// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Plans of graphs of a few lines, which the verifier takes.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "frontend/hlo_text/parser.h"
#include "passes/pass_runner.h"
#include "plan/verify.h"
#include "stitch/plan_limits.h"
#include "stitch/planner.h"

namespace astitch {

// Of a graph with the lines of BODY, which may name the reducers add_f and max_f, zero and ninf.
inline Plan PlanOf(absl::string_view body, const MachineModel& machine,
                   Fusion fusion = Fusion::kStitch) {
  auto graph = ParseHloText(absl::StrCat(R"(HloModule m
add_f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
max_f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }
ENTRY e {
  zero = f32[] constant(0)
  ninf = f32[] constant(-inf)
)",
                                         body, "\n}\n"));
  EXPECT_TRUE(graph.ok()) << graph.status();
  EXPECT_TRUE(RunPasses(**graph, StandardPipeline()).ok());
  auto plan = MakePlan(*std::move(graph), machine, {fusion});
  EXPECT_TRUE(plan.ok()) << plan.status();
  VerifyOptions options;
  options.limits = LimitsOf(machine);
  EXPECT_TRUE(VerifyPlan(*plan, options).ok()) << VerifyPlan(*plan, options);
  return *std::move(plan);
}

// The lines of a softmax of ROWS.
inline std::string SoftmaxOf(int64_t rows, int64_t columns) {
  return absl::Substitute(R"(
  x = f32[$0,$1] parameter(0)
  max = f32[$0] reduce(x, ninf), dimensions={1}, to_apply=max_f
  maxs = f32[$0,$1] broadcast(max), dimensions={0}
  d = f32[$0,$1] subtract(x, maxs)
  e = f32[$0,$1] exponential(d)
  sum = f32[$0] reduce(e, zero), dimensions={1}, to_apply=add_f
  sums = f32[$0,$1] broadcast(sum), dimensions={0}
  ROOT p = f32[$0,$1] divide(e, sums))",
                          rows, columns);
}

}  // namespace astitch
