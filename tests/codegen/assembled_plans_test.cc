// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The assembler on what the planner plans: every golden plan's graph for every target, with its
// registers and shared memory against the planner's figures, and no spills; the same of the fragments
// at the sizes at which they are timed; and the corpus. Of the last two, each program is for one
// target of the list in turn (for all of them where ASTITCH_LONG_TESTS is set).
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "absl/functional/function_ref.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/file.h"
#include "frontend/hlo_text/parser.h"
#include "passes/pass_runner.h"
#include "stitch/planner.h"
#include "tests/codegen/assembler.h"
#include "tests/codegen/occupancy.h"

namespace astitch::testing {
namespace {

constexpr const char* kMachines[] = {"t4",   "a100", "rtx3090", "l4",
                                     "h100", "b200", "rtx5090"};  // sm_75 to sm_120

// Golden graphs that spill, and why.
struct Spill {
  const char* golden;
  const char* machine;
  const char* fault;
};
constexpr Spill kSpills[] = {
    // Eleven passes over four arrays are written out, in the registers that three blocks have.
    {"instance-norm-residual-backward.a100", "h100", "k0.grad_beta.2 on h100: spills 4"},
};

absl::string_view ExpectedFault(absl::string_view path, absl::string_view machine) {
  for (const Spill& spill : kSpills) {
    if (absl::StrContains(path, spill.golden) && machine == spill.machine) return spill.fault;
  }
  return "";
}

// Empty when every kernel of HLO's plan assembles; FITS: and is as the planner assumed.
std::string CheckOn(const std::string& hlo, const char* name, bool fits) {
  const auto machine = FindMachine(name);
  if (!machine.ok()) return std::string(machine.status().message());
  auto graph = ParseHloText(hlo);
  if (!graph.ok()) return std::string(graph.status().message());
  const auto passes = RunPasses(**graph, StandardPipeline());
  if (!passes.ok()) return std::string(passes.status().message());
  const auto plan = MakePlan(*std::move(graph), *machine, {});
  if (!plan.ok()) return "";  // other tests say what can be planned
  for (const PlanStep& step : plan->steps) {
    const auto* kernel = std::get_if<KernelPlan>(&step);
    if (kernel == nullptr) continue;
    const auto ptx = CompileToPtx(*kernel, {.sm = machine->sm});
    if (!ptx.ok()) return std::string(ptx.status().message());
    const std::string fault =
        fits ? CheckOccupancy(*kernel, *ptx, *machine) : Assemble(ptx->text, machine->sm);
    if (!fault.empty()) return absl::StrCat(kernel->name, " on ", name, ": ", fault);
  }
  return "";
}

std::vector<std::string> Entries(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(ASTITCH_TEST_DATA + folder))
    paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST(AssembledPlans, GoldenGraphsFitAsThePlannerAssumes) {
  if (Assembler() == nullptr) GTEST_SKIP() << "no ptxas on this machine";
  for (const std::string& path : Entries("/plans")) {
    if (absl::StrContains(path, ".host")) continue;
    const std::string text = ReadFile(path).value();
    const size_t begin = text.find("HloModule"), end = text.find("==== plan");
    ASSERT_LT(begin, end) << path;
    for (const char* machine : kMachines)
      EXPECT_EQ(CheckOn(text.substr(begin, end - begin), machine, true),
                ExpectedFault(path, machine))
          << path;
  }
}

// Calls CHECK with each of PATHS and a machine, or all.
void ForEachTarget(const std::vector<std::string>& paths,
                   absl::FunctionRef<void(const std::string& path, const char* machine)> check) {
  const bool all = std::getenv("ASTITCH_LONG_TESTS") != nullptr;
  size_t turn = 0;
  for (const std::string& path : paths) {
    ++turn;
    for (size_t m = 0; m < std::size(kMachines); ++m) {
      if (all || turn % std::size(kMachines) == m) check(path, kMachines[m]);
    }
  }
}

TEST(AssembledPlans, ThePerformanceSuiteFitsAsThePlannerAssumes) {
  if (Assembler() == nullptr) GTEST_SKIP() << "no ptxas on this machine";
  const std::vector<std::string> paths = Entries("/performance");
  EXPECT_GT(paths.size(), 40u);
  ForEachTarget(paths, [](const std::string& path, const char* machine) {
    EXPECT_EQ(CheckOn(ReadFile(path).value(), machine, true), "") << path;
  });
}

TEST(AssembledPlans, TheCorpusAssembles) {
  if (Assembler() == nullptr) GTEST_SKIP() << "no ptxas on this machine";
  std::vector<std::string> paths = Entries("/corpus");
  std::erase_if(paths,
                [](const std::string& path) { return !ReadFile(path + "/module.hlo").ok(); });
  EXPECT_GT(paths.size(), 20u);
  ForEachTarget(paths, [](const std::string& path, const char* machine) {
    EXPECT_EQ(CheckOn(ReadFile(path + "/module.hlo").value(), machine, false), "") << path;
  });
}

}  // namespace
}  // namespace astitch::testing
