// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Golden plans: a graph in, its whole plan out, compared as text. Each file of tests/data/plans
// holds both:
//
//   target host2            a machine of tests/data/machines, or a built-in one
//   fusion stitch
//   reduced 8192=24         GPUs only: a smaller graph of the same stages (tests/ladder/golden.h)
//   HloModule ...
//   ==== plan
//   plan 1 ...
//
// ASTITCH_UPDATE_GOLDEN=1 rewrites the plans; the reviewer reads the difference. Every plan must
// also read back as itself.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/file.h"
#include "frontend/hlo_text/parser.h"
#include "ir/hlo_printer.h"
#include "passes/pass_runner.h"
#include "plan/plan_text.h"
#include "stitch/planner.h"
#include "tests/test_machine.h"

namespace astitch {
namespace {

constexpr absl::string_view kMark = "==== plan\n";

std::vector<std::string> GoldenFiles() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(ASTITCH_TEST_DATA "/plans")) {
    files.push_back(entry.path().stem().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

class GoldenPlan : public testing::TestWithParam<std::string> {};

TEST_P(GoldenPlan, IsAsReviewed) {
  const std::string path = absl::StrCat(ASTITCH_TEST_DATA, "/plans/", GetParam(), ".txt");
  const std::string text = ReadFile(path).value();
  const size_t mark = text.find(std::string(kMark));
  ASSERT_NE(mark, std::string::npos);
  const std::string head = text.substr(0, mark);
  const std::vector<std::string> lines = absl::StrSplit(head, absl::MaxSplits('\n', 2));
  const std::vector<std::string> target = absl::StrSplit(lines[0], ' '),
                                 fusion = absl::StrSplit(lines[1], ' ');
  // Of plans for GPUs: what tests/ladder runs instead.
  const bool reduced = absl::StartsWith(lines[2], "reduced ");
  auto graph = ParseHloText(reduced ? lines[2].substr(lines[2].find('\n')) : lines[2]);
  ASSERT_TRUE(graph.ok()) << graph.status();
  ASSERT_TRUE(RunPasses(**graph, StandardPipeline()).ok());
  const auto machine = TestMachine(target[1]);
  ASSERT_TRUE(machine.ok()) << machine.status();
  const auto plan = MakePlan(*std::move(graph), *machine, {ParseFusion(fusion[1]).value()});
  ASSERT_TRUE(plan.ok()) << plan.status();
  const std::string got = PlanLines(*plan);
  if (std::getenv("ASTITCH_UPDATE_GOLDEN") != nullptr) {
    ASSERT_TRUE(WriteFile(path, absl::StrCat(head, kMark, got)).ok());
  }
  EXPECT_EQ(text.substr(mark + kMark.size()), got);

  auto again = ParseHloText(ToHloText(*plan->graph));
  ASSERT_TRUE(again.ok()) << again.status();
  const auto reread = ParsePlan(got, *std::move(again));
  ASSERT_TRUE(reread.ok()) << reread.status();
  EXPECT_TRUE(PlansEqual(*plan, *reread));
}

INSTANTIATE_TEST_SUITE_P(Files, GoldenPlan, testing::ValuesIn(GoldenFiles()),
                         [](const testing::TestParamInfo<std::string>& info) {
                           std::string name = info.param;
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return !isalnum(c); }, '_');
                           return name;
                         });

}  // namespace
}  // namespace astitch
