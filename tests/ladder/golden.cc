// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/ladder/golden.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/file.h"
#include "base/status.h"
#include "frontend/hlo_text/parser.h"
#include "passes/pass_runner.h"
#include "stitch/machine.h"
#include "stitch/planner.h"
#include "tests/test_machine.h"

namespace astitch::testing {
namespace {

bool PartOfName(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.';
}

// TEXT with every number that stands alone replaced as NUMBERS says.
std::string Renumbered(const std::string& text, const std::map<std::string, std::string>& numbers) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && PartOfName(text[end])) ++end;
    const std::string word = text.substr(i, std::max<size_t>(end - i, 1));
    const auto it = numbers.find(word);
    absl::StrAppend(&out, it == numbers.end() ? word : it->second);
    i += word.size();
  }
  return out;
}

Golden ReadGolden(const std::filesystem::path& path) {
  const std::string text = ReadFile(path.string()).value();
  const std::vector<std::string> parts = absl::StrSplit(text, absl::MaxSplits("==== plan\n", 1));
  std::vector<std::string> lines = absl::StrSplit(parts[0], absl::MaxSplits('\n', 2));
  Golden golden;
  golden.name = path.stem().string();
  golden.target = std::string(absl::StripPrefix(lines[0], "target "));
  golden.fusion = std::string(absl::StripPrefix(lines[1], "fusion "));
  golden.hlo = lines[2];
  if (!absl::StartsWith(golden.hlo, "reduced ")) return golden;
  lines = absl::StrSplit(lines[2], absl::MaxSplits('\n', 1));
  golden.hlo = lines[1];
  golden.reduced_target = golden.target;
  std::map<std::string, std::string> numbers;
  for (absl::string_view pair : absl::StrSplit(absl::StripPrefix(lines[0], "reduced "), ' ')) {
    if (absl::ConsumePrefix(&pair, "on=")) {
      golden.reduced_target = std::string(pair);
    } else {
      numbers.insert(absl::StrSplit(pair, '='));
    }
  }
  golden.reduced = Renumbered(golden.hlo, numbers);
  return golden;
}

std::string Lines(const KernelPlan& kernel) {
  std::string out = "kernel\n";
  for (const Placement& p : kernel.placements)
    absl::StrAppend(&out, "place ", p.value->name(), " ", ToString(p.home), " ", ToString(p.keep),
                    "\n");
  for (const Phase& phase : kernel.phases) {
    absl::StrAppend(&out, "phase ", ToString(phase.barrier), phase.slice > 0 ? " in slices" : "",
                    phase.backward ? " backward\n" : "\n");
    for (const Stage& stage : phase.stages) {
      absl::StrAppend(&out, " stage ", stage.vector_rows ? "along rows" : "along columns",
                      stage.chunk > 0 ? " in chunks" : "", stage.streaming ? " streaming\n" : "\n");
      for (const Root& root : stage.roots) {
        absl::StrAppend(&out, "  ", ToString(root.kind), " ", root.value->name(), " ",
                        ToString(root.over), root.partial ? " partial\n" : "\n");
      }
    }
  }
  return out;
}

absl::StatusOr<Plan> PlanFor(const std::string& hlo, const std::string& target,
                             const std::string& fusion_name) {
  ASTITCH_ASSIGN_OR_RETURN(std::unique_ptr<Graph> graph, ParseHloText(hlo));
  ASTITCH_RETURN_IF_ERROR(RunPasses(*graph, StandardPipeline()).status());
  ASTITCH_ASSIGN_OR_RETURN(const MachineModel machine, TestMachine(target));
  ASTITCH_ASSIGN_OR_RETURN(const Fusion fusion, ParseFusion(fusion_name));
  return MakePlan(std::move(graph), machine, {fusion});
}

}  // namespace

std::vector<Golden> GpuGoldens() {
  std::vector<Golden> goldens;
  for (const auto& entry : std::filesystem::directory_iterator(ASTITCH_TEST_DATA "/plans")) {
    Golden golden = ReadGolden(entry.path());
    if (!absl::StartsWith(golden.target, "host")) goldens.push_back(std::move(golden));
  }
  std::sort(goldens.begin(), goldens.end(),
            [](const Golden& a, const Golden& b) { return a.name < b.name; });
  return goldens;
}

absl::StatusOr<Plan> FullPlan(const Golden& golden) {
  return PlanFor(golden.hlo, golden.target, golden.fusion);
}

absl::StatusOr<Plan> ReducedPlan(const Golden& golden) {
  return PlanFor(golden.reduced, golden.reduced_target, golden.fusion);
}

std::string Structure(const Plan& plan) {
  std::string out;
  for (const PlanStep& step : plan.steps) {
    const auto* kernel = std::get_if<KernelPlan>(&step);
    absl::StrAppend(&out, kernel != nullptr ? Lines(*kernel) : "library\n");
  }
  return out;
}

}  // namespace astitch::testing
