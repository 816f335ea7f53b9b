// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Choices of the planner that dependences leave open, each on the smallest graph where it shows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "stitch/machine.h"
#include "tests/stitch/planned.h"
#include "tests/test_machine.h"

namespace astitch {
namespace {

using testing::ElementsAre;

Plan PlanOf(absl::string_view body, Fusion fusion = Fusion::kStitch) {
  return astitch::PlanOf(body, FindMachine("a100").value(), fusion);
}

const KernelPlan& OnlyKernel(const Plan& plan) {
  EXPECT_EQ(plan.steps.size(), 1);
  return std::get<KernelPlan>(plan.steps[0]);
}

// The reductions that each phase folds or finishes, phases apart.
std::vector<std::string> Reductions(const KernelPlan& kernel) {
  std::vector<std::string> out;
  for (const Phase& phase : kernel.phases) {
    std::string line;
    for (const Stage& stage : phase.stages) {
      for (const Root& root : stage.roots) {
        if (root.kind != RootKind::kReduce && root.kind != RootKind::kCombine) continue;
        absl::StrAppend(&line, line.empty() ? "" : " ", root.value->name());
      }
    }
    out.push_back(line);
  }
  return out;
}

Keep KeepOf(const KernelPlan& kernel, absl::string_view name) {
  for (const Placement& placement : kernel.placements) {
    if (placement.value->name() == name) return placement.keep;
  }
  return Keep::kNone;
}

// Cosines of positions, for each of HEADS heads.
std::string CosinesForHeads(int64_t heads) {
  return absl::Substitute(R"(
  x = bf16[4,2048,$0,64] parameter(0)
  y = f32[4,2048,$0,64] convert(x)
  angle = f32[2048,64] parameter(1)
  cos = f32[2048,64] cosine(angle)
  cosines = f32[4,2048,$0,64] broadcast(cos), dimensions={1,3}
  z = f32[4,2048,$0,64] multiply(y, cosines)
  ROOT r = bf16[4,2048,$0,64] convert(z))",
                          heads);
}

TEST(Choices, WhatIsCostlyAndGoesToManyIsStoredFirst) {
  const Plan plan = PlanOf(CosinesForHeads(32));
  const KernelPlan& kernel = OnlyKernel(plan);
  ASSERT_EQ(kernel.phases.size(), 2);
  EXPECT_EQ(kernel.phases[0].stages[0].roots[0].value->name(), "cos");
  EXPECT_EQ(kernel.phases[1].barrier, PhaseBarrier::kGrid);
  EXPECT_EQ(kernel.FindPlacement(plan.graph->entry()->Find("cos"))->home, Home::kGlobal);
  // What the phase behind the barrier has is no long arithmetic: its lanes are as wide as its loads.
  EXPECT_EQ(kernel.phases[1].stages[0].vector, 4);
  EXPECT_TRUE(absl::c_any_of(
      plan.ledger, [](const LedgerEntry& entry) { return entry.reason == "costly-stored"; }));
  // Of a head each, a barrier would cost more than it spares.
  const Plan one = PlanOf(CosinesForHeads(1));
  EXPECT_EQ(OnlyKernel(one).phases.size(), 1);
}

TEST(Choices, ASmallReductionThatALargeResultWaitsForComesFirst) {
  // With "sum" first, x would be read for it and again for the result.
  const Plan plan = PlanOf(R"(
  x = f32[2048,32000] parameter(0)
  y = f32[2048] parameter(1)
  count = f32[] reduce(y, zero), dimensions={0}, to_apply=add_f
  sum = f32[2048] reduce(x, zero), dimensions={1}, to_apply=add_f
  counts = f32[2048] broadcast(count), dimensions={}
  scale = f32[2048] divide(sum, counts)
  scales = f32[2048,32000] broadcast(scale), dimensions={0}
  ROOT out = f32[2048,32000] multiply(x, scales))");
  const KernelPlan& kernel = OnlyKernel(plan);
  EXPECT_THAT(Reductions(kernel), ElementsAre("count", "sum"));
  EXPECT_EQ(kernel.traffic.total(), kernel.traffic.bound);
}

// Three rows of channels would be three tasks; a phase of few results takes no more than those.
TEST(Choices, ShortColumnsThatReturnToMoreDataDoNotTakeItAlong) {
  const Plan plan = PlanOf(R"(
  few = f32[8,3] parameter(0)
  x = f32[8,4096,3] parameter(1)
  sum = f32[3] reduce(few, zero), dimensions={0}, to_apply=add_f
  sums = f32[8,4096,3] broadcast(sum), dimensions={2}
  ROOT out = f32[8,4096,3] multiply(x, sums))");
  const KernelPlan& kernel = OnlyKernel(plan);
  EXPECT_THAT(Reductions(kernel), ElementsAre("sum", ""));
  EXPECT_GT(kernel.phases.back().num_tasks(), 50);
}

// The data that they fold itself is taken along, without a barrier.
TEST(Choices, ShortColumnsThatReturnToTheirDataTakeItAlong) {
  const Plan plan = PlanOf(R"(
  x = f32[8,4096] parameter(0)
  sum = f32[4096] reduce(x, zero), dimensions={0}, to_apply=add_f
  sums = f32[8,4096] broadcast(sum), dimensions={1}
  ROOT out = f32[8,4096] divide(x, sums))");
  EXPECT_THAT(Reductions(OnlyKernel(plan)), ElementsAre("sum"));
}

// A short column is folded in one place: no parts, and no barrier between them and the result.
TEST(Choices, ShortColumnsAreNotFoldedInParts) {
  const Plan plan = PlanOf(R"(
  x = f32[16,64] parameter(0)
  ROOT sum = f32[64] reduce(x, zero), dimensions={0}, to_apply=add_f)");
  const KernelPlan& kernel = OnlyKernel(plan);
  EXPECT_THAT(Reductions(kernel), ElementsAre("sum"));
  EXPECT_FALSE(kernel.launch.cooperative);
}

TEST(Choices, TheOneTaskOfAShortReductionStoresNoLargeResults) {
  const Plan plan = PlanOf(R"(
  counts = f32[16,32] parameter(0)
  x = f32[32000,512] parameter(1)
  count = f32[] reduce(counts, zero), dimensions={0,1}, to_apply=add_f
  y = f32[32000,512] negate(x)
  scale = f32[32000,512] broadcast(count), dimensions={}
  z = f32[32000,512] multiply(x, scale)
  ROOT t = (f32[], f32[32000,512], f32[32000,512]) tuple(count, y, z))");
  const KernelPlan& kernel = OnlyKernel(plan);
  for (const Phase& phase : kernel.phases) {
    for (const Stage& stage : phase.stages) {
      for (const Root& root : stage.roots) {
        if (root.value->name() == "count") continue;
        EXPECT_GT(phase.num_tasks(), 100) << root.value->name();
      }
    }
  }
  EXPECT_LT(kernel.predicted.ns, 200'000);  // 197 MB; one block would take milliseconds
}

TEST(Choices, AReductionWaitsForAPhaseThatReadsItsInputAnyway) {
  // g is read for "dot" and for the result, whatever becomes of "total".
  const Plan plan = PlanOf(R"(
  x = f32[100352,64] parameter(0)
  g = f32[100352,64] parameter(1)
  sum = f32[64] reduce(x, zero), dimensions={0}, to_apply=add_f
  total = f32[64] reduce(g, zero), dimensions={0}, to_apply=add_f
  sums = f32[100352,64] broadcast(sum), dimensions={1}
  shifted = f32[100352,64] subtract(x, sums)
  product = f32[100352,64] multiply(shifted, g)
  dot = f32[64] reduce(product, zero), dimensions={0}, to_apply=add_f
  both = f32[64] add(dot, total)
  spread = f32[100352,64] broadcast(both), dimensions={1}
  ROOT out = f32[100352,64] multiply(g, spread))");
  EXPECT_THAT(Reductions(OnlyKernel(plan)),
              ElementsAre("sum", "sum", "dot total", "dot total", ""));
}

constexpr absl::string_view kSoftmax = R"(
  mx = f32[$0] reduce(x, ninf), dimensions={1}, to_apply=max_f
  mb = f32[$0,$1] broadcast(mx), dimensions={0}
  d = f32[$0,$1] subtract(x, mb)
  ex = f32[$0,$1] exponential(d)
  sm = f32[$0] reduce(ex, zero), dimensions={1}, to_apply=add_f
  sb = f32[$0,$1] broadcast(sm), dimensions={0}
  ROOT p = f32[$0,$1] divide(ex, sb))";

TEST(Choices, RowsTooLongForAFewWarpsStayInTheRegistersOfMore) {
  // The logarithm of a sum of exponentials reads x twice, and no slot helps.
  constexpr absl::string_view kBody = R"(
  x = f32[2048,$0] parameter(0)
  mx = f32[2048] reduce(x, ninf), dimensions={1}, to_apply=max_f
  mb = f32[2048,$0] broadcast(mx), dimensions={0}
  d = f32[2048,$0] subtract(x, mb)
  ex = f32[2048,$0] exponential(d)
  sm = f32[2048] reduce(ex, zero), dimensions={1}, to_apply=add_f
  lg = f32[2048] log(sm)
  ROOT r = f32[2048] add(lg, mx))";
  for (const auto& [columns, block] : {std::pair(16000, 256), std::pair(32000, 512)}) {
    const Plan plan = PlanOf(absl::Substitute(kBody, columns));
    const KernelPlan& kernel = OnlyKernel(plan);
    EXPECT_EQ(kernel.launch.block, block);
    EXPECT_EQ(KeepOf(kernel, "x"), Keep::kRegisters) << columns;
    EXPECT_EQ(kernel.traffic.total(), kernel.traffic.bound);
  }
}

TEST(Choices, AGpuComputesAgainWhatWouldGoToMemoryAndBack) {
  // Rows are split over blocks: the exponential for the sum and that for the result are in two
  // phases.
  const Plan plan = PlanOf(
      absl::StrCat("x = f32[64,131072] parameter(0)\n", absl::Substitute(kSoftmax, 64, 131072)));
  const Placement* exponential = nullptr;
  for (const Placement& placement : OnlyKernel(plan).placements) {
    if (placement.value->name() == "ex") exponential = &placement;
  }
  ASSERT_NE(exponential, nullptr);
  EXPECT_EQ(exponential->home, Home::kLocal);
}

// ---- baselines

TEST(Choices, XlaMapsARowToABlock) {
  constexpr absl::string_view kSum = R"(
  x = f32[$0,$1] parameter(0)
  ROOT s = f32[$0] reduce(x, zero), dimensions={1}, to_apply=add_f)";
  struct Case {
    int64_t rows, columns;
    int32_t block;
  };
  for (const Case& c : {Case{750000, 32, 32}, Case{64, 30000, 1024}}) {
    const Plan plan = PlanOf(absl::Substitute(kSum, c.rows, c.columns), Fusion::kXla);
    const KernelPlan& kernel = OnlyKernel(plan);
    ASSERT_EQ(kernel.phases.size(), 1);
    EXPECT_EQ(kernel.launch.block, c.block);
    EXPECT_EQ(kernel.phases[0].num_tasks(), c.rows);
  }
}

TEST(Choices, BaselinesPassValuesThroughRegistersOnly) {
  // The exponential is worth a slot a row to us; tvm has it in the loop, xla in a kernel before.
  constexpr absl::string_view kBody = R"(
  x = f32[16384] parameter(0)
  y = f32[16384,1024] parameter(1)
  t = f32[16384] tanh(x)
  tb = f32[16384,1024] broadcast(t), dimensions={0}
  ROOT s = f32[16384,1024] add(tb, y))";
  for (const auto& [fusion, kernels, slots] :
       {std::tuple(Fusion::kStitch, 1, 1), std::tuple(Fusion::kTvm, 1, 0),
        std::tuple(Fusion::kXla, 2, 0)}) {
    const Plan plan = PlanOf(kBody, fusion);
    EXPECT_EQ(plan.num_kernels(), kernels) << ToString(fusion);
    int regional = 0;
    for (const PlanStep& step : plan.steps) {
      for (const Placement& placement : std::get<KernelPlan>(step).placements)
        regional += placement.home == Home::kRegional;
    }
    EXPECT_EQ(regional, slots) << ToString(fusion);
  }
}

// Every task looks through all indices, but an update is read where it goes, once in all.
TEST(Choices, WhatIsLookedUpComesFromMemoryOnce) {
  const Plan plan = PlanOf(R"(
  x = f32[30000,768] parameter(0)
  i = s32[16384,1] parameter(1)
  u = f32[16384,2,768] parameter(2)
  ROOT y = f32[30000,768] scatter(x, i, u), update_window_dims={1,2}, inserted_window_dims={},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add_f)");
  const Traffic traffic = plan.total_traffic();
  EXPECT_GT(plan.graph->entry()->parameters()[2]->shape().byte_size(),
            FindMachine("a100").value().l2_bytes);
  EXPECT_EQ(traffic.total(), traffic.bound);
}

// An optimizer's tensors are of several sizes: if tasks had as many columns of each, the first would have
// most of the work.
TEST(Choices, TasksShareTheColumnsOfSmallArraysAsThoseOfLargeOnes) {
  const Plan plan = PlanOf(R"(
  large = f32[4194304] parameter(0)
  small = f32[1048576] parameter(1)
  tiny = f32[256] parameter(2)
  a = f32[4194304] negate(large)
  b = f32[1048576] negate(small)
  c = f32[256] negate(tiny)
  ROOT out = (f32[4194304], f32[1048576], f32[256]) tuple(a, b, c))");
  const KernelPlan& kernel = OnlyKernel(plan);
  ASSERT_EQ(kernel.phases.size(), 1);
  const Phase& phase = kernel.phases[0];
  std::vector<int64_t> tasks;
  for (const Stage& stage : phase.stages) {
    int64_t columns = 1;
    for (int64_t extent : stage.columns) columns *= extent;
    tasks.push_back((columns + phase.columns_per_task(stage) - 1) / phase.columns_per_task(stage));
  }
  EXPECT_THAT(tasks, ElementsAre(phase.col_tasks(), testing::Gt(phase.col_tasks() / 2), 1));
}

// The phase that finishes a sum might store what is made of it, for a later one to read again.
TEST(Choices, ALargeResultThatIsFoldedLaterIsStoredThen) {
  const Plan plan = PlanOf(R"(
  y = f32[1000000] parameter(0)
  total = f32[] reduce(y, zero), dimensions={0}, to_apply=add_f
  totals = f32[4096,8192] broadcast(total), dimensions={}
  places = f32[4096,8192] iota(), iota_dimension=1
  large = f32[4096,8192] multiply(totals, places)
  turned = f32[4096,8192] negate(large)
  sums = f32[4096] reduce(turned, zero), dimensions={1}, to_apply=add_f
  ROOT out = (f32[4096,8192], f32[4096]) tuple(large, sums))");
  const KernelPlan& kernel = OnlyKernel(plan);
  EXPECT_EQ(kernel.traffic.total(), kernel.traffic.bound);
}

// Tasks of fewer rows than a tile has, since slices are no whole tiles: threads without a row repeat the last
// one, which another warp has, and read of memory what that writes.
TEST(Choices, TasksThatAreCutToSlicesWaitForTheBlock) {
  const Plan plan = astitch::PlanOf(R"(
  x = f32[64,3,60] parameter(0)
  p = f32[64,3,60] tanh(x)
  s = f32[64,3] reduce(p, zero), dimensions={2}, to_apply=add_f
  ss = f32[64,3,60] broadcast(s), dimensions={0,1}
  q = f32[64,3,60] add(p, ss)
  w = f32[64,3,60] multiply(p, ss)
  t = f32[3,60] reduce(p, zero), dimensions={0}, to_apply=add_f
  u = f32[3,60] reduce(q, zero), dimensions={0}, to_apply=add_f
  ROOT out = (f32[64,3,60], f32[64,3,60], f32[64,3,60], f32[3,60], f32[3,60])
    tuple(p, q, w, t, u))",
                                    TestMachine("small-l2").value());
  const Phase& phase = OnlyKernel(plan).phases[0];
  ASSERT_GT(phase.slice, 0);
  ASSERT_NE(phase.rows_per_task % phase.tile_rows, 0);
  ASSERT_EQ(phase.stages.size(), 2);
  EXPECT_EQ(phase.stages[1].barrier, StageBarrier::kBlock);
}

TEST(Choices, PhasesWithoutElementsWaitForNobody) {
  const Plan plan = PlanOf(R"(
  x = f32[4096,1024] parameter(0)
  y = f32[7,1024] parameter(1)
  c = f32[1024] reduce(x, zero), dimensions={0}, to_apply=add_f
  cs = f32[7,1024] broadcast(c), dimensions={1}
  s = f32[7,1024] subtract(y, cs)
  none = f32[7,0] slice(s), slice={[0:7],[3:3]}
  ROOT out = (f32[1024], f32[7,0]) tuple(c, none))");
  const KernelPlan& kernel = OnlyKernel(plan);
  ASSERT_EQ(kernel.phases.size(), 3);
  EXPECT_EQ(kernel.phases[1].barrier, PhaseBarrier::kGrid);
  EXPECT_EQ(kernel.phases[2].barrier, PhaseBarrier::kNone);
}

}  // namespace
}  // namespace astitch
