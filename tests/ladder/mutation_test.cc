// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Every way of breaking the PTX of every golden plan is noticed: by a report, a refusal or other
// results, in some order of blocks and warps; or it is harmless, and said why.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/file.h"
#include "tests/ladder/device.h"
#include "tests/ladder/golden.h"
#include "tests/ladder/mutator.h"
#include "tests/test_machine.h"

namespace astitch::testing {
namespace {

// Edits that change nothing that anybody could notice: tests/data/harmless-mutations.txt names each
// by golden plan and site, says how often it is there, and why it is harmless.
//
//   reason one-writer: any thread of a row may store its result
//   softmax.a100 | k0_probs | stage 0.0 %row_max | bound | setp.ne.b32 %p, %r, 0 | ... | 2 | one-writer
//
// An edit that survives and is not listed fails, and so does one that is listed and does not survive.
struct Harmless {
  std::map<std::string, std::string> reasons;               // by name
  std::map<std::string, std::map<std::string, int>> sites;  // by golden: how often
};

Harmless ReadHarmless() {
  Harmless out;
  const auto text = ReadFile(ASTITCH_TEST_DATA "/harmless-mutations.txt");
  EXPECT_TRUE(text.ok()) << text.status();
  if (!text.ok()) return out;
  for (absl::string_view line : absl::StrSplit(*text, '\n')) {
    if (line.empty() || absl::StartsWith(line, "#")) continue;
    if (absl::ConsumePrefix(&line, "reason ")) {
      const std::pair<std::string, std::string> named =
          absl::StrSplit(line, absl::MaxSplits(": ", 1));
      out.reasons.insert(named);
      continue;
    }
    std::vector<std::string> words = absl::StrSplit(line, " | ");
    int count = 0;
    if (words.size() != 8 || !absl::SimpleAtoi(words[6], &count)) {
      ADD_FAILURE() << "expected golden and site, a number and a reason, got " << line;
      continue;
    }
    EXPECT_TRUE(out.reasons.contains(words[7])) << "no reason is called " << words[7];
    const std::string golden = words[0];
    words.erase(words.begin());
    words.resize(5);
    out.sites[golden][absl::StrJoin(words, " | ")] += count;
  }
  return out;
}

class Broken : public ::testing::TestWithParam<Golden> {};

bool SameBits(const Outcome& a, const Outcome& b) {
  for (size_t i = 0; i < a.outputs.size(); ++i) {
    const auto x = a.outputs[i].bytes(), y = b.outputs[i].bytes();
    if (!std::equal(x.begin(), x.end(), y.begin(), y.end())) return false;
  }
  return true;
}

// Grids beside the planned one: blocks that take several tasks, and blocks that have none.
std::vector<Program> WithOtherGrids(const Program& program) {
  std::vector<Program> out = {program};
  for (const int64_t grid : {int64_t{1}, int64_t{0}}) {
    Program other = program;
    for (Step& step : other.image.steps) {
      auto* kernel = std::get_if<PtxKernelStep>(&step);
      if (kernel == nullptr || kernel->cluster > 1) continue;
      kernel->grid = grid > 0 ? std::min(grid, kernel->grid) : kernel->grid + 1;
      kernel->resident_blocks = std::max(kernel->resident_blocks, kernel->grid);
    }
    out.push_back(std::move(other));
  }
  return out;
}

bool IsNoticed(const Program& broken, const Outcome& right) {
  for (const simt::Order order :
       {simt::Order::kForward, simt::Order::kReverse, simt::Order::kStarve, simt::Order::kRandom}) {
    SimulatorOptions options;
    options.order = order;
    options.seed = 5;
    const Outcome outcome = RunProgram(broken, options, 2);
    if (!outcome.status.ok() || !SameBits(outcome, right)) return true;
  }
  return false;
}

TEST_P(Broken, IsNoticedOrHarmless) {
  auto program =
      CompileProgram(GetParam().reduced, TestTarget(GetParam().reduced_target), GetParam().fusion);
  ASSERT_TRUE(program.ok()) << program.status();
  program->arguments = DistinctArguments(*program->graph);
  std::vector<Program> grids = WithOtherGrids(*program);
  std::vector<Outcome> right;
  for (const Program& grid : grids) {
    right.push_back(RunProgram(grid, {}, 2));
    ASSERT_TRUE(right.back().status.ok()) << right.back().status;
  }
  std::map<std::string, int> count;
  std::map<std::string, int> survivors;
  for (size_t m = 0; m < program->image.ptx.size(); ++m) {
    for (const Mutation& mutation : MutationsOf(program->image.ptx[m])) {
      ++count[mutation.kind];
      bool noticed = false;
      for (size_t g = 0; g < grids.size() && !noticed; ++g) {
        Program broken = grids[g];
        broken.image.ptx[m] = mutation.text;
        noticed = IsNoticed(broken, right[g]);
      }
      if (!noticed) ++survivors[mutation.site];
    }
  }
  const Harmless harmless = ReadHarmless();
  const auto listed = harmless.sites.find(GetParam().name);
  const std::map<std::string, int> none;
  const auto& expected = listed == harmless.sites.end() ? none : listed->second;
  for (const auto& [site, n] : survivors) {
    const auto it = expected.find(site);
    EXPECT_EQ(n, it == expected.end() ? 0 : it->second)
        << "nobody notices\n"
        << GetParam().name << " | " << site << " | " << n;
  }
  for (const auto& [site, n] : expected)
    EXPECT_TRUE(survivors.contains(site)) << "is noticed, and listed as harmless: " << site;
  EXPECT_GE(count["bound"], 2);
  EXPECT_GE(count["branch"], 1);
}

// Those whose harmless edits are listed.
std::vector<Golden> MutatedGoldens() {
  std::vector<Golden> goldens = GpuGoldens();
  const Harmless harmless = ReadHarmless();
  std::erase_if(goldens, [&](const Golden& g) { return !harmless.sites.contains(g.name); });
  return goldens;
}

INSTANTIATE_TEST_SUITE_P(Goldens, Broken, ::testing::ValuesIn(MutatedGoldens()),
                         [](const auto& info) {
                           std::string name = info.param.name;
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return !isalnum(c); }, '_');
                           return name;
                         });

}  // namespace
}  // namespace astitch::testing
