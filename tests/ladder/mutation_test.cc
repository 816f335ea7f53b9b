// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Every way of breaking the PTX of every golden plan is noticed: by a report, a refusal or other
// results, in some order of blocks and warps; or it is harmless, and said why.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <regex>
#include <string>

#include "absl/strings/str_cat.h"
#include "tests/ladder/device.h"
#include "tests/ladder/golden.h"
#include "tests/ladder/mutator.h"

namespace astitch::testing {
namespace {

// Edits that change nothing that anybody could notice, and why.
struct Harmless {
  const char* golden;  // name of the plan, "" for all
  const char* kind;
  const char* line;  // what it matches
  int at_most;       // of one plan
  const char* reason;
};
constexpr Harmless kHarmless[] = {
    {"", "bound", R"(setp\.(ne|eq)\.b32.*, 0;)", 5,
     "which thread of a row stores its result, which thread of a block arrives at the grid's "
     "barrier and which block carries its flip: any of them may"},
    {"", "bound", R"(setp\.lt\.s32.*, 0;)", 3, "the flip shows in the sign alone"},
    {"", "bound", R"(setp\.(gt\.u32|lt\.s32).*, [1-9])", 3,
     "a task past the last one has no row of its own"},
    {"", "branch", R"(@%p\d+ bra)", 1, "a block past the last task has no row of its own"},
    {"power-broadcast-add.a100", "barrier", "bar.*sync", 2,
     "the row's value is in registers as well as in its slot, which nobody reads"},
    {"softmax.a100", "barrier", "bar.sync", 2,
     "two barriers with nothing but reads between them, at the end of a row and of a tile"},
    {"three-consumers.a100", "barrier", "bar.sync", 2, "likewise"},
    {"two-dependent-axes.a100", "barrier", "bar.sync", 1,
     "the barrier before the grid's follows the one at the end of the tile"},
    {"four-kernels-to-one.a100", "barrier", "bar.sync", 1, "likewise"},
};

// Uses up one of the table's entries; false: there is none for it.
bool IsExplained(const std::string& golden, const Mutation& mutation, std::map<int, int>& used) {
  for (size_t i = 0; i < std::size(kHarmless); ++i) {
    const Harmless& entry = kHarmless[i];
    if ((entry.golden[0] != 0 && golden != entry.golden) || mutation.kind != entry.kind) continue;
    if (!std::regex_search(mutation.original, std::regex(entry.line))) continue;
    if (used[static_cast<int>(i)]++ < entry.at_most) return true;
  }
  return false;
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
  auto program = CompileProgram(GetParam().reduced, GetParam().target, GetParam().fusion);
  ASSERT_TRUE(program.ok()) << program.status();
  program->arguments = DistinctArguments(*program->graph);
  std::vector<Program> grids = WithOtherGrids(*program);
  std::vector<Outcome> right;
  for (const Program& grid : grids) {
    right.push_back(RunProgram(grid, {}, 2));
    ASSERT_TRUE(right.back().status.ok()) << right.back().status;
  }
  std::map<std::string, int> count;
  std::map<int, int> explained;
  for (size_t m = 0; m < program->image.ptx.size(); ++m) {
    for (const Mutation& mutation : MutationsOf(program->image.ptx[m])) {
      ++count[mutation.kind];
      bool noticed = false;
      for (size_t g = 0; g < grids.size() && !noticed; ++g) {
        Program broken = grids[g];
        broken.image.ptx[m] = mutation.text;
        noticed = IsNoticed(broken, right[g]);
      }
      if (noticed) continue;
      EXPECT_TRUE(IsExplained(GetParam().name, mutation, explained))
          << mutation.kind << " in line " << mutation.line << ": " << mutation.original;
    }
  }
  EXPECT_GE(count["bound"], 2);
  EXPECT_GE(count["branch"], 1);
}

INSTANTIATE_TEST_SUITE_P(Goldens, Broken, ::testing::ValuesIn(GpuGoldens()), [](const auto& info) {
  std::string name = info.param.name;
  std::replace_if(name.begin(), name.end(), [](char c) { return !isalnum(c); }, '_');
  return name;
});

}  // namespace
}  // namespace astitch::testing
