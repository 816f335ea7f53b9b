// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Parses, runs the passes, plans.
#include "tests/report/planned.h"

#include <algorithm>
#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/file.h"
#include "base/status.h"
#include "frontend/hlo_text/parser.h"
#include "passes/pass_runner.h"
#include "plan/plan_text.h"
#include "stitch/plan_limits.h"
#include "stitch/planner.h"
#include "tests/test_machine.h"

namespace astitch {
namespace {

std::vector<std::filesystem::path> In(absl::string_view folder) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry :
       std::filesystem::directory_iterator(absl::StrCat(ASTITCH_TEST_DATA, "/", folder)))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

}  // namespace

absl::StatusOr<Planned> PlanOf(absl::string_view hlo, absl::string_view target,
                               absl::string_view fusion) {
  ASTITCH_ASSIGN_OR_RETURN(std::unique_ptr<Graph> graph, ParseHloText(std::string(hlo)));
  return PlanOf(std::move(graph), target, fusion);
}

absl::StatusOr<Planned> PlanOf(std::unique_ptr<Graph> graph, absl::string_view target,
                               absl::string_view fusion) {
  ASTITCH_RETURN_IF_ERROR(RunPasses(*graph, StandardPipeline()).status());
  ASTITCH_ASSIGN_OR_RETURN(const MachineModel machine, TestMachine(target));
  ASTITCH_ASSIGN_OR_RETURN(const Fusion by, ParseFusion(fusion));
  ASTITCH_ASSIGN_OR_RETURN(Plan plan, MakePlan(std::move(graph), machine, {by}));
  return Planned{std::move(plan), LimitsOf(machine)};
}

std::vector<GoldenGraph> GoldenGraphs() {
  std::vector<GoldenGraph> graphs;
  for (const std::filesystem::path& path : In("plans")) {
    const std::string text = ReadFile(path.string()).value();
    const std::vector<std::string> lines = absl::StrSplit(text, absl::MaxSplits('\n', 2));
    const size_t hlo = text.find("HloModule"), end = text.find("==== plan\n");
    graphs.push_back({path.stem().string(), lines[0].substr(std::string("target ").size()),
                      lines[1].substr(std::string("fusion ").size()), text.substr(hlo, end - hlo)});
  }
  for (const std::filesystem::path& folder : In("corpus")) {
    const absl::StatusOr<std::string> hlo = ReadFile((folder / "module.hlo").string());
    if (!hlo.ok()) continue;
    const std::string name = folder.filename().string();
    graphs.push_back({name, "a100", "stitch", *hlo});
    graphs.push_back({name, "host2", "stitch", *hlo});
    graphs.push_back({name, "a100", "xla", *hlo});
  }
  return graphs;
}

std::vector<Plan> PlansByHand() {
  std::vector<Plan> plans;
  for (const std::filesystem::path& path : In("plans-by-hand"))
    plans.push_back(PlanByHand(path.stem().string()));
  return plans;
}

Plan PlanByHand(absl::string_view name) {
  std::string text =
      ReadFile(absl::StrCat(ASTITCH_TEST_DATA, "/plans-by-hand/", name, ".txt")).value();
  while (absl::StartsWith(text, "// ")) text.erase(0, text.find('\n') + 1);
  if (!absl::StartsWith(text, "plan 1"))
    text = absl::StrCat("plan 1\ntarget h100 fusion=stitch\n", text);
  const PlanTextParts parts = SplitPlanText(text).value();
  return ParsePlan(parts.lines, ParseHloText(parts.graph).value()).value();
}

}  // namespace astitch
