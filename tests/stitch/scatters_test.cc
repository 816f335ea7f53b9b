// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Scatters inside of regions: what they start from in one phase, their updates in another, in proportion
// to what they read and not to a product of sizes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "stitch/machine.h"
#include "tests/stitch/planned.h"
#include "tests/test_machine.h"

namespace astitch {
namespace {

using testing::ElementsAre;

MachineModel TwoWorkers() { return TestMachine("host2").value(); }

Plan PlanOnGpu(absl::string_view body) { return PlanOf(body, FindMachine("a100").value()); }

const KernelPlan& OnlyKernel(const Plan& plan) {
  EXPECT_EQ(plan.num_kernels(), 1);
  return std::get<KernelPlan>(plan.steps[0]);
}

// "rows|columns: kind value, ..." of every phase, which has one stage; "barrier" before those that wait.
std::vector<std::string> Phases(const KernelPlan& kernel) {
  std::vector<std::string> out;
  for (const Phase& phase : kernel.phases) {
    std::vector<std::string> stages;
    for (const Stage& stage : phase.stages) {
      std::vector<std::string> roots;
      for (const Root& root : stage.roots)
        roots.push_back(absl::StrCat(ToString(root.kind), " ", root.value->name()));
      stages.push_back(
          absl::StrCat(absl::StrJoin(stage.columns, "x"), ": ", absl::StrJoin(roots, ", ")));
    }
    out.push_back(absl::StrCat(phase.barrier == PhaseBarrier::kGrid ? "barrier " : "",
                               absl::StrJoin(phase.rows, "x"), "|", absl::StrJoin(stages, "; ")));
  }
  return out;
}

std::vector<std::string> PhasesOf(absl::string_view body, const MachineModel& machine) {
  const Plan plan = PlanOf(body, machine);
  return Phases(OnlyKernel(plan));
}

// A scatter of VECTORS index vectors, whose updates are f32[VECTORS,WINDOW].
std::string ScatterOf(absl::string_view operand, int64_t vectors, absl::string_view window,
                      absl::string_view places, absl::string_view dims) {
  return absl::StrCat("\n  x = f32", operand, " parameter(0)\n  i = s32[", vectors, ",", places,
                      "] parameter(1)\n  u = f32[", vectors, ",", window,
                      "] parameter(2)\n  ROOT s = f32", operand, " scatter(x, i, u), ", dims,
                      ", index_vector_dim=1, to_apply=add_f");
}

constexpr absl::string_view kRows =
    "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}";

TEST(Scatters, CopyTheOperandAndThenTakeUpdatesInOrder) {
  EXPECT_THAT(PhasesOf(ScatterOf("[100,64]", 70, "64", "1", kRows), TwoWorkers()),
              ElementsAre("|100x64: store s", "barrier 70|64: scatter s"));
}

// Windows of two index vectors may overlap along an indexed dimension, where order counts.
TEST(Scatters, WorkersShareTheColumnsOfWindowsWhereNoIndexDecides) {
  const auto columns_a_task = [](absl::string_view operand, absl::string_view window,
                                 absl::string_view dims) {
    const Plan plan = PlanOf(ScatterOf(operand, 70, window, "1", dims), TwoWorkers());
    return OnlyKernel(plan).phases[1].cols_per_task;
  };
  EXPECT_EQ(columns_a_task("[100,256]", "256", kRows), 128);
  EXPECT_EQ(columns_a_task("[196,46]", "31,6",
                           "update_window_dims={1,2}, inserted_window_dims={}, "
                           "scatter_dims_to_operand_dims={1}"),
            0)
      << "too few rows of whole windows and cache lines to share";
  EXPECT_EQ(columns_a_task("[196,46]", "6,31",
                           "update_window_dims={1,2}, inserted_window_dims={}, "
                           "scatter_dims_to_operand_dims={0}"),
            0)
      << "the index decides the outer dimension";
}

TEST(Scatters, OnAGpuIndexVectorsHaveAWarpEach) {
  const MachineModel gpu = FindMachine("a100").value();
  const auto phases_of = [&](absl::string_view window, absl::string_view places,
                             absl::string_view dims) {
    return PhasesOf(ScatterOf("[2000,64]", 2000, window, places, dims), gpu);
  };
  EXPECT_THAT(phases_of("64", "1", kRows),
              ElementsAre("|2000x64: store s", "barrier 2000|64: scatter s"));
  EXPECT_THAT(phases_of("1,64", "1",
                        "update_window_dims={1,2}, inserted_window_dims={}, "
                        "scatter_dims_to_operand_dims={0}"),
              ElementsAre("|2000x64: store s", "barrier 2000|64: scatter s"))
      << "a window of one row";
  EXPECT_THAT(phases_of("64", "2",
                        "update_window_dims={1}, inserted_window_dims={0}, "
                        "scatter_dims_to_operand_dims={0,1}"),
              ElementsAre("|2000x64: store s", "barrier 2000|64: scatter s"))
      << "a window of a whole row, whose index along it can only be 0";
  EXPECT_THAT(phases_of("2,64", "1",
                        "update_window_dims={1,2}, inserted_window_dims={}, "
                        "scatter_dims_to_operand_dims={0}"),
              ElementsAre("|2000x64: store s"))
      << "windows of two rows may overlap in one";
}

TEST(Scatters, OnAGpuLongWindowsOfFewIndexVectorsAreSeveralTasks) {
  const auto columns_a_task = [](int64_t vectors, int64_t columns) {
    const Plan plan = PlanOnGpu(ScatterOf(absl::StrCat("[2000,", columns, "]"), vectors,
                                          absl::StrCat(columns), "1", kRows));
    return OnlyKernel(plan).phases[1].cols_per_task;
  };
  EXPECT_EQ(columns_a_task(16384, 768), 0);
  EXPECT_EQ(columns_a_task(16384, 4096), 1024) << "as many as a warp holds";
  EXPECT_EQ(columns_a_task(64, 4096), 128) << "tasks for the whole machine";
}

// What a scatter of many rows has copied comes and goes again where a row is updated, unless the cache
// has it still; and nobody reads an operand that is the same everywhere.
TEST(Scatters, ScatteredRowsReturnBehindTheBarrier) {
  const auto plan_of = [](absl::string_view operand, int64_t rows) {
    return PlanOnGpu(absl::StrCat(
        "\n  x = f32[", rows, ",768] ", operand,
        "\n  i = s32[4096,1] parameter(0)\n  u = f32[4096,768] parameter(1)\n  ROOT y = f32[", rows,
        ",768] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0},\n"
        "    scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add_f"));
  };
  constexpr int64_t kUpdates = 4096 * 768 * 4, kIndices = 4096 * 4;
  const Traffic much = plan_of("broadcast(zero), dimensions={}", 30000).total_traffic();
  EXPECT_EQ(much.read, kUpdates + kIndices);
  EXPECT_EQ(much.written, 30000 * 768 * 4 + kUpdates);
  const Traffic read = plan_of("parameter(2)", 30000).total_traffic();
  EXPECT_EQ(read.read, 30000 * 768 * 4 + 2 * kUpdates + kIndices);
  EXPECT_EQ(read.written, much.written);
  const Traffic cached = plan_of("parameter(2)", 3000).total_traffic();
  EXPECT_EQ(cached.total(), cached.bound);
}

TEST(Scatters, AScatterGoesByRowsOrByElementsAsPredicted) {
  const auto reason_of = [](int64_t vectors) {
    const Plan plan = PlanOnGpu(absl::StrCat(
        "\n  x = f32[2000,64] parameter(0)\n  i = s32[", vectors, ",1] parameter(1)\n  u = f32[",
        vectors,
        ",64] parameter(2)\n  ROOT y = f32[2000,64] scatter(x, i, u), update_window_dims={1}, "
        "inserted_window_dims={0},\n    scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
        "to_apply=add_f"));
    for (const LedgerEntry& entry : plan.ledger) {
      if (absl::StartsWith(entry.reason, "updates-by-")) return entry.reason;
    }
    return std::string("none");
  };
  EXPECT_EQ(reason_of(2), "updates-by-elements") << "a barrier costs more";
  EXPECT_EQ(reason_of(2000), "updates-by-rows");
}

// Zeros, and gradients that are made of others, would be written and read again for nothing.
TEST(Scatters, AScatterComputesWhatItAloneTakes) {
  const Plan plan = PlanOnGpu(R"(
  ids = s32[16384,1] parameter(0)
  grad = bf16[16384,768] parameter(1)
  mask = f32[16384] parameter(2)
  wide = f32[16384,768] convert(grad)
  masks = f32[16384,768] broadcast(mask), dimensions={0}
  masked = f32[16384,768] multiply(wide, masks)
  update = f32[16384,768] tanh(masked)
  zeros = f32[30000,768] broadcast(zero), dimensions={}
  ROOT out = f32[30000,768] scatter(zeros, ids, update), update_window_dims={1},
    inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add_f)");
  std::vector<std::string> inputs;
  for (const Instruction* input : OnlyKernel(plan).inputs) inputs.push_back(input->name());
  EXPECT_THAT(inputs, testing::UnorderedElementsAre("ids", "grad", "mask"));
}

// Gradients of rows, their sum by places, its norm, and a step: each waits for the one before.
TEST(Scatters, ShareAKernelWithReductionsBeforeAndReadersAfter) {
  const std::string body = R"(
  table = f32[5000,768] parameter(0)
  ids = s32[16384,1] parameter(1)
  x = f32[16384,768] parameter(2)
  g = f32[16384,768] parameter(3)
  xg = f32[16384,768] multiply(x, g)
  dot = f32[16384] reduce(xg, zero), dimensions={1}, to_apply=add_f
  dots = f32[16384,768] broadcast(dot), dimensions={0}
  update = f32[16384,768] multiply(g, dots)
  zeros = f32[5000,768] broadcast(zero), dimensions={}
  grad = f32[5000,768] scatter(zeros, ids, update), update_window_dims={1},
    inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add_f
  most = f32[5000] reduce(grad, zero), dimensions={1}, to_apply=add_f
  mosts = f32[5000,768] broadcast(most), dimensions={0}
  ROOT step = f32[5000,768] multiply(grad, mosts))";
  for (const MachineModel& machine : {FindMachine("a100").value(), TwoWorkers()}) {
    const Plan plan = PlanOf(body, machine);
    const KernelPlan& kernel = OnlyKernel(plan);
    ASSERT_EQ(kernel.phases.size(), 4) << absl::StrJoin(Phases(kernel), "\n");
    EXPECT_EQ(Phases(kernel)[1], "|5000x768: store grad");
    EXPECT_EQ(Phases(kernel)[2], "barrier 16384|768: scatter grad");
    EXPECT_THAT(Phases(kernel)[3],
                testing::StartsWith("barrier 5000|768: reduce most; 768: store"));
  }
}

// A barrier that the parts of a sum wait for is one for the updates, too.
TEST(Scatters, WaitBehindOneBarrierWithPartsOfReductions) {
  const Plan plan = PlanOnGpu(R"(
  ids = s32[4096,1] parameter(0)
  x = f32[4096,768] parameter(1)
  zeros = f32[500,768] broadcast(zero), dimensions={}
  total = f32[768] reduce(x, zero), dimensions={0}, to_apply=add_f
  grad = f32[500,768] scatter(zeros, ids, x), update_window_dims={1}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add_f
  ROOT out = (f32[768], f32[500,768]) tuple(total, grad))");
  EXPECT_EQ(OnlyKernel(plan).predicted.barriers, 1);
}

// Scatters into what another has made begin when that is whole.
TEST(Scatters, FollowEachOther) {
  EXPECT_THAT(PhasesOf(R"(
  ids = s32[65536,1] parameter(0)
  x = f32[65536,64] parameter(1)
  y = f32[65536,64] parameter(2)
  zeros = f32[50000,64] broadcast(zero), dimensions={}
  a = f32[50000,64] scatter(zeros, ids, x), update_window_dims={1}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add_f
  ROOT b = f32[50000,64] scatter(a, ids, y), update_window_dims={1}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add_f)",
                       TwoWorkers()),
              ElementsAre("|50000x64: store a", "barrier 65536|64: scatter a",
                          "barrier |50000x64: store b", "barrier 65536|64: scatter b"));
}

// What a result and a scatter start from is computed once.
TEST(Scatters, StartFromResultsThatAreStoredOnTheWay) {
  EXPECT_THAT(PhasesOf(R"(
  ids = s32[4096,1] parameter(0)
  x = f32[4096,64] parameter(1)
  y = f32[5000,64] parameter(2)
  start = f32[5000,64] tanh(y)
  a = f32[5000,64] scatter(start, ids, x), update_window_dims={1}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add_f
  ROOT out = (f32[5000,64], f32[5000,64]) tuple(start, a))",
                       TwoWorkers()),
              ElementsAre("|5000x64: store start, store a", "barrier 4096|64: scatter a"));
}

// Every row looks at the indices of all others.
TEST(Scatters, IndicesThatTakeLongToComputeAreStored) {
  const auto home_of = [](absl::string_view operation) {
    const Plan plan = PlanOnGpu(absl::StrCat(R"(
  places = f32[4096,1] parameter(0)
  x = f32[4096,64] parameter(1)
  zeros = f32[500,64] broadcast(zero), dimensions={}
  found = f32[4096,1] )",
                                             operation, R"((places)
  ids = s32[4096,1] convert(found)
  ROOT a = f32[500,64] scatter(zeros, ids, x), update_window_dims={1}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add_f)"));
    for (const Placement& placement : OnlyKernel(plan).placements) {
      if (placement.value->name() == "ids") return placement.home;
    }
    return Home::kOutput;
  };
  EXPECT_EQ(home_of("exponential"), Home::kGlobal);
  EXPECT_EQ(home_of("negate"), Home::kLocal);
}

// Where windows overlap in part, each element of the result looks at all updates.
TEST(Scatters, UpdatesThatAreLookedAtOftenAreStored) {
  const Plan plan = PlanOnGpu(R"(
  ids = s32[64,1] parameter(0)
  x = f32[64,3] parameter(1)
  update = f32[64,3] tanh(x)
  zeros = f32[100] broadcast(zero), dimensions={}
  ROOT out = f32[100] scatter(zeros, ids, update), update_window_dims={1},
    inserted_window_dims={}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add_f)");
  EXPECT_THAT(Phases(OnlyKernel(plan)),
              ElementsAre("|64x3: store update", "barrier |100: store out"));
}

}  // namespace
}  // namespace astitch
