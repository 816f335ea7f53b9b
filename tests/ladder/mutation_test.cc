// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Every way of breaking the PTX of every golden plan is noticed: by a report, a refusal or other
// results, in some order of blocks and warps; or it is harmless, and said why.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
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

// Edits that change nothing that anybody could notice are shown harmless by others of the same line
// (mutator.h). The rest of them tests/data/harmless-mutations.txt names by golden plan and site, says
// how often it is there, and why it is harmless.
//
//   reason few-parts: lanes beyond the parts of a row hold what changes nothing
//   softmax.a100 | k0_probs | stage 1.0 %top | shuffle | shfl.sync.bfly.b32 ... | ... | 1 | few-parts
//
// An edit that survives and is neither fails, and so does one that is listed and does not survive.
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
      if (kernel == nullptr) continue;
      const int64_t whole = kernel->cluster;
      const int64_t more = kernel->cooperative ? kernel->grid + whole : 2 * kernel->grid + whole;
      kernel->grid = grid > 0 ? std::min(grid * whole, kernel->grid) : more;
      kernel->resident_blocks = std::max(kernel->resident_blocks, kernel->grid);
    }
    out.push_back(std::move(other));
  }
  return out;
}

// Twice in a row where blocks wait for each other, on what the first run leaves of their barrier.
int TimesInARow(const Program& program) {
  const auto waits = [](const Step& step) {
    const auto* kernel = std::get_if<PtxKernelStep>(&step);
    return kernel != nullptr && kernel->cooperative;
  };
  return std::any_of(program.image.steps.begin(), program.image.steps.end(), waits) ? 2 : 1;
}

int64_t Instructions(const Outcome& outcome) {
  int64_t instructions = 0;
  for (const SimulatedStep& step : outcome.log) {
    for (const simt::StageCounts& stage : step.stages)
      for (const int64_t of_class : stage.warp_instructions) instructions += of_class;
  }
  return instructions;
}

bool IsNoticed(const Program& broken, const Outcome& right) {
  constexpr int64_t kPatience = 4, kLeast = 10000;  // blocks that wait for others take their time
  for (const simt::Order order :
       {simt::Order::kForward, simt::Order::kReverse, simt::Order::kStarve, simt::Order::kRandom}) {
    SimulatorOptions options;
    options.order = order;
    options.seed = 5;
    options.traffic = false;
    options.first_report_only = true;
    options.max_steps = kLeast + kPatience * Instructions(right);
    const Outcome outcome = RunProgram(broken, options, TimesInARow(broken));
    if (!outcome.status.ok() || !SameBits(outcome, right)) return true;
  }
  return false;
}

// The program of a golden plan, on several grids, and what each gives.
struct Runs {
  std::vector<Program> grids;
  std::vector<Outcome> right;
};

Runs RightRuns(Program program) {
  program.arguments = DistinctArguments(*program.graph);
  Runs runs;
  runs.grids = WithOtherGrids(program);
  for (const Program& grid : runs.grids) {
    runs.right.push_back(RunProgram(grid, {}, TimesInARow(grid)));
    EXPECT_TRUE(runs.right.back().status.ok()) << runs.right.back().status;
    EXPECT_FALSE(IsNoticed(grid, runs.right.back())) << "there is nothing to notice";
  }
  return runs;
}

// PTX instead of module M's.
bool IsNoticed(const Runs& runs, size_t m, const std::string& ptx) {
  const auto kernels = std::make_shared<DecodedKernels>();
  for (size_t g = 0; g < runs.grids.size(); ++g) {
    Program broken = runs.grids[g];
    broken.image.ptx[m] = ptx;
    broken.kernels = kernels;
    if (IsNoticed(broken, runs.right[g])) return true;
  }
  return false;
}

// By what a mutation that nobody notices is shown harmless; empty if by nothing.
std::string Shown(const Runs& runs, size_t m, const Mutation& mutation) {
  const std::string& ptx = runs.grids[0].image.ptx[m];
  std::string reason = NeedsNoWitness(ptx, mutation);
  if (!reason.empty()) return reason;
  if (mutation.kind == "divergent")
    return IsNoticed(runs, m, WithoutItsLine(ptx, mutation)) ? "" : "no-race";
  for (const Witness& witness : WitnessesOf(ptx, mutation)) {
    if (IsNoticed(runs, m, witness.text)) return witness.reason;
  }
  return "";
}

// Every how manyth site is edited: of long programs some, all of them when asked for. The work is
// what all edits of a program would have a warp do.
int64_t Stride(const Runs& runs, size_t num_mutations) {
  constexpr double kMostInstructions = 1.5e6;
  if (std::getenv("ASTITCH_LONG_TESTS") != nullptr) return 1;
  const int64_t instructions = Instructions(runs.right[0]);
  const double work = static_cast<double>(instructions) * static_cast<double>(num_mutations);
  return 1 + static_cast<int64_t>(work / kMostInstructions);
}

TEST_P(Broken, IsNoticedOrHarmless) {
  auto program =
      CompileProgram(GetParam().reduced, TestTarget(GetParam().reduced_target), GetParam().fusion);
  ASSERT_TRUE(program.ok()) << program.status();
  const Runs runs = RightRuns(*std::move(program));
  std::map<std::string, int> count, noticed, shown, survivors;
  bool all = true;
  for (size_t m = 0; m < runs.grids[0].image.ptx.size(); ++m) {
    const std::vector<Mutation> mutations = MutationsOf(runs.grids[0].image.ptx[m]);
    const int64_t stride = Stride(runs, mutations.size());
    all &= stride == 1;
    for (size_t i = 0; i < mutations.size(); i += stride) {
      const Mutation& mutation = mutations[i];
      ++count[mutation.kind];
      if (IsNoticed(runs, m, mutation.text)) {
        ++noticed[mutation.kind];
        continue;
      }
      const std::string reason = Shown(runs, m, mutation);
      ++(reason.empty() ? survivors[mutation.site] : shown[reason]);
    }
  }
  const Harmless harmless = ReadHarmless();
  const auto listed = harmless.sites.find(GetParam().name);
  const std::map<std::string, int> none;
  const auto& expected = listed == harmless.sites.end() ? none : listed->second;
  for (const auto& [site, n] : survivors) {
    const auto it = expected.find(site);
    EXPECT_LE(n, it == expected.end() ? 0 : it->second)
        << "nobody notices\n"
        << GetParam().name << " | " << site << " | " << n;
  }
  for (const auto& [reason, n] : shown) RecordProperty(reason, n);
  if (!all) return;
  for (const auto& [site, n] : expected)
    EXPECT_EQ(survivors[site], n) << "is noticed or shown, and listed as harmless: " << site;
  EXPECT_GE(noticed["bound"], 1);
  EXPECT_GE(noticed["branch"], 1);
}

INSTANTIATE_TEST_SUITE_P(Goldens, Broken, ::testing::ValuesIn(GpuGoldens()), [](const auto& info) {
  std::string name = info.param.name;
  std::replace_if(name.begin(), name.end(), [](char c) { return !isalnum(c); }, '_');
  return name;
});

}  // namespace
}  // namespace astitch::testing
