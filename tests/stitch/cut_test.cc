// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One kernel or several: by predicted times, both of which the ledger has.
#include "stitch/cut.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "tests/stitch/planned.h"
#include "tests/test_machine.h"

namespace astitch {
namespace {

using testing::HasSubstr;

// Rows depend on columns, those on rows: two barriers, no reduction in parts.
// The columns are a result, which no block but one stores.
constexpr absl::string_view kRowsOfColumnsOfRows = R"(
  x = f32[4096,1024] parameter(0)
  rows = f32[4096] reduce(x, zero), dimensions={1}, to_apply=add_f
  r = f32[4096,1024] broadcast(rows), dimensions={0}
  y = f32[4096,1024] tanh(r)
  z = f32[4096,1024] multiply(x, y)
  columns = f32[1024] reduce(z, ninf), dimensions={0}, to_apply=max_f
  c = f32[4096,1024] broadcast(columns), dimensions={1}
  out = f32[4096,1024] subtract(z, c)
 ROOT both = (f32[4096,1024], f32[1024]) tuple(out, columns))";

constexpr absl::string_view kSum = R"(
  x = f32[4096,1024] parameter(0)
  ROOT s = f32[] reduce(x, zero), dimensions={0,1}, to_apply=add_f)";

std::vector<LedgerEntry> Choices(const Plan& plan) {
  std::vector<LedgerEntry> out;
  for (const LedgerEntry& entry : plan.ledger) {
    if (entry.reason == "one-kernel" || entry.reason == "several-kernels") out.push_back(entry);
  }
  return out;
}

int64_t Barriers(const Plan& plan) {
  int64_t barriers = 0;
  for (const PlanStep& step : plan.steps) barriers += PredictionOf(step).barriers;
  return barriers;
}

TEST(Cut, OneKernelUnlessSeveralAreClearlyFaster) {
  const Plan plan = PlanOf(kRowsOfColumnsOfRows, FindMachine("a100").value());
  EXPECT_EQ(plan.num_kernels(), 1);
  const std::vector<LedgerEntry> choices = Choices(plan);
  ASSERT_EQ(choices.size(), 1);
  EXPECT_EQ(choices[0].reason, "one-kernel");
  EXPECT_EQ(choices[0].consumer, nullptr);
  EXPECT_THAT(choices[0].detail,
              testing::ContainsRegex("predicted [0-9.]+ us in one kernel with [0-9] barriers? of "
                                     "the grid, [0-9.]+ us in 2 kernels"));
}

TEST(Cut, SeveralKernelsWhereBarriersAreDear) {
  const Plan one = PlanOf(kRowsOfColumnsOfRows, FindMachine("a100").value());
  const Plan several = PlanOf(kRowsOfColumnsOfRows, TestMachine("dear-barriers").value());
  EXPECT_GT(several.num_kernels(), 1);
  EXPECT_LT(Barriers(several), Barriers(one));
  const std::vector<LedgerEntry> choices = Choices(several);
  ASSERT_EQ(choices.size(), 1);
  EXPECT_EQ(choices[0].reason, "several-kernels");
  EXPECT_EQ(choices[0].home, "memory");
  EXPECT_EQ(choices[0].producer->name(), "rows");
}

TEST(Cut, PartsOfAReductionAreNoPlaceToCut) {
  const Plan plan = PlanOf(kSum, TestMachine("dear-barriers").value());
  EXPECT_EQ(plan.num_kernels(), 1);
  EXPECT_GE(Barriers(plan), 1);
  EXPECT_TRUE(Choices(plan).empty());
}

TEST(Cut, NothingIsSaidWhereNothingWaits) {
  EXPECT_TRUE(Choices(PlanOf(R"(
  x = f32[4096,1024] parameter(0)
  s = f32[4096] reduce(x, zero), dimensions={1}, to_apply=add_f
  b = f32[4096,1024] broadcast(s), dimensions={0}
  ROOT y = f32[4096,1024] divide(x, b))",
                             FindMachine("a100").value()))
                  .empty());
}

TEST(Cut, BaselinesAreLeftAlone) {
  EXPECT_TRUE(
      Choices(PlanOf(kRowsOfColumnsOfRows, TestMachine("dear-barriers").value(), Fusion::kXla))
          .empty());
}

TEST(Cut, WhatPartsHandOverStaysInACacheThatHoldsIt) {
  // Two kernels, of which the second reads 4 KB of the first besides its input.
  const MachineModel machine = TestMachine("dear-barriers").value();
  Region region, first, second;
  const Plan plan = PlanOf(kRowsOfColumnsOfRows, machine);
  const auto find = [&](absl::string_view name) { return plan.graph->entry()->Find(name); };
  region.inputs = first.inputs = {find("x")};
  region.outputs = second.outputs = {find("out")};
  first.outputs = {find("columns")};
  second.inputs = {find("x"), find("columns")};
  std::vector<Traffic> traffic = {{.read = 10000, .written = 5000}};
  LeaveInCache(region, {first, second}, second, machine, traffic);
  EXPECT_EQ(traffic[0].read, 10000 - 4096);
  EXPECT_EQ(traffic[0].written, 5000);
  LeaveInCache(region, {first, second}, first, machine, traffic);
  EXPECT_EQ(traffic[0].written, 5000 - 4096);
  MachineModel small = machine;
  small.l2_bytes = 4096;
  LeaveInCache(region, {first, second}, first, small, traffic);
  EXPECT_EQ(traffic[0].written, 5000 - 4096);
}

}  // namespace
}  // namespace astitch
