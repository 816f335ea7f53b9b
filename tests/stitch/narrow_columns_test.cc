// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Column reductions of few columns: which take rows for columns, and which are left alone.
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/substitute.h"
#include "stitch/machine.h"
#include "tests/stitch/planned.h"
#include "tests/test_machine.h"

namespace astitch {
namespace {

// Rows and columns of what folds rows, a phase after the other: "2,64*128,3".
std::string Folds(absl::string_view body, const MachineModel& machine) {
  const Plan plan = PlanOf(body, machine);
  std::string out;
  for (const PlanStep& step : plan.steps) {
    for (const Phase& phase : std::get<KernelPlan>(step).phases) {
      for (const Stage& stage : phase.stages) {
        for (const Root& root : stage.roots) {
          if (root.kind != RootKind::kReduce) continue;
          absl::StrAppend(&out, out.empty() ? "" : " ", root.value->name(), ":",
                          absl::StrJoin(phase.rows, ","), "*", absl::StrJoin(stage.columns, ","));
        }
      }
    }
  }
  return out;
}

struct Case {
  const char* name;
  const char* body;
  const char* folds;
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class NarrowColumns : public ::testing::TestWithParam<Case> {};

TEST_P(NarrowColumns, TakeRowsForColumns) {
  EXPECT_EQ(Folds(GetParam().body, FindMachine("a100").value()), GetParam().folds);
}

constexpr Case kWidened[] = {
    {"OfAFewColumns", R"(
  x = f32[1000000,3] parameter(0)
  ROOT s = f32[3] reduce(x, zero), dimensions={0}, to_apply=add_f)",
     "s:15625*64,3"},
    {"OfNoWholeSectors", R"(
  x = f32[65536,20] parameter(0)
  ROOT s = f32[20] reduce(x, zero), dimensions={0}, to_apply=add_f)",
     "s:4096*16,20"},
    {"OfNoWholeAccesses", R"(
  x = f32[65536,101] parameter(0)
  ROOT s = f32[101] reduce(x, zero), dimensions={0}, to_apply=add_f)",
     "s:16384*4,101"},
    {"OfBatches", R"(
  x = f32[4,8192,3] parameter(0)
  ROOT s = f32[4,3] reduce(x, zero), dimensions={1}, to_apply=add_f)",
     "s:4,64*128,3"},
    {"OfSeveralAxes", R"(
  x = f32[8,28,28,3] parameter(0)
  ROOT s = f32[3] reduce(x, zero), dimensions={0,1,2}, to_apply=add_f)",
     "s:8,7*4,28,3"},
    {"WithWhatTheyAreMadeOf", R"(
  x = f32[8192,3] parameter(0)
  m = f32[3] parameter(1)
  w = f32[8192] parameter(2)
  mb = f32[8192,3] broadcast(m), dimensions={1}
  wb = f32[8192,3] broadcast(w), dimensions={0}
  d = f32[8192,3] subtract(x, mb)
  y = f32[8192,3] multiply(d, wb)
  ROOT s = f32[3] reduce(y, zero), dimensions={0}, to_apply=add_f)",
     "s:64*128,3"},
    {"BesideAReductionOfAll", R"(
  x = f32[8192,3] parameter(0)
  s = f32[3] reduce(x, zero), dimensions={0}, to_apply=add_f
  t = f32[] reduce(x, ninf), dimensions={0,1}, to_apply=max_f
  ROOT out = (f32[3], f32[]) tuple(s, t))",
     "t:*64,128,3 s:64*128,3"},
    {"AsFarAsVectorsGo", R"(
  x = f32[10100,6] parameter(0)
  ROOT s = f32[6] reduce(x, zero), dimensions={0}, to_apply=add_f)",
     "s:505*20,6"},
};

// A worker has other vectors, and better short rows.
TEST(NarrowColumns, OfAWorkerAreAFewVectors) {
  const MachineModel host = TestMachine("host2").value();
  constexpr char kSum[] = R"(
  x = f32[65536,$0] parameter(0)
  ROOT s = f32[$0] reduce(x, zero), dimensions={0}, to_apply=add_f)";
  EXPECT_EQ(Folds(absl::Substitute(kSum, 3), host), "s:4096*16,3");
  EXPECT_EQ(Folds(absl::Substitute(kSum, 12), host), "s:16384*4,12");
  EXPECT_EQ(Folds(absl::Substitute(kSum, 20), host), "s:65536*20");
}

INSTANTIATE_TEST_SUITE_P(Widened, NarrowColumns, ::testing::ValuesIn(kWidened),
                         [](const auto& info) { return std::string(info.param.name); });

constexpr Case kLeftAlone[] = {
    {"WholeSectors", R"(
  x = f32[8192,32] parameter(0)
  ROOT s = f32[32] reduce(x, zero), dimensions={0}, to_apply=add_f)",
     "s:8192*32"},
    {"MoreThanAWarpTakes", R"(
  x = f32[8192,132] parameter(0)
  ROOT s = f32[132] reduce(x, zero), dimensions={0}, to_apply=add_f)",
     "s:8192*132"},
    {"FewRows", R"(
  x = f32[1024,3] parameter(0)
  ROOT s = f32[3] reduce(x, zero), dimensions={0}, to_apply=add_f)",
     "s:1024*3"},
    {"RowsThatVectorsDoNotDivide", R"(
  x = f32[8193,3] parameter(0)
  ROOT s = f32[3] reduce(x, zero), dimensions={0}, to_apply=add_f)",
     "s:8193*3"},
    {"RowsThatAreFoldedToo", R"(
  x = f32[8192,3] parameter(0)
  s = f32[3] reduce(x, zero), dimensions={0}, to_apply=add_f
  t = f32[8192] reduce(x, zero), dimensions={1}, to_apply=add_f
  ROOT out = (f32[3], f32[8192]) tuple(s, t))",
     "s:8192*3 t:8192*3"},
    {"ColumnsThatLieApart", R"(
  x = f32[3,8192] parameter(0)
  y = f32[8192,3] transpose(x), dimensions={1,0}
  z = f32[8192,3] tanh(y)
  s = f32[3] reduce(z, zero), dimensions={0}, to_apply=add_f
  ROOT out = (f32[8192,3], f32[3]) tuple(z, s))",
     "s:8192*3"},
    {"RowsOfOtherLengths", R"(
  x = f32[8192,3] parameter(0)
  y = f32[8192,3,5] parameter(1)
  s = f32[3] reduce(x, zero), dimensions={0}, to_apply=add_f
  b = f32[8192,3,5] broadcast(x), dimensions={0,1}
  z = f32[8192,3,5] add(y, b)
  ROOT out = (f32[3], f32[8192,3,5]) tuple(s, z))",
     "s:8192*3"},
};

INSTANTIATE_TEST_SUITE_P(LeftAlone, NarrowColumns, ::testing::ValuesIn(kLeftAlone),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(NarrowColumns, KeepTheOrderOfAFoldThatHasOne) {
  auto graph = ParseHloText(R"(HloModule m
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] subtract(a, b) }
ENTRY e {
  zero = f32[] constant(0)
  x = f32[8192,3] parameter(0)
  ROOT s = f32[3] reduce(x, zero), dimensions={0}, to_apply=less
})");
  ASSERT_TRUE(graph.ok()) << graph.status();
  const auto plan = MakePlan(*std::move(graph), FindMachine("a100").value(), {});
  ASSERT_TRUE(plan.ok()) << plan.status();
  const KernelPlan& kernel = std::get<KernelPlan>(plan->steps[0]);
  EXPECT_EQ(kernel.phases[0].rows, std::vector<int64_t>{3});
  EXPECT_EQ(kernel.phases[0].stages[0].columns, std::vector<int64_t>{8192});
}

// Whole accesses of as many threads as have something to do, and no tile of few rows.
TEST(NarrowColumns, AreReadInWholeAccesses) {
  const Plan plan = PlanOf(R"(
  x = f32[1000000,3] parameter(0)
  ROOT s = f32[3] reduce(x, zero), dimensions={0}, to_apply=add_f)",
                           FindMachine("a100").value());
  const Phase& phase = std::get<KernelPlan>(plan.steps[0]).phases[0];
  EXPECT_EQ(phase.stages[0].vector, 4);
  EXPECT_EQ(64 * 3 % (phase.threads_per_row * phase.stages[0].vector), 0);
  EXPECT_EQ(phase.rows_per_task % phase.tile_rows, 0);
  EXPECT_EQ(phase.col_tasks(), 1);
}

}  // namespace
}  // namespace astitch
