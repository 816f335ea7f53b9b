// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What is wanted anywhere is in memory before, unless a few operations make it.
#include "stitch/stored.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "stitch/machine.h"
#include "tests/stitch/planned.h"

namespace astitch {
namespace {

// The home of the value "a" in the only kernel of a graph with the lines of BODY.
std::string HomeOfA(absl::string_view body) {
  const Plan plan = PlanOf(body, FindMachine("a100").value());
  EXPECT_EQ(plan.num_kernels(), 1);
  for (const Placement& placement : std::get<KernelPlan>(plan.steps[0]).placements) {
    if (placement.value->name() == "a") return std::string(ToString(placement.home));
  }
  return "none";
}

TEST(Stored, WhatAGatherLooksUpIfThatTakesManyOperations) {
  const auto table_of = [](absl::string_view operation) {
    return HomeOfA(absl::Substitute(R"(
  table = f32[5000,768] parameter(0)
  ids = s32[4096,1] parameter(1)
  a = f32[5000,768] $0(table)
  ROOT rows = f32[4096,768] gather(a, ids), offset_dims={1}, collapsed_slice_dims={0},
    start_index_map={0}, index_vector_dim=1, slice_sizes={1,768})",
                                    operation));
  };
  EXPECT_EQ(table_of("negate"), "local");
  EXPECT_EQ(table_of("tanh"), "global");
}

TEST(Stored, WhatWindowsHaveInCommon) {
  const auto pooled = [](absl::string_view window, absl::string_view shape) {
    return HomeOfA(absl::Substitute(R"(
  x = f32[2048,2048] parameter(0)
  a = f32[2048,2048] exponential(x)
  ROOT p = $0 reduce-window(a, zero), window={$1}, to_apply=add_f)",
                                    shape, window));
  };
  EXPECT_EQ(pooled("size=2x2 stride=2x2", "f32[1024,1024]"), "local");
  EXPECT_EQ(pooled("size=2x1 stride=3x1", "f32[683,2048]"), "local");
  EXPECT_EQ(pooled("size=3x1 stride=2x1", "f32[1023,2048]"), "global");
  EXPECT_EQ(pooled("size=2x1 stride=2x1 rhs_dilate=2x1", "f32[1023,2048]"), "global");
}

// A loss takes one element of each row of what the rows are normalized to.
TEST(Stored, NotWhatFewElementsAreTakenOf) {
  const std::string body = R"(
  x = f32[1024,30000] parameter(0)
  labels = s32[1024,1] parameter(1)
  most = f32[1024] reduce(x, ninf), dimensions={1}, to_apply=max_f
  mosts = f32[1024,30000] broadcast(most), dimensions={0}
  c = f32[1024,30000] subtract(x, mosts)
  e = f32[1024,30000] exponential(c)
  sum = f32[1024] reduce(e, zero), dimensions={1}, to_apply=add_f
  log = f32[1024] log(sum)
  logs = f32[1024,30000] broadcast(log), dimensions={0}
  a = f32[1024,30000] subtract(c, logs)
  total = f32[1024] reduce(a, zero), dimensions={1}, to_apply=add_f
  picked = f32[1024] gather(a, labels), offset_dims={}, collapsed_slice_dims={1},
    start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0},
    index_vector_dim=1, slice_sizes={1,1}
  ROOT out = (f32[1024], f32[1024]) tuple(total, picked))";
  EXPECT_EQ(HomeOfA(body), "local");
  // Each row once, one more element of it, and a few results.
  const Traffic traffic = PlanOf(body, FindMachine("a100").value()).total_traffic();
  EXPECT_LT(traffic.total(), 1024 * 30000 * 4 + (1 << 16));
}

// It is in memory as it is: there is nothing to store first.
TEST(Stored, NoResultTwice) {
  EXPECT_EQ(HomeOfA(R"(
  table = f32[5000,768] parameter(0)
  ids = s32[4096,1] parameter(1)
  a = f32[5000,768] tanh(table)
  rows = f32[4096,768] gather(a, ids), offset_dims={1}, collapsed_slice_dims={0},
    start_index_map={0}, index_vector_dim=1, slice_sizes={1,768}
  ROOT out = (f32[5000,768], f32[4096,768]) tuple(a, rows))"),
            "output");
}

// A scatter is in memory when it is looked up, and a few operations are done again for each look.
TEST(Stored, NotWhatAFewOperationsMakeOfAScatter) {
  const auto of_scatter = [](absl::string_view operation) {
    return HomeOfA(absl::Substitute(R"(
  x = f32[4096,64] parameter(0)
  ids = s32[4096,1] parameter(1)
  zeros = f32[500,64] broadcast(zero), dimensions={}
  s = f32[500,64] scatter(zeros, ids, x), update_window_dims={1}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add_f
  a = f32[500,64] $0(s)
  rows = f32[4096,64] gather(a, ids), offset_dims={1}, collapsed_slice_dims={0},
    start_index_map={0}, index_vector_dim=1, slice_sizes={1,64}
  ROOT out = f32[4096,64] subtract(x, rows))",
                                    operation));
  };
  EXPECT_EQ(of_scatter("negate"), "local");
  EXPECT_EQ(of_scatter("tanh"), "global");
}

// Rows that are normalized before they are looked up, and summed after.
TEST(Stored, ReductionsBeforeAndAfterAreOfTheSameKernel) {
  EXPECT_EQ(HomeOfA(R"(
  table = f32[5000,768] parameter(0)
  ids = s32[4096,1] parameter(1)
  most = f32[5000] reduce(table, ninf), dimensions={1}, to_apply=max_f
  mosts = f32[5000,768] broadcast(most), dimensions={0}
  c = f32[5000,768] subtract(table, mosts)
  a = f32[5000,768] exponential(c)
  rows = f32[4096,768] gather(a, ids), offset_dims={1}, collapsed_slice_dims={0},
    start_index_map={0}, index_vector_dim=1, slice_sizes={1,768}
  ROOT sums = f32[4096] reduce(rows, zero), dimensions={1}, to_apply=add_f)"),
            "global");
}

}  // namespace
}  // namespace astitch
