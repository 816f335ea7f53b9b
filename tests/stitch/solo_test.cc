// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Operations planned alone: work in proportion to what they read, not to a product of sizes.
#include "stitch/solo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "frontend/hlo_text/parser.h"
#include "stitch/scope.h"

namespace astitch {
namespace {

MachineModel TwoWorkers() {
  MachineModel machine;
  machine.kind = MachineModel::Kind::kHost;
  machine.workers = 2;
  return machine;
}

// "kind rows|columns" of every root, or "none".
std::string Describe(absl::string_view body, const MachineModel& machine = TwoWorkers()) {
  auto graph = ParseHloText(
      absl::StrCat("HloModule m\nadd_f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = "
                   "f32[] add(a, b) }\nENTRY e {\n",
                   body, "\n}\n"));
  EXPECT_TRUE(graph.ok()) << graph.status();
  const auto steps = FindScope(**graph, Fusion::kStitch, nullptr);
  EXPECT_TRUE(steps.ok()) << steps.status();
  const RegionInfo info(steps->back().region, machine);
  const std::optional<KernelPlan> kernel = MapSolo(info, machine);
  if (!kernel.has_value()) return "none";
  std::string out;
  for (const Phase& phase : kernel->phases) {
    for (const Stage& stage : phase.stages) {
      for (const Root& root : stage.roots) {
        absl::StrAppend(&out, out.empty() ? "" : ", ", ToString(root.kind), " ",
                        absl::StrJoin(phase.rows, "x"), "|", absl::StrJoin(stage.columns, "x"),
                        stage.vector_rows ? " lanes along rows" : "");
      }
    }
  }
  return out;
}

constexpr absl::string_view kScatterOperands = R"(x = f32[100,64] parameter(0)
    i = s32[7,1] parameter(1)
    u = f32[7,64] parameter(2)
)";

TEST(Solo, AScatterCopiesItsOperandAndThenTakesUpdatesInOrder) {
  EXPECT_EQ(Describe(absl::StrCat(kScatterOperands,
                                  "ROOT r = f32[100,64] scatter(x, i, u), update_window_dims={1}, "
                                  "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
                                  "index_vector_dim=1, to_apply=add_f")),
            "store |100x64, scatter 7|64");
}

// Windows of two index vectors may overlap along an indexed dimension, where order counts.
TEST(Solo, WorkersShareTheColumnsOfWindowsWhereNoIndexDecides) {
  const auto columns_a_task = [](absl::string_view operand, absl::string_view updates,
                                 absl::string_view dims) {
    auto graph = ParseHloText(
        absl::StrCat("HloModule m\nadd_f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = "
                     "f32[] add(a, b) "
                     "}\nENTRY e {\n x = f32",
                     operand, " parameter(0)\n i = s32[7,1] parameter(1)\n u = f32", updates,
                     " parameter(2)\n ROOT s = f32", operand, " scatter(x, i, u), ", dims,
                     ", index_vector_dim=1, to_apply=add_f\n}\n"));
    EXPECT_TRUE(graph.ok()) << graph.status();
    const auto steps = FindScope(**graph, Fusion::kStitch, nullptr);
    MachineModel host;
    host.kind = MachineModel::Kind::kHost;
    host.workers = 2;
    return MapSolo(RegionInfo(steps->back().region, host), host)->phases[1].cols_per_task;
  };
  EXPECT_EQ(columns_a_task("[100,256]", "[7,256]",
                           "update_window_dims={1}, inserted_window_dims={0}, "
                           "scatter_dims_to_operand_dims={0}"),
            128);
  EXPECT_EQ(columns_a_task("[196,46]", "[7,31,6]",
                           "update_window_dims={1,2}, inserted_window_dims={}, "
                           "scatter_dims_to_operand_dims={1}"),
            0)
      << "too few rows of whole windows and cache lines to share";
  EXPECT_EQ(columns_a_task("[196,46]", "[7,6,31]",
                           "update_window_dims={1,2}, inserted_window_dims={}, "
                           "scatter_dims_to_operand_dims={0}"),
            0)
      << "the index decides the outer dimension";
}

TEST(Solo, OnAGpuIndexVectorsHaveAWarpEach) {
  const MachineModel gpu = FindMachine("a100").value();
  const auto plan_of = [&](absl::string_view operand, absl::string_view indices,
                           absl::string_view updates, absl::string_view dims) {
    return absl::StrCat("x = f32", operand, " parameter(0)\n i = s32", indices,
                        " parameter(1)\n u = f32", updates, " parameter(2)\n ROOT s = f32", operand,
                        " scatter(x, i, u), ", dims, ", index_vector_dim=1, to_apply=add_f");
  };
  EXPECT_EQ(Describe(plan_of("[100,64]", "[7,1]", "[7,64]",
                             "update_window_dims={1}, inserted_window_dims={0}, "
                             "scatter_dims_to_operand_dims={0}"),
                     gpu),
            "store |100x64, scatter 7|64");
  EXPECT_EQ(Describe(plan_of("[100,64]", "[7,1]", "[7,1,64]",
                             "update_window_dims={1,2}, inserted_window_dims={}, "
                             "scatter_dims_to_operand_dims={0}"),
                     gpu),
            "store |100x64, scatter 7|1x64")
      << "a window of one row";
  EXPECT_EQ(Describe(plan_of("[100,64]", "[7,2]", "[7,64]",
                             "update_window_dims={1}, inserted_window_dims={0}, "
                             "scatter_dims_to_operand_dims={0,1}"),
                     gpu),
            "store |100x64, scatter 7|64")
      << "a window of a whole row, whose index along it can only be 0";
  EXPECT_EQ(Describe(plan_of("[100,64]", "[7,1]", "[7,2,64]",
                             "update_window_dims={1,2}, inserted_window_dims={}, "
                             "scatter_dims_to_operand_dims={0}"),
                     gpu),
            "none")
      << "windows of two rows may overlap in one";
}

TEST(Solo, OnAGpuLongWindowsOfFewIndexVectorsAreSeveralTasks) {
  const auto columns_a_task = [](int64_t vectors, int64_t columns) {
    auto graph = ParseHloText(absl::StrCat(
        "HloModule m\nadd_f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, "
        "b) }\nENTRY e {\n x = f32[100,",
        columns, "] parameter(0)\n i = s32[", vectors, ",1] parameter(1)\n u = f32[", vectors, ",",
        columns, "] parameter(2)\n ROOT s = f32[100,", columns,
        "] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, "
        "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add_f\n}\n"));
    EXPECT_TRUE(graph.ok()) << graph.status();
    const auto steps = FindScope(**graph, Fusion::kStitch, nullptr);
    const MachineModel gpu = FindMachine("a100").value();
    return MapSolo(RegionInfo(steps->back().region, gpu), gpu)->phases[1].cols_per_task;
  };
  EXPECT_EQ(columns_a_task(16384, 768), 0);
  EXPECT_EQ(columns_a_task(16384, 4096), 1024) << "as many as a warp holds";
  EXPECT_EQ(columns_a_task(64, 4096), 128) << "tasks for the whole machine";
}

}  // namespace
}  // namespace astitch
