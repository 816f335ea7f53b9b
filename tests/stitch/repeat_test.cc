// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Small phases that every block does for itself, where that is predicted to be faster than a barrier.
#include "stitch/repeat.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/substitute.h"
#include "stitch/machine.h"
#include "tests/stitch/planned.h"
#include "tests/test_machine.h"

namespace astitch {
namespace {

const KernelPlan& OnlyKernel(const Plan& plan) {
  EXPECT_EQ(plan.num_kernels(), 1);
  return std::get<KernelPlan>(plan.steps[0]);
}

Home HomeOf(const KernelPlan& kernel, absl::string_view name) {
  for (const Placement& placement : kernel.placements) {
    if (placement.value->name() == name) return placement.home;
  }
  return Home::kLocal;
}

// Rows that are scaled by the sum of ELEMENTS numbers.
std::string ScaledBySum(int64_t elements) {
  return absl::Substitute(R"(
  x = f32[2048,1024] parameter(0)
  y = f32[$0] parameter(1)
  s = f32[] reduce(y, zero), dimensions={0}, to_apply=add_f
  sums = f32[2048,1024] broadcast(s), dimensions={}
  ROOT out = f32[2048,1024] multiply(x, sums))",
                          elements);
}

TEST(Repeat, OfASmallSumSparesTheBarrier) {
  const Plan plan = PlanOf(ScaledBySum(300), FindMachine("a100").value());
  const KernelPlan& kernel = OnlyKernel(plan);
  ASSERT_EQ(kernel.phases.size(), 2);
  EXPECT_TRUE(kernel.phases[0].repeated);
  EXPECT_FALSE(kernel.phases[1].repeated);
  EXPECT_EQ(kernel.phases[1].barrier, PhaseBarrier::kBlock);
  EXPECT_EQ(HomeOf(kernel, "s"), Home::kBlock);
  EXPECT_FALSE(kernel.launch.cooperative);
  EXPECT_EQ(kernel.launch.scratch_bytes, 0);
  EXPECT_EQ(kernel.predicted.barriers, 0);
}

TEST(Repeat, OfALongSumWouldTakeLongerThanTheBarrier) {
  const Plan plan = PlanOf(ScaledBySum(30000), FindMachine("a100").value());
  for (const Phase& phase : OnlyKernel(plan).phases) EXPECT_FALSE(phase.repeated);
}

// Sums of columns have parts, which some other block folds. Small ones are folded in one place.
TEST(Repeat, OfSmallColumnsNeedsNoParts) {
  const Plan plan = PlanOf(R"(
  x = f32[2048,70] parameter(0)
  y = f32[40,70] parameter(1)
  s = f32[70] reduce(y, zero), dimensions={0}, to_apply=add_f
  sums = f32[2048,70] broadcast(s), dimensions={1}
  ROOT out = f32[2048,70] multiply(x, sums))",
                           FindMachine("a100").value());
  const KernelPlan& kernel = OnlyKernel(plan);
  ASSERT_EQ(kernel.phases.size(), 2);
  EXPECT_TRUE(kernel.phases[0].repeated);
  EXPECT_EQ(HomeOf(kernel, "s"), Home::kBlock);
  EXPECT_EQ(kernel.predicted.barriers, 0);
}

// One of them alone would spare no barrier: the other has to wait for blocks as before.
TEST(Repeat, OfAllThatABarrierIsForSparesIt) {
  const Plan plan = PlanOf(R"(
  x = f32[4096,64] parameter(0)
  y = f32[4096,48] parameter(1)
  v = f32[32,64] parameter(2)
  w = f32[32,48] parameter(3)
  s = f32[64] reduce(v, zero), dimensions={0}, to_apply=add_f
  t = f32[48] reduce(w, zero), dimensions={0}, to_apply=add_f
  s_rows = f32[4096,64] broadcast(s), dimensions={1}
  t_rows = f32[4096,48] broadcast(t), dimensions={1}
  xs = f32[4096,64] add(x, s_rows)
  yt = f32[4096,48] add(y, t_rows)
  ROOT out = (f32[4096,64], f32[4096,48]) tuple(xs, yt))",
                           FindMachine("a100").value());
  const KernelPlan& kernel = OnlyKernel(plan);
  ASSERT_EQ(kernel.phases.size(), 4);
  EXPECT_TRUE(kernel.phases[0].repeated && kernel.phases[1].repeated);
  EXPECT_EQ(HomeOf(kernel, "s"), Home::kBlock);
  EXPECT_EQ(HomeOf(kernel, "t"), Home::kBlock);
  EXPECT_EQ(kernel.predicted.barriers, 0);
}

// The parts of a large sum are behind a barrier, but what they come to need not be.
TEST(Repeat, OfWhatPartsComeToSparesTheSecondBarrier) {
  const Plan plan = PlanOf(R"(
  x = f32[4096,1024] parameter(0)
  y = f32[64,1024] parameter(1)
  s = f32[1024] reduce(y, zero), dimensions={0}, to_apply=add_f
  sums = f32[4096,1024] broadcast(s), dimensions={1}
  ROOT out = f32[4096,1024] multiply(x, sums))",
                           FindMachine("a100").value());
  const KernelPlan& kernel = OnlyKernel(plan);
  EXPECT_EQ(HomeOf(kernel, "s"), Home::kBlock);
  EXPECT_EQ(kernel.predicted.barriers, 1);
}

// The rows in which "row" is folded are its own in no other value: later phases find it in memory alone.
TEST(Repeat, OfResultsWhoseRowsAreNotTheirOwn) {
  const Plan plan = PlanOf(R"(
  x = f32[6,6,3] parameter(0)
  y = f32[6,3] parameter(1)
  w = f32[40,70] parameter(2)
  v = f32[90,70] parameter(3)
  one = f32[] constant(1)
  ones = f32[6] broadcast(one), dimensions={}
  ys = f32[6,6,3] broadcast(y), dimensions={1,2}
  z = f32[6,6,3] add(x, ys)
  sum = f32[6] reduce(z, zero), dimensions={1,2}, to_apply=add_f
  more = f32[6] add(sum, ones)
  mores = f32[6,6,3] broadcast(more), dimensions={0}
  scaled = f32[6,6,3] multiply(z, mores)
  row = f32[6] reduce(y, zero), dimensions={1}, to_apply=add_f
  rest = f32[6] add(ones, row)
  less = f32[6] exponential(rest)
  turned = f32[3,6] broadcast(less), dimensions={1}
  column = f32[70] reduce(w, zero), dimensions={0}, to_apply=add_f
  columns = f32[90,70] broadcast(column), dimensions={1}
  shifted = f32[90,70] add(v, columns)
  ROOT out = (f32[6,6,3], f32[3,6], f32[90,70]) tuple(scaled, turned, shifted))",
                           TestMachine("dear-barriers").value());
  EXPECT_EQ(HomeOf(OnlyKernel(plan), "row"), Home::kBlock);
}

// Several blocks would store it.
TEST(Repeat, IsNotOfResultsOfTheGraph) {
  const Plan plan = PlanOf(R"(
  x = f32[2048,1024] parameter(0)
  y = f32[300] parameter(1)
  s = f32[] reduce(y, zero), dimensions={0}, to_apply=add_f
  sums = f32[2048,1024] broadcast(s), dimensions={}
  scaled = f32[2048,1024] multiply(x, sums)
  ROOT out = (f32[], f32[2048,1024]) tuple(s, scaled))",
                           FindMachine("a100").value());
  const KernelPlan& kernel = OnlyKernel(plan);
  EXPECT_EQ(HomeOf(kernel, "s"), Home::kOutput);
  for (const Phase& phase : kernel.phases) EXPECT_FALSE(phase.repeated);
}

TEST(Repeat, IsToldWithBothTimes) {
  const Plan plan = PlanOf(ScaledBySum(300), FindMachine("a100").value());
  const auto line = std::find_if(
      plan.ledger.begin(), plan.ledger.end(),
      [](const LedgerEntry& entry) { return entry.reason == "repeated-in-each-block"; });
  ASSERT_NE(line, plan.ledger.end());
  EXPECT_EQ(line->producer->name(), "s");
  EXPECT_EQ(line->home, "block");
  EXPECT_THAT(line->detail,
              testing::MatchesRegex("predicted [0-9.]+ us so, [0-9.]+ us behind a barrier.*"));
  for (const LedgerEntry& entry : plan.ledger) {
    if (entry.producer->name() != "s" || entry.consumer == nullptr) continue;
    EXPECT_EQ(entry.reason, "in-each-block");
  }
}

}  // namespace
}  // namespace astitch
