// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Loops, branches, sorts and choices that passes write otherwise: kernels, and the right values.
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

TEST(Expanded, ARecurrenceIsOneKernel) {
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

constexpr absl::string_view kBranches = R"(HloModule m
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
twice { x = f32[5,8] parameter(0) ROOT r = f32[5,8] add(x, x) }
spread { x = f32[5,8] parameter(0) z = f32[] constant(0)
  t = f32[5] reduce(x, z), dimensions={1}, to_apply=sum
  ROOT r = f32[5,8] broadcast(t), dimensions={0} }
ENTRY e { x = f32[5,8] parameter(0) i = s32[] parameter(1)
  c = f32[5,8] conditional(i, x, x), branch_computations={twice, spread}
  ROOT r = f32[5,8] negate(c) })";

constexpr absl::string_view kChoice = R"(HloModule m
ENTRY e { x = f32[6,40] parameter(0) y = f32[6,40] multiply(x, x)
  t = (f32[6,5], s32[6,5]) topk(y), k=5, largest=true
  v = f32[6,5] get-tuple-element(t), index=0 i = s32[6,5] get-tuple-element(t), index=1
  ROOT r = (f32[6,5], s32[6,5]) tuple(v, i) })";

constexpr absl::string_view kSort = R"(HloModule m
order { a = f32[] parameter(0) b = f32[] parameter(1) c = s32[] parameter(2) d = s32[] parameter(3)
  ROOT r = pred[] compare(a, b), direction=GT, type=TOTALORDER }
ENTRY e { x = f32[6,40] parameter(0) n = s32[6,40] iota(), iota_dimension=1
  y = f32[6,40] negate(x)
  s = (f32[6,40], s32[6,40]) sort(y, n), dimensions={1}, is_stable=true, to_apply=order
  v = f32[6,40] get-tuple-element(s), index=0 i = s32[6,40] get-tuple-element(s), index=1
  ROOT r = (f32[6,40], s32[6,40]) tuple(v, i) })";

TEST(Expanded, NothingIsLeftForTheInterpreterAndItsValuesComeOut) {
  for (const absl::string_view text : {kRecurrence, kBranches, kChoice, kSort}) {
    const absl::StatusOr<GraphPtr> graph = ParseGraph(text);
    ASSERT_TRUE(graph.ok()) << graph.status();
    const auto compiled = Compile(**graph, {.plan_only = true});
    ASSERT_TRUE(compiled.ok()) << compiled.status();
    EXPECT_EQ((*compiled)->Summary().kernels, 1) << text;
    EXPECT_EQ((*compiled)->Summary().reference_calls, 0) << text;
    const std::vector<Way> ways = {{.threads = 2}, {.fusion = "none"}, {.target = "sm_80"}};
    EXPECT_EQ(FindFault(**graph, ways), "") << text;
  }
}

}  // namespace
}  // namespace astitch
