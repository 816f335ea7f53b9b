// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Ways that the tables would not go: taken where they are predicted to be faster, with both times told.
#include "stitch/kernel_planner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "stitch/machine.h"
#include "stitch/mapping.h"
#include "stitch/phases.h"
#include "tests/stitch/planned.h"

namespace astitch {
namespace {

const KernelPlan& OnlyKernel(const Plan& plan) {
  EXPECT_EQ(plan.num_kernels(), 1);
  return std::get<KernelPlan>(plan.steps[0]);
}

std::vector<std::string> DetailsOf(const Plan& plan, absl::string_view reason) {
  std::vector<std::string> details;
  for (const LedgerEntry& entry : plan.ledger) {
    if (entry.reason == reason) details.push_back(entry.detail);
  }
  return details;
}

// Three sweeps over a row, and a sum over the rows: by the tables a thread would hold so much of a row that
// a multiprocessor has one block, whose memory idles in the second sweep.
constexpr absl::string_view kBackward = R"(
  x = f32[8192,1024] parameter(0)
  g = f32[8192,1024] parameter(1)
  w = f32[1024] parameter(2)
  ws = f32[8192,1024] broadcast(w), dimensions={1}
  gw = f32[8192,1024] multiply(g, ws)
  s = f32[8192] reduce(x, zero), dimensions={1}, to_apply=add_f
  ss = f32[8192,1024] broadcast(s), dimensions={0}
  d = f32[8192,1024] subtract(x, ss)
  q = f32[8192,1024] divide(d, gw)
  v = f32[8192] reduce(q, zero), dimensions={1}, to_apply=add_f
  vs = f32[8192,1024] broadcast(v), dimensions={0}
  n = f32[8192,1024] multiply(d, vs)
  dx = f32[8192,1024] subtract(gw, n)
  gn = f32[8192,1024] multiply(g, n)
  dw = f32[1024] reduce(gn, zero), dimensions={0}, to_apply=add_f
  db = f32[1024] reduce(g, zero), dimensions={0}, to_apply=add_f
  ROOT r = (f32[8192,1024], f32[1024], f32[1024]) tuple(dx, dw, db))";

TEST(Launch, LeavesRoomForASecondBlockWhereStagesWouldFollowEachOther) {
  const MachineModel a100 = FindMachine("a100").value();
  const Plan plan = PlanOf(kBackward, a100);
  const KernelPlan& kernel = OnlyKernel(plan);
  EXPECT_GT(kernel.launch.blocks_per_sm, 1);
  // 67 MB read, 34 MB written: little more than what the bytes take.
  EXPECT_LT(kernel.predicted.ns, 1.1 * 100.7e6 / (a100.dram_gb_per_s * a100.reachable_share));
  EXPECT_THAT(
      DetailsOf(plan, "launch-as-predicted"),
      testing::ElementsAre(testing::ContainsRegex("predicted .* us by the tables, .* us with")));
}

TEST(Launch, StaysByTheTablesWhereTheBytesTakeAllTheTime) {
  const Plan plan = PlanOf(SoftmaxOf(16384, 1024), FindMachine("a100").value());
  EXPECT_EQ(OnlyKernel(plan).launch.block, 128);
  EXPECT_THAT(DetailsOf(plan, "launch-as-predicted"), testing::IsEmpty());
}

TEST(Launch, HasNoMoreThreadsThanTheMachineAllows) {
  MachineModel machine = FindMachine("a100").value();
  const std::string softmax = SoftmaxOf(100, 8192);
  EXPECT_EQ(OnlyKernel(PlanOf(softmax, machine)).launch.block, 512);
  machine.max_threads_per_block = 256;  // PlanOf has it verified
  EXPECT_LE(OnlyKernel(PlanOf(softmax, machine)).launch.block, 256);
}

TEST(Launch, BlocksWhoseRegistersAreNotThereAreAsTheTablesHaveThem) {
  const MachineModel a100 = FindMachine("a100").value();
  auto graph = ParseHloText(absl::StrCat(R"(HloModule m
add_f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  zero = f32[] constant(0)
  x = f32[8192,8192] parameter(0)
  s = f32[8192] reduce(x, zero), dimensions={1}, to_apply=add_f
  t = f32[8192] reduce(x, zero), dimensions={0}, to_apply=add_f
  ROOT r = (f32[8192], f32[8192]) tuple(s, t)
})"));
  ASSERT_TRUE(graph.ok()) << graph.status();
  const Computation& entry = *(*graph)->entry();
  Region region;
  region.values = {entry.Find("s"), entry.Find("t")};
  region.inputs = {entry.Find("x")};
  region.outputs = region.values;
  const RegionInfo info(region, a100);
  KernelDraft draft = BuildPhases(info, a100, Fusion::kStitch).value();
  const int32_t by_tables = MapKernel(info, draft, a100).launch.block;
  EXPECT_EQ(by_tables, 256);
  for (const int32_t block : {128, 512}) {
    draft.launch.block = block;
    EXPECT_EQ(MapKernel(info, draft, a100).launch.block, block);
  }
  // Sums of eight columns in registers, and 64 for all else: of 65,536 there are 64 for each of 1,024 threads.
  draft.launch.block = 1024;
  EXPECT_EQ(MapKernel(info, draft, a100).launch.block, by_tables);
}

TEST(Rows, AreSharedOrWholeAsPredicted) {
  const std::string softmax = SoftmaxOf(64, 30000);
  for (const char* name : {"a100", "h100"}) {
    const Plan shared = PlanOf(softmax, FindMachine(name).value());
    const Phase& first = OnlyKernel(shared).phases[0];
    EXPECT_GT(first.col_tasks() * first.cluster, 1) << name;
    EXPECT_THAT(DetailsOf(shared, "rows-shared"),
                testing::ElementsAre(testing::ContainsRegex(
                    "predicted .* us with rows that blocks share, .* us with whole rows")))
        << name;
  }
  // To meet twice would take longer than what fewer blocks do.
  const Plan whole = PlanOf(SoftmaxOf(64, 4096), FindMachine("a100").value());
  EXPECT_EQ(OnlyKernel(whole).phases.size(), 1);
  EXPECT_FALSE(OnlyKernel(whole).launch.cooperative);
  EXPECT_EQ(DetailsOf(whole, "rows-whole").size(), 1);
}

TEST(Rows, GoInClustersOrInPartsAsPredicted) {
  const MachineModel h100 = FindMachine("h100").value();
  const Plan clusters = PlanOf(SoftmaxOf(64, 30000), h100);
  EXPECT_GT(OnlyKernel(clusters).phases[0].cluster, 1);
  EXPECT_EQ(DetailsOf(clusters, "rows-in-clusters").size(), 1);
  // 84 MB, more than the cache holds, and rows of which no four blocks hold one: each sweep of a cluster reads
  // memory. In parts, a phase begins with what the one before has left in the cache.
  const Plan parts = PlanOf(SoftmaxOf(64, 327680), h100);
  for (const Phase& phase : OnlyKernel(parts).phases) EXPECT_EQ(phase.cluster, 1);
  EXPECT_LT(OnlyKernel(parts).traffic.read, 3 * 64 * 327680 * 4);
  EXPECT_THAT(DetailsOf(parts, "rows-in-parts"),
              testing::ElementsAre(testing::ContainsRegex(
                  "predicted .* us with clusters whose blocks share rows, .* us with parts")));
}

TEST(Rows, ThatAreWholeStayWholeWhereEveryBlockFoldsASmallReduction) {
  // The sum of squares would have parts, too: the only barrier that is left.
  const Plan plan = PlanOf(R"(
  y = f32[8192] parameter(0)
  yy = f32[8192] multiply(y, y)
  n = f32[] reduce(yy, zero), dimensions={0}, to_apply=add_f
  ns = f32[48,4096] broadcast(n), dimensions={}
  x = f32[48,4096] parameter(1)
  max = f32[48] reduce(x, ninf), dimensions={1}, to_apply=max_f
  maxs = f32[48,4096] broadcast(max), dimensions={0}
  d = f32[48,4096] subtract(x, maxs)
  e = f32[48,4096] exponential(d)
  sum = f32[48] reduce(e, zero), dimensions={1}, to_apply=add_f
  sums = f32[48,4096] broadcast(sum), dimensions={0}
  p = f32[48,4096] divide(e, sums)
  ROOT q = f32[48,4096] multiply(p, ns))",
                           FindMachine("a100").value());
  EXPECT_EQ(DetailsOf(plan, "rows-whole").size(), 1);
  EXPECT_EQ(DetailsOf(plan, "repeated-in-each-block").size(), 1);
  EXPECT_FALSE(OnlyKernel(plan).launch.cooperative);
}

TEST(Rows, ThatWouldMoveMoreBytesWholeAreShared) {
  // Where a barrier takes 100 us, whole rows would be 1.5 times as fast, though each sweep reads them from
  // memory; a phase of parts begins with what the one before has left in the cache.
  MachineModel dear = FindMachine("a100").value();
  dear.grid_barrier_us = 100;
  const Plan plan = PlanOf(SoftmaxOf(64, 327680), dear);
  EXPECT_TRUE(OnlyKernel(plan).launch.cooperative);
  EXPECT_LT(OnlyKernel(plan).traffic.read, 3 * 64 * 327680 * 4);
  EXPECT_EQ(DetailsOf(plan, "rows-shared").size(), 1);
}

TEST(Rows, OfWhichThereAreEnoughAreNotTriedOtherwise) {
  const Plan plan = PlanOf(SoftmaxOf(4096, 30000), FindMachine("a100").value());
  EXPECT_THAT(DetailsOf(plan, "rows-shared"), testing::IsEmpty());
  EXPECT_THAT(DetailsOf(plan, "rows-whole"), testing::IsEmpty());
}

TEST(Rows, InPartsGoInWholeRoundsOfTheResidentBlocks) {
  // 64 rows and 432 blocks: seven parts each would be 448 tasks, of which 16 come in a second round.
  const Plan plan = PlanOf(R"(
  x = f32[64,131072] parameter(0)
  ROOT s = f32[64] reduce(x, zero), dimensions={1}, to_apply=add_f)",
                           FindMachine("a100").value());
  const KernelPlan& kernel = OnlyKernel(plan);
  EXPECT_LE(kernel.phases[0].num_tasks(), kernel.launch.grid);
  EXPECT_GT(kernel.phases[0].num_tasks(), kernel.launch.grid / 2);
}

TEST(Rows, OfOneRowGoInWholeRoundsToo) {
  // 3 blocks a multiprocessor: 864 tasks would be two rounds and two thirds.
  for (const int64_t elements : {40'000'000, 45'088'768, 60'000'000}) {
    const Plan plan = PlanOf(absl::Substitute(R"(
  a = bf16[$0] parameter(0)
  b = bf16[$0] parameter(1)
  c = bf16[$0] tanh(a)
  ROOT d = bf16[$0] multiply(b, c))",
                                              elements),
                             FindMachine("a100").value());
    const KernelPlan& kernel = OnlyKernel(plan);
    const int64_t tasks = kernel.phases[0].num_tasks(), grid = kernel.launch.grid;
    EXPECT_GT(tasks % grid == 0 ? 1 : static_cast<double>(tasks % grid) / static_cast<double>(grid),
              0.9)
        << tasks << " tasks, " << grid << " blocks";
  }
}

}  // namespace
}  // namespace astitch
