// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Scans inside of regions: one sweep among others, whose elements other sweeps find in slots, and other
// roots of the sweep in registers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "stitch/machine.h"
#include "tests/stitch/planned.h"

namespace astitch {
namespace {

using testing::ElementsAre;

MachineModel TwoWorkers() {
  MachineModel machine;
  machine.kind = MachineModel::Kind::kHost;
  machine.workers = 2;
  return machine;
}

const KernelPlan& OnlyKernel(const Plan& plan) {
  EXPECT_EQ(plan.steps.size(), 1);
  return std::get<KernelPlan>(plan.steps[0]);
}

// "rows|columns: kind value, ..." of every stage.
std::vector<std::string> Stages(const KernelPlan& kernel) {
  std::vector<std::string> out;
  for (const Phase& phase : kernel.phases) {
    for (const Stage& stage : phase.stages) {
      std::vector<std::string> roots;
      for (const Root& root : stage.roots)
        roots.push_back(absl::StrCat(root.partial ? "part " : "", ToString(root.kind), " ",
                                     root.value->name()));
      out.push_back(
          absl::StrCat(absl::StrJoin(phase.rows, ","), "|", absl::StrJoin(stage.columns, ","),
                       stage.vector_rows ? " along rows" : "", ": ", absl::StrJoin(roots, ", ")));
    }
  }
  return out;
}

std::vector<std::string> StagesOf(absl::string_view body, const MachineModel& machine) {
  const Plan plan = PlanOf(body, machine);
  return Stages(OnlyKernel(plan));
}

std::string HomeOf(const KernelPlan& kernel, absl::string_view name) {
  for (const Placement& placement : kernel.placements) {
    if (placement.value->name() == name) return std::string(ToString(placement.home));
  }
  return "none";
}

TEST(Scans, HaveTheOtherDimsForRows) {
  EXPECT_THAT(
      StagesOf("x = f32[6,32] parameter(0)\n"
               "ROOT r = f32[6,32] reduce-window(x, zero), window={size=1x32 pad=0_0x31_0}, "
               "to_apply=add_f",
               TwoWorkers()),
      ElementsAre("6|32: scan r"));
  EXPECT_THAT(
      StagesOf("x = f32[6,32] parameter(0)\n"
               "ROOT r = f32[6,32] reduce-window(x, zero), window={size=1x32 pad=0_0x0_31}, "
               "to_apply=add_f",
               TwoWorkers()),
      ElementsAre("6|32: scan r"))
      << "from the end";
  EXPECT_THAT(
      StagesOf("x = f32[32,40] parameter(0)\n"
               "ROOT r = f32[32,40] reduce-window(x, zero), window={size=32x1 pad=31_0x0_0}, "
               "to_apply=add_f",
               TwoWorkers()),
      ElementsAre("40|32 along rows: scan r"));
}

TEST(Scans, OfFewElementsAndOtherWindowsAreFoldedWhereTheyAreRead) {
  EXPECT_THAT(
      StagesOf("x = f32[600,12] parameter(0)\n"
               "ROOT r = f32[600,12] reduce-window(x, zero), window={size=1x12 pad=0_0x11_0}, "
               "to_apply=add_f",
               TwoWorkers()),
      ElementsAre("|600,12: store r"));
  EXPECT_THAT(
      StagesOf("x = f32[600,32] parameter(0)\n"
               "ROOT r = f32[600,32] reduce-window(x, zero), window={size=1x3 pad=0_0x1_1}, "
               "to_apply=add_f",
               TwoWorkers()),
      ElementsAre("600|32: store r"));
}

constexpr char kTopP[] = R"(
  x = f32[4096,1024] parameter(0)
  m = f32[4096] reduce(x, ninf), dimensions={1}, to_apply=max_f
  ms = f32[4096,1024] broadcast(m), dimensions={0}
  d = f32[4096,1024] subtract(x, ms)
  e = f32[4096,1024] exponential(d)
  s = f32[4096] reduce(e, zero), dimensions={1}, to_apply=add_f
  ss = f32[4096,1024] broadcast(s), dimensions={0}
  p = f32[4096,1024] divide(e, ss)
  c = f32[4096,1024] reduce-window(p, zero), window={size=1x1024 pad=0_0x1023_0}, to_apply=add_f
  most = f32[] constant(0.9)
  mosts = f32[4096,1024] broadcast(most), dimensions={}
  below = pred[4096,1024] compare(c, mosts), direction=LT
  zeros = f32[4096,1024] broadcast(zero), dimensions={}
  ROOT out = f32[4096,1024] select(below, p, zeros))";

TEST(Scans, HandTheirElementsOnInRegistersOfAGpu) {
  const Plan plan = PlanOf(kTopP, FindMachine("a100").value());
  const KernelPlan& kernel = OnlyKernel(plan);
  EXPECT_THAT(Stages(kernel), ElementsAre("4096|1024: reduce m", "4096|1024: store e, reduce s",
                                          "4096|1024: scan c, store out"));
  EXPECT_EQ(HomeOf(kernel, "c"), "local");
  EXPECT_EQ(HomeOf(kernel, "p"), "local");
  EXPECT_EQ(kernel.traffic.total(), kernel.traffic.bound);
}

TEST(Scans, OfWorkersAreSweepsOfTheirOwnBetweenVectors) {
  const Plan plan = PlanOf(kTopP, TwoWorkers());
  const KernelPlan& kernel = OnlyKernel(plan);
  EXPECT_THAT(Stages(kernel),
              ElementsAre("4096|1024: reduce m", "4096|1024: store e, reduce s",
                          "4096|1024: store p", "4096|1024: scan c", "4096|1024: store out"));
  EXPECT_EQ(HomeOf(kernel, "c"), "regional");
  EXPECT_EQ(kernel.traffic.total(), kernel.traffic.bound);
}

TEST(Scans, FromTheEndLeaveTheirElementsInSlots) {
  const Plan plan = PlanOf(R"(
  x = f32[4096,1024] parameter(0)
  c = f32[4096,1024] reduce-window(x, zero), window={size=1x1024 pad=0_0x0_1023}, to_apply=add_f
  ROOT out = f32[4096,1024] multiply(x, c))",
                           FindMachine("a100").value());
  const KernelPlan& kernel = OnlyKernel(plan);
  EXPECT_THAT(Stages(kernel), ElementsAre("4096|1024: scan c", "4096|1024: store out"));
  EXPECT_EQ(HomeOf(kernel, "c"), "regional");
}

// Threads find there what others stored, whose columns those are from the start.
TEST(Scans, FromTheEndOfWhatSlotsHaveWaitForTheBlockWhereLanesRunAlongRows) {
  const Plan plan = PlanOf(R"(
  x = f32[32,53] parameter(0)
  w = f32[16,53] reduce-window(x, zero), window={size=3x1 stride=2x1 pad=2_0x0_0}, to_apply=add_f
  m = f32[53] reduce(w, ninf), dimensions={0}, to_apply=max_f
  ms = f32[16,53] broadcast(m), dimensions={1}
  d = f32[16,53] subtract(w, ms)
  ROOT c = f32[16,53] reduce-window(d, zero), window={size=16x1 pad=0_15x0_0}, to_apply=add_f)",
                           FindMachine("a100").value());
  const Phase& phase = OnlyKernel(plan).phases[0];
  EXPECT_THAT(Stages(OnlyKernel(plan)),
              ElementsAre("53|16 along rows: store w, reduce m", "53|16 along rows: scan c"));
  EXPECT_GT(phase.threads_per_row, 1);
  EXPECT_EQ(phase.stages[1].barrier, StageBarrier::kBlock);
}

// Neither is there a slot for 60,000 columns, nor can an element be computed without all before it.
TEST(Scans, WithoutRoomForASlotGoThroughScratch) {
  const Plan plan = PlanOf(R"(
  x = f32[500,60000] parameter(0)
  c = f32[500,60000] reduce-window(x, zero), window={size=1x60000 pad=0_0x0_59999}, to_apply=add_f
  ROOT out = f32[500,60000] multiply(x, c))",
                           FindMachine("a100").value());
  const KernelPlan& kernel = OnlyKernel(plan);
  EXPECT_THAT(Stages(kernel), ElementsAre("500|60000: scan c", "500|60000: store out"));
  EXPECT_EQ(HomeOf(kernel, "c"), "global");
  EXPECT_EQ(kernel.phases.size(), 1);
}

TEST(Scans, OfRowsThatTasksShareAreGoneOverTwice) {
  const MachineModel gpu = FindMachine("a100").value();
  EXPECT_THAT(StagesOf(R"(
  x = f32[1000000] parameter(0)
  e = f32[1000000] exponential(x)
  c = f32[1000000] reduce-window(e, zero), window={size=1000000 pad=999999_0}, to_apply=add_f
  ROOT out = f32[1000000] multiply(c, x))",
                       gpu),
              ElementsAre("|1000000: part scan c", "|1000000: scan c, store out"));
  EXPECT_THAT(StagesOf(R"(
  x = f32[65536,40] parameter(0)
  ROOT c = f32[65536,40] reduce-window(x, zero), window={size=65536x1 pad=65535_0x0_0},
    to_apply=add_f)",
                       gpu),
              ElementsAre("40|65536 along rows: part scan c", "40|65536 along rows: scan c"));
}

// What is read again from the end belongs to other tasks.
TEST(Scans, OfSharedRowsFromTheEndAreReadBehindABarrier) {
  EXPECT_THAT(StagesOf(R"(
  x = f32[1000000] parameter(0)
  c = f32[1000000] reduce-window(x, zero), window={size=1000000 pad=0_999999}, to_apply=add_f
  ROOT out = f32[1000000] multiply(c, x))",
                       FindMachine("a100").value()),
              ElementsAre("|1000000: part scan c", "|1000000: scan c", "|1000000: store out"));
}

TEST(Scans, OfOneDimAndThenTheOtherAreTwoPhases) {
  EXPECT_THAT(StagesOf(R"(
  x = f32[300,400] parameter(0)
  r = f32[300,400] reduce-window(x, zero), window={size=1x400 pad=0_0x399_0}, to_apply=add_f
  ROOT c = f32[300,400] reduce-window(r, zero), window={size=300x1 pad=299_0x0_0}, to_apply=add_f)",
                       FindMachine("a100").value()),
              ElementsAre("300|400: scan r", "400|300 along rows: scan c"));
}

}  // namespace
}  // namespace astitch
