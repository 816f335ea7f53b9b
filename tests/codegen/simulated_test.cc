// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The PTX on the simulated device against the interpreter: values, and nothing to report (races,
// accesses out of bounds, barriers that not everyone reaches) whatever the order of warps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "frontend/hlo_text/parser.h"
#include "stitch/machine.h"
#include "stitch/planner.h"
#include "tests/codegen/elemental_cases.h"
#include "tests/codegen/plan_runner.h"
#include "tests/codegen/simulated_runner.h"

namespace astitch::testing {
namespace {

// The store plan of elemental evaluation for a block of 64 threads.
Plan SpreadOverThreads(const ElementalCase& c, int threads_per_row, int vector) {
  auto graph = ParseHloText(ElementalText(c));
  Plan plan = StorePlan(*std::move(graph), {.vector = vector, .unroll = 1, .rows = true});
  KernelPlan& kernel = std::get<KernelPlan>(plan.steps[0]);
  kernel.launch.block = 64;
  kernel.launch.grid = 3;
  for (Phase& phase : kernel.phases) {
    phase.threads_per_row = threads_per_row;
    phase.rows_at_once = 64 / threads_per_row;
    phase.tile_rows = phase.rows_at_once;
    phase.rows_per_task = 2 * phase.tile_rows;
  }
  return plan;
}

class SimulatedElements : public ::testing::TestWithParam<ElementalCase> {};

TEST_P(SimulatedElements, MatchTheInterpreter) {
  for (const auto& [threads, vector] : {std::pair(64, 4), std::pair(8, 1)}) {
    const Plan plan = SpreadOverThreads(GetParam(), threads, vector);
    EXPECT_EQ(CheckSimulated(plan, {.sm = threads == 64 ? 90 : 75}), "")
        << threads << " threads a row, vectors of " << vector;
  }
}

INSTANTIATE_TEST_SUITE_P(All, SimulatedElements, ::testing::ValuesIn(ElementalCases()),
                         [](const auto& info) { return std::string(info.param.name); });

struct PlannedCase {
  const char* name;
  const char* hlo;
};
void PrintTo(const PlannedCase& c, std::ostream* out) { *out << c.name; }

const PlannedCase kPlanned[] = {
    {"softmax",
     R"(ENTRY e { x = f32[37,1000] parameter(0)  ninf = f32[] constant(-inf)  zero = f32[] constant(0)
  mx = f32[37] reduce(x, ninf), dimensions={1}, to_apply=max  mb = f32[37,1000] broadcast(mx), dimensions={0}
  d = f32[37,1000] subtract(x, mb)  e = f32[37,1000] exponential(d)
  sm = f32[37] reduce(e, zero), dimensions={1}, to_apply=add  sb = f32[37,1000] broadcast(sm), dimensions={0}
  ROOT p = f32[37,1000] divide(e, sb) })"},
    {"softmax_of_short_rows", R"(ENTRY e { x = f32[301,7] parameter(0)  ninf = f32[] constant(-inf)
  mx = f32[301] reduce(x, ninf), dimensions={1}, to_apply=max  mb = f32[301,7] broadcast(mx), dimensions={0}
  ROOT d = f32[301,7] subtract(x, mb) })"},
    {"long_rows", R"(ENTRY e { x = f32[3,9001] parameter(0)  z = f32[] constant(1)
  s = f32[3] reduce(x, z), dimensions={1}, to_apply=add  b = f32[3,9001] broadcast(s), dimensions={0}
  ROOT y = f32[3,9001] subtract(x, b) })"},
    {"odd_rows",
     R"(ENTRY e { x = f32[37,601] parameter(0)  g = f32[601] parameter(1)  z = f32[] constant(-inf)
  s = f32[37] reduce(x, z), dimensions={1}, to_apply=max  b = f32[37,601] broadcast(s), dimensions={0}
  gb = f32[37,601] broadcast(g), dimensions={1}  d = f32[37,601] subtract(x, b)
  ROOT y = f32[37,601] multiply(d, gb) })"},
    {"wide_rows", R"(ENTRY e { x = f32[64,512] parameter(0)  z = f32[] constant(-inf)
  s = f32[64] reduce(x, z), dimensions={1}, to_apply=max  b = f32[64,512] broadcast(s), dimensions={0}
  ROOT y = f32[64,512] subtract(x, b) })"},
    {"columns", R"(ENTRY e { x = f32[517,45] parameter(0)  z = f32[] constant(1)
  ROOT s = f32[45] reduce(x, z), dimensions={0}, to_apply=add })"},
    {"middle", R"(ENTRY e { x = f32[5,70,33] parameter(0)  z = f32[] constant(1)
  ROOT s = f32[5,33] reduce(x, z), dimensions={1}, to_apply=add })"},
    {"channels", R"(ENTRY e { x = f32[6,9,40] parameter(0)  z = f32[] constant(1)
  s = f32[9] reduce(x, z), dimensions={0,2}, to_apply=add  b = f32[6,9,40] broadcast(s), dimensions={1}
  ROOT y = f32[6,9,40] multiply(x, b) })"},
    {"everything", R"(ENTRY e { x = f32[30007] parameter(0)  z = f32[] constant(1)
  s = f32[] reduce(x, z), dimensions={0}, to_apply=add  b = f32[30007] broadcast(s), dimensions={}
  ROOT y = f32[30007] subtract(x, b) })"},
    {"bf16_rows", R"(ENTRY e { x = bf16[40,512] parameter(0)  z = bf16[] constant(1)
  s = bf16[40] reduce(x, z), dimensions={1}, to_apply=addbf  b = bf16[40,512] broadcast(s), dimensions={0}
  ROOT y = bf16[40,512] subtract(x, b) })"},
    {"bf16_columns", R"(ENTRY e { x = bf16[517,40] parameter(0)  z = bf16[] constant(1)
  ROOT s = bf16[40] reduce(x, z), dimensions={0}, to_apply=addbf })"},
    {"argmax", R"(ENTRY e { x = f32[19,1000] parameter(0)  i = s32[19,1000] iota(), iota_dimension=1
  l = f32[] constant(-inf)  z = s32[] constant(0)
  m = (f32[19], s32[19]) reduce(x, i, l, z), dimensions={1}, to_apply=argmax
  v = f32[19] get-tuple-element(m), index=0  k = s32[19] get-tuple-element(m), index=1
  ROOT r = (f32[19], s32[19]) tuple(v, k) })"},
    {"one_row_that_stays_for_two",
     R"(ENTRY e { x = f32[11,11] parameter(0)  t = f32[11,11] transpose(x), dimensions={1,0}
  p = f32[] parameter(1)  s = f32[] reduce(t, p), dimensions={0,1}, to_apply=add
  b = f32[11,11] broadcast(s), dimensions={}  q = f32[] parameter(2)
  r = f32[11] reduce(x, q), dimensions={1}, to_apply=add  y = f32[11] parameter(3)
  g = f32[11] add(r, y)  m = f32[] parameter(4)
  a = f32[] reduce(g, m), dimensions={0}, to_apply=add  as = f32[11] broadcast(a), dimensions={}
  rb = f32[11,11] broadcast(r), dimensions={0}  d = f32[11,11] subtract(x, rb)
  w = f32[11] parameter(5)  k = f32[] parameter(6)
  c = f32[11] reduce(t, k), dimensions={1}, to_apply=add  v = f32[11] multiply(r, w)  u = f32[11] add(v, c)
  ROOT o = (f32[11,11], f32[11], f32[11,11], f32[11]) tuple(b, as, d, u) })"},
    {"transposed",
     R"(ENTRY e { x = f32[130,70] parameter(0)  t = f32[70,130] transpose(x), dimensions={1,0}
  ROOT e = f32[70,130] exponential(t) })"},
};

class SimulatedPlans : public ::testing::TestWithParam<PlannedCase> {};

TEST_P(SimulatedPlans, MatchTheInterpreterInEveryOrder) {
  const std::string reducers = ElementalText({"", ""});
  const std::string hlo = reducers.substr(0, reducers.find("ENTRY")) + GetParam().hlo;
  for (const char* name : {"sm_75", "sm_80", "sm_100"}) {
    const auto machine = FindMachine(name);
    ASSERT_TRUE(machine.ok()) << machine.status().message();
    auto graph = ParseHloText(hlo);
    ASSERT_TRUE(graph.ok()) << graph.status().message();
    const auto plan = MakePlan(*std::move(graph), *machine, {});
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    for (simt::Order order : {simt::Order::kForward, simt::Order::kReverse, simt::Order::kRandom,
                              simt::Order::kStarve}) {
      EXPECT_EQ(CheckSimulated(*plan, {.sm = machine->sm, .order = order}), "")
          << name << ", order " << static_cast<int>(order);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, SimulatedPlans, ::testing::ValuesIn(kPlanned),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace astitch::testing
