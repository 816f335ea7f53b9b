// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Where values are evaluated and from where edges are read, of plans whose text says it.
#include "plan/kernel_flow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/file.h"
#include "frontend/hlo_text/parser.h"
#include "plan/plan_text.h"

namespace astitch {
namespace {

using testing::IsSupersetOf;

Plan PlanOfText(std::string text) {
  while (absl::StartsWith(text, "// ")) text.erase(0, text.find('\n') + 1);
  if (!absl::StartsWith(text, "plan 1"))
    text = absl::StrCat("plan 1\ntarget h100 fusion=stitch\n", text);
  const PlanTextParts parts = SplitPlanText(text).value();
  return ParsePlan(parts.lines, ParseHloText(parts.graph).value()).value();
}

Plan PlanFrom(const std::string& file) {
  return PlanOfText(ReadFile(absl::StrCat(ASTITCH_TEST_DATA, "/", file)).value());
}

std::string Stages(const std::vector<StageId>& stages) {
  return absl::StrJoin(stages, " ", [](std::string* out, StageId at) {
    absl::StrAppend(out, at.phase, ".", at.stage);
  });
}

std::vector<std::string> Values(const KernelFlow& flow) {
  std::vector<std::string> out;
  for (const KernelFlow::Value& value : flow.values)
    out.push_back(
        absl::StrCat(value.input ? "in " : "", value.value->name(), ": ", Stages(value.stages)));
  return out;
}

std::vector<std::string> Edges(const KernelFlow& flow) {
  std::vector<std::string> out;
  for (const KernelFlow::Edge& edge : flow.edges)
    out.push_back(absl::StrCat(edge.producer->name(), " -> ", edge.consumer->name(), " ",
                               ToString(edge.home), edge.again ? " again: " : ": ",
                               Stages(edge.stages)));
  return out;
}

// %s = sum of columns, %l = tanh %s (regional), %y = x - l (global), %q = sum of y's rows in parts,
// %z = y / q in the last phase.
TEST(KernelFlow, ReadsStoredValuesFromTheirHomesAndMakesOthersAgain) {
  const Plan plan = PlanFrom("plans-to-break/columns.a100.txt");
  const KernelFlow flow = FlowOf(std::get<KernelPlan>(plan.steps[0]));
  EXPECT_THAT(Values(flow), IsSupersetOf({"in x: 0.0 0.2", "s: 0.0", "l: 0.1", "lb: 0.2", "y: 0.2",
                                          // Folded in parts, and the parts in the next phase.
                                          "q: 0.2 1.0", "qb: 2.0", "z: 2.0"}));
  EXPECT_THAT(Edges(flow),
              IsSupersetOf({"x -> s local: 0.0", "s -> l local: 0.1", "l -> lb regional: 0.2",
                            "x -> y local: 0.2",
                            // In the stage that stores %y it is in registers.
                            "y -> q local: 0.2", "q -> qb global: 2.0", "y -> z global: 2.0"}));
}

TEST(KernelFlow, SharedValuesAreEvaluatedOnceAStage) {
  const Plan plan = PlanFrom("plans-to-break/rows.a100.txt");
  const KernelFlow flow = FlowOf(std::get<KernelPlan>(plan.steps[0]));
  EXPECT_THAT(Values(flow), testing::ElementsAre("in x: 0.0", "e: 0.0", "zero: 0.0", "s: 0.0",
                                                 "sb: 0.1", "p: 0.1"));
  EXPECT_THAT(Edges(flow),
              testing::UnorderedElementsAre("x -> e local: 0.0", "e -> s local: 0.0",
                                            "zero -> s local: 0.0", "s -> sb output: 0.1",
                                            "e -> p regional: 0.1", "sb -> p local: 0.1"));
}

constexpr char kCentred[] = R"(graph
HloModule m
add { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[8,16] parameter(0)
  zero = f32[] constant(0)
  r = f32[8] reduce(x, zero), dimensions={1}, to_apply=add
  rb = f32[8,16] broadcast(r), dimensions={0}
  y = f32[8,16] subtract(x, rb)
  z = f32[8,16] negate(x)
  ROOT t = (f32[8,16], f32[8,16]) tuple(y, z)
})";

// What is kept comes from memory once a phase, what is not once a stage; slots are of one phase.
TEST(KernelFlow, InputsAreReadAgainAndSlotsEvaluatedAgainInALaterPhase) {
  const auto edges = [](absl::string_view kept) {
    const Plan plan =
        PlanOfText(absl::StrCat("kernel k cooperative=1\n  in %x\n  out %y\n  out %z\n", kept,
                                R"(  place %r regional bytes=32
  place %y output output=0
  place %z output output=1
  phase rows=[8]
    stage columns=[16]
      reduce %r over=columns map=(0)(1)
  phase rows=[8] barrier=grid
    stage columns=[16]
      store %y map=(0)(1)
    stage columns=[16]
      store %z map=(0)(1)
)",
                                kCentred));
    return Edges(FlowOf(std::get<KernelPlan>(plan.steps[0])));
  };
  EXPECT_THAT(edges("  place %x local keep=cache\n"),
              IsSupersetOf({"x -> y local again: 1.0", "x -> z local: 1.1",
                            "x -> r local again: 0.0 1.0", "r -> rb local: 1.0"}));
  EXPECT_THAT(edges(""), IsSupersetOf({"x -> y local again: 1.0", "x -> z local again: 1.1"}));
}

// %rb has a slot in both phases, each for itself.
TEST(KernelFlow, WhatTwoPhasesStoreInSlotsBothEvaluate) {
  const Plan plan = PlanOfText(absl::StrCat(R"(kernel k grid=1 block=32
  in %x
  out %y
  out %z
  place %r global bytes=32
  place %rb regional bytes=64
  place %y output
  place %z output output=1
  phase rows=[8]
    stage columns=[16]
      reduce %r over=columns map=(0)(1)
    stage columns=[16]
      store %rb map=(0)(1)
    stage columns=[16]
      store %y map=(0)(1)
  phase rows=[8] barrier=grid
    stage columns=[16]
      store %rb map=(0)(1)
    stage columns=[16]
      store %z map=(0)(1)
)",
                                            kCentred));
  const KernelFlow flow = FlowOf(std::get<KernelPlan>(plan.steps[0]));
  EXPECT_THAT(Values(flow), testing::Contains("rb: 0.1 1.0"));
  EXPECT_THAT(Edges(flow), testing::Contains("r -> rb global: 0.1 1.0"));
  ASSERT_EQ(flow.sweeps.size(), 5);
  EXPECT_EQ(flow.sweeps[3].at, (StageId{1, 0}));
  ASSERT_EQ(flow.sweeps[3].values.size(), 1);
  EXPECT_EQ(flow.sweeps[3].values[0]->name(), "rb");
}

TEST(KernelFlow, TurnedValuesAreEvaluatedBeforeTheyAreTurned) {
  const Plan plan = PlanFrom("plans-by-hand/turned.txt");
  const KernelFlow flow = FlowOf(std::get<KernelPlan>(plan.steps[0]));
  EXPECT_THAT(Values(flow),
              testing::UnorderedElementsAre("in x: 0.0 0.1", "in g: 0.0", "h: 0.0", "t: 0.0 0.1",
                                            "y: 0.0", "w: 0.1", "hw: 0.2", "v: 0.2"));
  EXPECT_THAT(Edges(flow), IsSupersetOf({"t -> y local: 0.0", "h -> hw regional: 0.2"}));
}

TEST(KernelFlow, ScattersReadTheirArrayFirstAndUpdatesBehindTheBarrier) {
  const Plan plan = PlanOfText(R"(kernel k
  in %x
  in %i
  in %u
  out %s
  place %s output output=0
  phase rows=[64]
    stage columns=[128]
      store %s map=(0)(1)
  phase rows=[16] barrier=grid rows_per_task=16 cols_per_task=64
    stage columns=[128]
      scatter %s map=(0)(1)
graph
HloModule m
second { a = f32[] parameter(0)  ROOT b = f32[] parameter(1) }
ENTRY e {
  x = f32[64,128] parameter(0)
  i = s32[16,1] parameter(1)
  u = f32[16,128] parameter(2)
  ROOT s = f32[64,128] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0},
    scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=second
})");
  EXPECT_THAT(
      Edges(FlowOf(std::get<KernelPlan>(plan.steps[0]))),
      testing::UnorderedElementsAre("x -> s local: 0.0", "i -> s local: 1.0", "u -> s local: 1.0"));
}

TEST(KernelFlow, ElementsOfAReductionOfSeveralAreReadFromTheirOwnHomes) {
  const Plan plan = PlanOfText(R"(kernel k
  in %x
  out %p
  place %m regional bytes=4
  place %s regional offset=4 bytes=4
  place %p output output=0
  place %x local keep=cache
  phase rows=[64]
    stage columns=[128]
      reduce %r over=columns map=(0)(1)
    stage columns=[128]
      store %p map=(0)(1)
graph
HloModule m
both {
  a = f32[] parameter(0)  b = f32[] parameter(1)  c = f32[] parameter(2)  d = f32[] parameter(3)
  s = f32[] add(a, c)  m = f32[] maximum(b, d)
  ROOT t = (f32[], f32[]) tuple(s, m)
}
ENTRY e {
  x = f32[64,128] parameter(0)
  zero = f32[] constant(0)
  r = (f32[64], f32[64]) reduce(x, x, zero, zero), dimensions={1}, to_apply=both
  s = f32[64] get-tuple-element(r), index=0
  m = f32[64] get-tuple-element(r), index=1
  a = f32[64] add(s, m)
  ROOT p = f32[64,128] broadcast(a), dimensions={0}
})");
  EXPECT_THAT(Edges(FlowOf(std::get<KernelPlan>(plan.steps[0]))),
              IsSupersetOf({"s -> a regional: 0.1", "m -> a regional: 0.1", "a -> p local: 0.1"}));
}

// Operands stand before their readers, whatever the graph.
TEST(KernelFlow, OperandsComeFirst) {
  for (const char* file : {"plans-to-break/columns.a100.txt", "plans-to-break/rows.a100.txt",
                           "plans-to-break/columns.host.txt"}) {
    const Plan plan = PlanFrom(file);
    const KernelFlow flow = FlowOf(std::get<KernelPlan>(plan.steps[0]));
    std::vector<const Instruction*> seen;
    for (const KernelFlow::Value& value : flow.values) {
      for (const KernelFlow::Edge& edge : flow.edges) {
        if (edge.consumer != value.value) continue;
        EXPECT_THAT(seen, testing::Contains(edge.producer)) << value.value->name();
      }
      seen.push_back(value.value);
    }
  }
}

}  // namespace
}  // namespace astitch
