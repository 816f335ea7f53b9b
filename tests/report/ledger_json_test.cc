// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// ledger.json is what docs/ledger.schema.json says, and tells each edge of the graph.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "report/improve.h"
#include "report/ledger_report.h"
#include "tests/report/planned.h"
#include "tests/report/schema_check.h"

namespace astitch {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

json Schema() {
  return json::parse(ReadFile(ASTITCH_TEST_DATA "/../../docs/ledger.schema.json").value());
}

TEST(LedgerJson, OfEveryGoldenGraphIsAsTheSchemaSays) {
  const json schema = Schema();
  int looked_at = 0;
  for (const GoldenGraph& golden : GoldenGraphs()) {
    const auto planned = PlanOf(golden.hlo, golden.target, golden.fusion);
    if (!planned.ok()) continue;  // loops, sorts: refused by name
    ++looked_at;
    const std::string text = LedgerJson(planned->plan, planned->limits);
    EXPECT_EQ(SchemaFault(schema, json::parse(text)), "") << golden.name << ", " << golden.target;
    EXPECT_EQ(text, LedgerJson(planned->plan, planned->limits)) << golden.name;
  }
  EXPECT_GT(looked_at, 100);
}

TEST(LedgerJson, OfPlansWrittenByHandIsAsTheSchemaSays) {
  const json schema = Schema();
  for (const Plan& plan : PlansByHand())
    EXPECT_EQ(SchemaFault(schema, json::parse(LedgerJson(plan, {}))), "");
}

TEST(LedgerJson, TellsEveryEdgeOfTheGraph) {
  for (const GoldenGraph& golden : GoldenGraphs()) {
    const auto planned = PlanOf(golden.hlo, golden.target, golden.fusion);
    if (!planned.ok()) continue;
    const json ledger = json::parse(LedgerJson(planned->plan, planned->limits));
    std::set<std::pair<std::string, std::string>> told;
    for (const json& edge : ledger["edges"]) {
      if (edge["consumer"].is_null()) continue;
      told.emplace(edge["producer"].get<std::string>(), edge["consumer"].get<std::string>());
    }
    for (const Instruction* reader : planned->plan.graph->entry()->post_order()) {
      for (const Instruction* operand : reader->operands())
        EXPECT_TRUE(told.contains({operand->name(), reader->name()}))
            << golden.name << ": " << operand->name() << " -> " << reader->name();
    }
  }
}

// Which has the reader among its places or its roots.
TEST(LedgerJson, AnEdgesStepComputesItsReader) {
  for (const GoldenGraph& golden : GoldenGraphs()) {
    const auto planned = PlanOf(golden.hlo, golden.target, golden.fusion);
    if (!planned.ok()) continue;
    const json ledger = json::parse(LedgerJson(planned->plan, planned->limits));
    size_t last = 0;
    for (const json& edge : ledger["edges"]) {
      if (edge["home"] == "local") {
        // A value that several kernels compute has lines for each, in their order.
        EXPECT_GE(edge["step"].get<size_t>(), last) << golden.name << edge.dump();
        last = edge["step"].get<size_t>();
      }
      if (edge["reason"] == "library-epilogue") {
        ASSERT_FALSE(edge["step"].is_null()) << golden.name << edge.dump();
        EXPECT_EQ(ledger["steps"][edge["step"].get<size_t>()]["kind"], "dot") << golden.name;
      }
      if (edge["home"] != "local" && edge["home"] != "regional") continue;
      ASSERT_FALSE(edge["step"].is_null()) << golden.name << edge.dump();
      const json& step = ledger["steps"][edge["step"].get<size_t>()];
      ASSERT_EQ(step["kind"], "kernel");
      const json& reader = edge["consumer"].is_null() ? edge["producer"] : edge["consumer"];
      const auto is_reader = [&](const json& of) { return of["value"] == reader; };
      bool computed = std::any_of(step["places"].begin(), step["places"].end(), is_reader);
      for (const json& phase : step["phases"]) {
        for (const json& stage : phase["stages"])
          computed |= std::any_of(stage["roots"].begin(), stage["roots"].end(), is_reader);
      }
      EXPECT_TRUE(computed) << golden.name << ": " << edge.dump() << " in " << step["name"];
    }
  }
}

// Word for word what the plan has, of every golden graph.
TEST(LedgerJson, HasTheFiguresOfThePlan) {
  for (const GoldenGraph& golden : GoldenGraphs()) {
    const auto planned = PlanOf(golden.hlo, golden.target, golden.fusion);
    if (!planned.ok()) continue;
    const Plan& plan = planned->plan;
    const json ledger = json::parse(LedgerJson(plan, planned->limits));
    PlanFacts facts(plan);
    for (size_t n = 0; n < plan.ledger.size(); ++n) {
      const std::string improve = ImprovementOf(facts, planned->limits, n);
      const json& edge = ledger["edges"][n];
      EXPECT_EQ(edge["improve"], improve.empty() ? json() : json(improve)) << golden.name;
      EXPECT_EQ(edge["detail"],
                plan.ledger[n].detail.empty() ? json() : json(plan.ledger[n].detail));
      EXPECT_EQ(edge["bytes"], plan.ledger[n].bytes);
    }
    for (size_t s = 0; s < plan.steps.size(); ++s) {
      const json& step = ledger["steps"][s];
      if (const auto* dot = std::get_if<DotCall>(&plan.steps[s])) {
        for (size_t e = 0; e < dot->epilogue.size(); ++e) {
          const bool scales = dot->epilogue[e].kind == EpilogueKind::kScale;
          EXPECT_EQ(step["epilogue"][e]["scale"], scales ? json(dot->epilogue[e].scale) : json());
        }
      }
      const auto* kernel = std::get_if<KernelPlan>(&plan.steps[s]);
      if (kernel == nullptr) continue;
      const Traffic& traffic = kernel->traffic;
      EXPECT_EQ(
          step["traffic"],
          json({{"read", traffic.read}, {"written", traffic.written}, {"bound", traffic.bound}}));
      EXPECT_EQ(step["predicted"]["ns"], kernel->predicted.ns);
      EXPECT_EQ(step["predicted"]["operations"], kernel->predicted.operations);
      EXPECT_EQ(step["launch"]["shared_bytes"], kernel->launch.shared_bytes);
      EXPECT_EQ(step["launch"]["scratch_bytes"], kernel->launch.scratch_bytes);
      for (size_t p = 0; p < kernel->placements.size(); ++p) {
        const Placement& place = kernel->placements[p];
        EXPECT_EQ(step["places"][p]["offset"], place.offset) << golden.name;
        EXPECT_EQ(step["places"][p]["bytes"], place.bytes);
        EXPECT_EQ(step["places"][p]["pitch"], place.pitch);
        EXPECT_EQ(step["places"][p]["partial_offset"], place.partial_offset);
      }
    }
  }
}

TEST(LedgerJson, HasTheScaleOfAnEpilogue) {
  auto planned = PlanOf(R"(
HloModule m
ENTRY e {
  x = f32[64,128] parameter(0)
  w = f32[128,128] parameter(1)
  ROOT d = f32[64,128] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})",
                        "a100");
  ASSERT_TRUE(planned.ok()) << planned.status();
  EpilogueOp scale;
  scale.kind = EpilogueKind::kScale;
  scale.scale = 0.125;
  std::get<DotCall>(planned->plan.steps[0]).epilogue = {scale};
  const json ledger = json::parse(LedgerJson(planned->plan, planned->limits));
  EXPECT_EQ(ledger["steps"][0]["epilogue"][0]["scale"], 0.125);
  EXPECT_EQ(SchemaFault(Schema(), ledger), "");
}

TEST(LedgerJson, TextHasItsAdviceBelowTheLine) {
  const auto planned = PlanOf(kSoftmax, "a100");
  ASSERT_TRUE(planned.ok()) << planned.status();
  EXPECT_THAT(LedgerText(planned->plan, planned->limits),
              testing::ContainsRegex("%e +%p +regional +same-rows +16777216\n"
                                     "    improve: 32 registers more of each of the 32 threads"));
}

TEST(LedgerJson, KeysHaveAFixedOrder) {
  const auto planned = PlanOf(kSoftmax, "a100");
  ASSERT_TRUE(planned.ok()) << planned.status();
  const auto ledger = ordered_json::parse(LedgerJson(planned->plan, planned->limits));
  const auto keys = [](const ordered_json& object) {
    std::vector<std::string> names;
    for (const auto& [key, unused] : object.items()) names.push_back(key);
    return names;
  };
  EXPECT_THAT(keys(ledger), testing::ElementsAre("schema", "target", "fusion", "summary", "values",
                                                 "buffers", "steps", "edges"));
  EXPECT_THAT(keys(ledger["edges"][0]),
              testing::ElementsAre("producer", "consumer", "step", "home", "reason", "bytes",
                                   "detail", "improve"));
  EXPECT_THAT(keys(ledger["values"][0]),
              testing::ElementsAre("name", "opcode", "type", "shape", "bytes"));
}

TEST(LedgerJson, TheSchemaRefusesWhatIsNotSo) {
  const auto planned = PlanOf(kSoftmax, "a100");
  ASSERT_TRUE(planned.ok()) << planned.status();
  const json schema = Schema(), good = json::parse(LedgerJson(planned->plan, planned->limits));
  ASSERT_EQ(SchemaFault(schema, good), "");
  struct Case {
    const char* pointer;
    json value;
    const char* fault;
  };
  for (const Case& c : std::vector<Case>{
           {"/schema", 2, "/schema: expected 4"},
           {"/more", 1, "unknown key more"},
           {"/fusion", "glue", "/fusion: expected one of"},
           {"/edges/0/home", "nowhere", "/edges/0/home: expected one of"},
           {"/edges/0/bytes", -1, "/edges/0/bytes: expected at least 0"},
           {"/edges/0/producer", "", "/edges/0/producer: expected a longer string"},
           {"/edges/0/step", "k0", "/edges/0/step: none of"},
           {"/values/0/shape", "f32[4]", "/values/0/shape: expected \"array\""},
           {"/steps/0/phases/0/stages/0/roots/0/kind", "fold", "kind: expected one of"},
           {"/steps/0/launch", json::object(), "/steps/0/launch: expected \"grid\""},
       }) {
    json bad = good;
    bad[json::json_pointer(c.pointer)] = c.value;
    EXPECT_THAT(SchemaFault(schema, bad), testing::HasSubstr(c.fault));
  }
  json odd = schema;
  odd["properties"]["target"]["pattern"] = "a.*";
  EXPECT_THAT(SchemaFault(odd, good), testing::HasSubstr("unknown keyword pattern"));
}

}  // namespace
}  // namespace astitch
