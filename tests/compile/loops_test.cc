// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A loop that turns a known number of times is planned as if it had been written out: its kernels hold
// what lies between products, and the rows that it writes one a turn are stored where they belong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "astitch/compile.h"
#include "check/differential.h"
#include "ir/graph.h"

namespace astitch {
namespace {

// A recurrence over rows, each written to its place in the result.
constexpr absl::string_view kRecurrence = R"(HloModule m
below { s = (s32[], f32[8], f32[6,8], f32[6,8]) parameter(0) i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(6) ROOT c = pred[] compare(i, n), direction=LT }
step { s = (s32[], f32[8], f32[6,8], f32[6,8]) parameter(0) i = s32[] get-tuple-element(s), index=0
  h = f32[8] get-tuple-element(s), index=1 x = f32[6,8] get-tuple-element(s), index=2
  y = f32[6,8] get-tuple-element(s), index=3 zero = s32[] constant(0)
  r = f32[1,8] dynamic-slice(x, i, zero), dynamic_slice_sizes={1,8} v = f32[8] reshape(r)
  g = f32[8] add(h, v) two = f32[] constant(0.5) t = f32[8] broadcast(two), dimensions={}
  m = f32[8] multiply(g, t) w = f32[1,8] reshape(m)
  z = f32[6,8] dynamic-update-slice(y, w, i, zero)
  one = s32[] constant(1) j = s32[] add(i, one)
  ROOT o = (s32[], f32[8], f32[6,8], f32[6,8]) tuple(j, m, x, z) }
ENTRY e {
  x = f32[6,8] parameter(0)
  h = f32[8] parameter(1)
  zero = s32[] constant(0)
  f = f32[] constant(0)
  y = f32[6,8] broadcast(f), dimensions={}
  t = (s32[], f32[8], f32[6,8], f32[6,8]) tuple(zero, h, x, y)
  w = (s32[], f32[8], f32[6,8], f32[6,8]) while(t), condition=below, body=step
  ROOT r = f32[6,8] get-tuple-element(w), index=3
})";

TEST(Loops, ARecurrenceIsOneKernel) {
  const absl::StatusOr<GraphPtr> graph = ParseGraph(kRecurrence);
  ASSERT_TRUE(graph.ok()) << graph.status();
  for (const char* target : {"host", "a100"}) {
    const auto compiled = Compile(**graph, {.target = target, .plan_only = true});
    ASSERT_TRUE(compiled.ok()) << compiled.status();
    const PlanSummary summary = (*compiled)->Summary();
    EXPECT_EQ(summary.kernels, 1) << target;
    EXPECT_EQ(summary.reference_calls, 0) << target;
    // Nothing but the arguments and the result crosses memory.
    EXPECT_EQ(summary.bytes_read + summary.bytes_written, (6 * 8 + 8 + 6 * 8) * 4) << target;
    EXPECT_THAT((*compiled)->CanonicalHlo(),
                ::testing::Not(::testing::HasSubstr("dynamic-update-slice")));
  }
}

TEST(Loops, ARecurrenceHasTheValuesOfTheInterpreter) {
  const absl::StatusOr<GraphPtr> graph = ParseGraph(kRecurrence);
  ASSERT_TRUE(graph.ok()) << graph.status();
  const std::vector<Way> ways = {{}, {.fusion = "none"}, {.target = "sm_80"}};
  EXPECT_EQ(FindFault(**graph, ways), "");
}

}  // namespace
}  // namespace astitch
