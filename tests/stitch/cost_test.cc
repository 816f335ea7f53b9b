// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Predictions against what a pencil gives, on machines with round figures; and what must hold of all.
#include "stitch/cost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/substitute.h"
#include "stitch/host_machine.h"
#include "stitch/machine.h"
#include "stitch/stage_rates.h"
#include "stitch/stage_work.h"
#include "tests/stitch/planned.h"

namespace astitch {
namespace {

// For its figures: the graph is gone.
KernelPlan KernelOf(absl::string_view body, const MachineModel& machine) {
  const Plan plan = PlanOf(body, machine);
  EXPECT_EQ(plan.steps.size(), 1);
  return std::get<KernelPlan>(plan.steps[0]);
}

// 1000 GB/s reachable, 100 SMs of 100 lanes at 1 GHz, latencies of 1 us and 100 ns, and a launch of 1 us.
MachineModel RoundGpu() {
  MachineModel m = FindMachine("a100").value();
  m.num_sms = 100;
  m.dram_gb_per_s = 1000;
  m.reachable_share = 1;
  m.clock_ghz = 1;
  m.fp32_lanes_per_sm = 100;
  m.fp64_lanes_per_sm = 1;
  m.special_lanes_per_sm = 50;
  m.l2_gb_per_s = 4000;
  m.dram_latency_ns = 1000;
  m.l2_latency_ns = 100;
  m.launch_us = 1;
  m.grid_barrier_us = 2;
  return m;
}

constexpr absl::string_view kScale = R"(
  x = f32[$0] parameter(0)
  two = f32[] constant(2)
  twos = f32[$0] broadcast(two), dimensions={}
  ROOT y = f32[$0] multiply(x, twos))";

TEST(Cost, ALargeCopyTakesItsBytesOverTheReachableBandwidth) {
  // 2 * 400 MB at 1000 GB/s are 800 us; launch and first access are 2 more.
  const KernelPlan kernel = KernelOf(absl::Substitute(kScale, 100'000'000), RoundGpu());
  EXPECT_EQ(kernel.predicted.dram_bytes, 800'000'000);
  EXPECT_EQ(kernel.predicted.bound, Bound::kMemory);
  EXPECT_EQ(kernel.predicted.ns, 802'000);
  for (const char* name : {"v100", "t4", "a100", "l4", "rtx4090", "h100", "h200", "b200"}) {
    const MachineModel m = FindMachine(name).value();
    const KernelPlan of = KernelOf(absl::Substitute(kScale, 100'000'000), m);
    EXPECT_NEAR(static_cast<double>(of.predicted.ns) * m.dram_gb_per_s * m.reachable_share / 8e8, 1,
                0.05)
        << name;
    EXPECT_EQ(of.predicted.bound, Bound::kMemory) << name;
  }
}

TEST(Cost, ASmallKernelTakesItsLaunchAndOneAccess) {
  const KernelPlan kernel = KernelOf(absl::Substitute(kScale, 256), RoundGpu());
  EXPECT_EQ(kernel.predicted.bound, Bound::kLatency);
  EXPECT_EQ(kernel.predicted.ns, 1000 + 1000);
}

TEST(Cost, OperationsCountAsOftenAsTheyAreEvaluated) {
  // Softmax of 16000 rows of 1024, a warp a row: what is a row's is evaluated once by each lane.
  const MachineModel m = RoundGpu();
  const KernelPlan kernel = KernelOf(SoftmaxOf(16000, 1024), m);
  ASSERT_EQ(kernel.phases.size(), 1);
  ASSERT_EQ(kernel.phases[0].stages.size(), 3);
  ASSERT_EQ(kernel.phases[0].threads_per_row, 32);
  const int64_t n = 16'384'000, vector = kernel.phases[0].stages[0].vector;
  const auto& stages = kernel.phases[0].stages;
  EXPECT_EQ(stages[0].predicted.operations, n + n / vector);          // max; loads
  EXPECT_EQ(stages[1].predicted.operations, 17 * n + n / vector);     // subtract, exp, add; slot
  EXPECT_EQ(stages[2].predicted.operations, 5 * n + 2 * n / vector);  // divide; slot, store
  EXPECT_EQ(stages[0].predicted.dram_bytes, 4 * n);
  EXPECT_EQ(stages[1].predicted.dram_bytes, 0);
  EXPECT_EQ(stages[2].predicted.dram_bytes, 4 * n);
}

TEST(Cost, StagesOfAPhaseOverlapBetweenBlocks) {
  // 65.5 MB each way are 131 us; arithmetic is 24 n and 0.25 an access over 100 * 100 lanes, of whose
  // slots operations have 0.8: 397 million over 8000 a ns are 50 us, 35 of them in the second sweep.
  const KernelPlan kernel = KernelOf(SoftmaxOf(16000, 1024), RoundGpu());
  EXPECT_EQ(kernel.predicted.bound, Bound::kMemory);
  // Of 4000 tiles, a multiprocessor has 40: what its last does not share with others shows.
  EXPECT_GT(kernel.launch.blocks_per_sm, 1);
  EXPECT_NEAR(kernel.predicted.ns, 131'072 + 2000 + 35'000 / 40, 100);
}

TEST(Cost, StagesOfABlockThatIsAloneFollowEachOther) {
  // Rows of 32768 in the registers of 512 threads, one block a multiprocessor: 131 us for the bytes, and the
  // 35 us of the second sweep, in which no memory moves.
  const KernelPlan kernel = KernelOf(SoftmaxOf(500, 32768), RoundGpu());
  ASSERT_EQ(kernel.launch.blocks_per_sm, 1);
  ASSERT_EQ(kernel.phases[0].stages.size(), 3);
  double sum = 0;
  for (const Stage& stage : kernel.phases[0].stages) sum += static_cast<double>(stage.predicted.ns);
  EXPECT_NEAR(static_cast<double>(kernel.predicted.ns), sum + 1000, 10);
  EXPECT_GT(kernel.predicted.ns, 131'072 + 35'000);
}

TEST(Cost, TwoPhasesAreTheirTimesAndABarrier) {
  // 65.5 MB once, parts of a few hundred KB within L2, and the barrier of 2 us.
  const KernelPlan kernel = KernelOf(R"(
  x = f32[16384,1024] parameter(0)
  ROOT s = f32[1024] reduce(x, zero), dimensions={0}, to_apply=add_f)",
                                     RoundGpu());
  ASSERT_EQ(kernel.phases.size(), 2);
  EXPECT_EQ(kernel.predicted.barriers, 1);
  EXPECT_EQ(kernel.predicted.bound, Bound::kMemory);
  const double least = 65.536e3 + 1000 + 1000 + 2000;  // bytes, access, launch, barrier
  EXPECT_GT(kernel.predicted.ns, least);
  EXPECT_LT(kernel.predicted.ns, least * 1.05);
}

TEST(Cost, ArithmeticBoundKernelsGoByTheLanesOfTheirType) {
  constexpr absl::string_view kExp = R"(
  x = $0[10000000] parameter(0)
  a = $0[10000000] tanh(x)
  b = $0[10000000] tanh(a)
  ROOT y = $0[10000000] tanh(b))";
  const MachineModel m = RoundGpu();
  const KernelPlan f32 = KernelOf(absl::Substitute(kExp, "f32"), m);
  // 75 operations of 10 million elements and half of one an element for access: 8000 a ns.
  EXPECT_EQ(f32.predicted.bound, Bound::kArithmetic);
  // Whole rounds of blocks but for the last sweep: a hundredth more at most.
  EXPECT_NEAR(static_cast<double>(f32.predicted.ns) / (755e6 / 8000 + 2000), 1.005, 0.006);
  const KernelPlan f64 = KernelOf(absl::Substitute(kExp, "f64"), m);
  EXPECT_EQ(f64.predicted.bound, Bound::kArithmetic);
  EXPECT_NEAR(static_cast<double>(f64.predicted.ns) / static_cast<double>(f32.predicted.ns), 95, 5);
}

TEST(Cost, DivisionsGoByTheSpecialUnits) {
  constexpr absl::string_view kDivide = R"(
  x = f32[10000000] parameter(0)
  y = f32[10000000] parameter(1)
  ROOT z = f32[10000000] divide(x, y))";
  MachineModel m = RoundGpu();
  const int64_t before = KernelOf(kDivide, m).predicted.operations;
  m.special_lanes_per_sm = 1;
  const int64_t after = KernelOf(kDivide, m).predicted.operations;
  EXPECT_EQ(after - before, 95 * 10'000'000);  // 100 lanes wait for one, instead of 5 operations
}

TEST(Cost, ARoundTripToMemoryIsWorthOperations) {
  const Plan plan = PlanOf(absl::Substitute(kScale, 100'000'000), RoundGpu());
  const Instruction& large = *plan.graph->entry()->root();
  MachineModel m = RoundGpu();
  m.fp32_lanes_per_sm = 50;  // 8 bytes at 1000 GB/s, 50 * 100 lanes of which operations have 0.8
  EXPECT_DOUBLE_EQ(OperationsOfRoundTrip(large, m), 32);
  m.dram_gb_per_s = 100;
  EXPECT_DOUBLE_EQ(OperationsOfRoundTrip(large, m), 64) << "no more than that";
  const Plan small = PlanOf(absl::Substitute(kScale, 1000), RoundGpu());
  const MachineModel host = DetectHost(2);
  EXPECT_LT(OperationsOfRoundTrip(*small.graph->entry()->root(), host),
            OperationsOfRoundTrip(large, host))
      << "the small one stays in the cache";
}

TEST(Cost, FewBlocksAndHalfTheBandwidthTakeLonger) {
  const std::string body = SoftmaxOf(4096, 1024);
  MachineModel m = RoundGpu();
  const int64_t whole = KernelOf(body, m).predicted.ns;
  m.dram_gb_per_s /= 2;
  const int64_t half = KernelOf(body, m).predicted.ns;
  EXPECT_NEAR(static_cast<double>(half) / static_cast<double>(whole), 2, 0.2);
  // One block of four has all the work of a machine of one multiprocessor.
  Plan plan = PlanOf(body, RoundGpu());
  KernelPlan& few = std::get<KernelPlan>(plan.steps[0]);
  few.launch.grid = 4;
  PredictKernel(RoundGpu(), {}, few);
  EXPECT_GT(few.predicted.ns, 10 * whole);
  EXPECT_NE(few.predicted.bound, Bound::kMemory);
}

TEST(Cost, TheHostsWorkersShareMemory) {
  MachineModel m;
  m.kind = MachineModel::Kind::kHost;
  m.workers = 4;
  m.l3_bytes = 32 << 20;
  m.dram_gb_per_s = 40;
  m.reachable_share = 1;
  m.worker_dram_gb_per_s = 20;
  m.worker_l2_gb_per_s = m.worker_l3_gb_per_s = 100;
  m.clock_ghz = 2;
  m.launch_us = 0;
  // 800 MB at 40 GB/s are 20 ms; a quarter of the arithmetic does not overlap.
  const KernelPlan kernel = KernelOf(absl::Substitute(kScale, 100'000'000), m);
  EXPECT_TRUE(kernel.phases[0].stages[0].streaming);
  EXPECT_NEAR(static_cast<double>(kernel.predicted.ns) / 20e6, 1.1, 0.1);
  m.workers = 1;
  const KernelPlan alone = KernelOf(absl::Substitute(kScale, 100'000'000), m);
  EXPECT_NEAR(static_cast<double>(alone.predicted.ns) / 40e6, 1.1, 0.1);
}

TEST(Cost, ProductsGoByOperationsOrBytes) {
  constexpr absl::string_view kDot = R"(
  x = $0[$1,$2] parameter(0)
  w = $0[$2,$1] parameter(1)
  ROOT d = $0[$1,$1] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0})";
  const MachineModel m = FindMachine("a100").value();
  const auto predicted = [&](absl::string_view type, int mn, int k) {
    const Plan plan = PlanOf(absl::Substitute(kDot, type, mn, k), m);
    EXPECT_EQ(plan.predicted_kernels_ns(), 0);
    EXPECT_EQ(plan.predicted_others_ns(), PredictionOf(plan.steps[0]).ns);
    return PredictionOf(plan.steps[0]);
  };
  const Prediction f16 = predicted("f16", 4096, 4096);
  EXPECT_EQ(f16.bound, Bound::kArithmetic);
  EXPECT_EQ(f16.operations, int64_t{2} << 36);
  EXPECT_NEAR(f16.ns, 1.374e11 / 312e3 / 0.7 + 1000, 2000);
  EXPECT_GT(predicted("f32", 4096, 4096).ns, 10 * f16.ns);
  EXPECT_EQ(predicted("f16", 4096, 16).bound, Bound::kMemory);
  EXPECT_EQ(predicted("f16", 16, 16).bound, Bound::kLatency);
}

TEST(Cost, StagesShareTheTrafficOfTheirKernel) {
  const MachineModel host = DetectHost(2);
  for (const MachineModel& m : {RoundGpu(), FindMachine("h100").value(), host}) {
    for (const std::string& body : {absl::Substitute(kScale, 1000), SoftmaxOf(64, 30000),
                                    SoftmaxOf(4096, 1000), SoftmaxOf(3, 5)}) {
      const KernelPlan kernel = KernelOf(body, m);
      int64_t bytes = 0, operations = 0;
      for (const Phase& phase : kernel.phases) {
        for (const Stage& stage : phase.stages) {
          bytes += stage.predicted.dram_bytes;
          operations += stage.predicted.operations;
          EXPECT_LE(stage.predicted.ns, kernel.predicted.ns);
          EXPECT_GE(stage.predicted.dram_bytes, 0);
        }
      }
      EXPECT_EQ(bytes, kernel.traffic.total());
      EXPECT_EQ(kernel.predicted.dram_bytes, kernel.traffic.total());
      EXPECT_EQ(kernel.predicted.operations, operations);
    }
  }
}

}  // namespace
}  // namespace astitch
