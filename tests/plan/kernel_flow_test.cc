// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Where values are evaluated and from where edges are read, of plans whose text says it.
#include "plan/kernel_flow.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/file.h"
#include "frontend/hlo_text/parser.h"
#include "plan/plan_text.h"

namespace astitch {
namespace {

using testing::IsSupersetOf;

Plan PlanFrom(const std::string& file) {
  const std::string text = ReadFile(absl::StrCat(ASTITCH_TEST_DATA, "/", file)).value();
  const PlanTextParts parts = SplitPlanText(text).value();
  return ParsePlan(parts.lines, ParseHloText(parts.graph).value()).value();
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
                               ToString(edge.home), ": ", Stages(edge.stages)));
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
