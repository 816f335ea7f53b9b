// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Plans written by hand, one a file of tests/data/plans-by-hand: forms of the plan language that the
// planner chooses seldom or never. Each runs on the simulated device in every order, on the fewest
// blocks and on many, twice in a row on the same barrier state, and goes through the assembler.
//
// A file begins with lines of "// "; one of them may be "sm N", the first target that has the form.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "codegen/nvptx/nvptx_compiler.h"
#include "tests/codegen/assembler.h"
#include "tests/codegen/plan_runner.h"
#include "tests/codegen/simulated_runner.h"

namespace astitch::testing {
namespace {

std::vector<std::string> HandPlans() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(ASTITCH_TEST_DATA "/plans-by-hand"))
    names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

struct HandPlan {
  Plan plan;
  int sm = 70;
};

absl::StatusOr<HandPlan> ReadHandPlan(const std::string& name) {
  std::ifstream file(absl::StrCat(ASTITCH_TEST_DATA "/plans-by-hand/", name, ".txt"));
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  HandPlan out;
  while (text.rfind("// ", 0) == 0) {
    const size_t end = text.find('\n');
    absl::string_view line = absl::string_view(text).substr(3, end - 3);
    if (absl::ConsumePrefix(&line, "sm ") && !absl::SimpleAtoi(line, &out.sm))
      return absl::InvalidArgumentError("no number after sm");
    text.erase(0, end + 1);
  }
  absl::StatusOr<Plan> plan = PlanFromText(text);
  if (!plan.ok()) return plan.status();
  out.plan = *std::move(plan);
  return out;
}

const KernelPlan& KernelOf(const Plan& plan) { return std::get<KernelPlan>(plan.steps[0]); }

class HandPlansTest : public ::testing::TestWithParam<std::string> {};

TEST_P(HandPlansTest, MatchTheInterpreterOnEveryTarget) {
  const auto hand = ReadHandPlan(GetParam());
  ASSERT_TRUE(hand.ok()) << hand.status().message();
  for (int sm : {75, 80, 90, 100}) {
    if (sm < hand->sm) continue;
    for (simt::Order order : {simt::Order::kForward, simt::Order::kReverse, simt::Order::kRandom,
                              simt::Order::kStarve}) {
      EXPECT_EQ(CheckSimulated(hand->plan, {.sm = sm, .order = order, .launches = 2}), "")
          << "sm_" << sm << ", order " << static_cast<int>(order);
    }
  }
}

TEST_P(HandPlansTest, RunOnTheFewestBlocksAndOnMany) {
  const auto hand = ReadHandPlan(GetParam());
  ASSERT_TRUE(hand.ok()) << hand.status().message();
  for (int64_t blocks : {int64_t{1}, int64_t{3}, KernelOf(hand->plan).launch.grid}) {
    EXPECT_EQ(CheckSimulated(hand->plan, {.sm = std::max(hand->sm, 80),
                                          .order = simt::Order::kRandom,
                                          .max_grid = blocks,
                                          .launches = 3,
                                          .wide_indices = blocks == 3}),
              "")
        << blocks << " blocks";
  }
}

TEST_P(HandPlansTest, AGridBarrierIsRefusedWhereABlockIsNotResident) {
  const auto hand = ReadHandPlan(GetParam());
  ASSERT_TRUE(hand.ok()) << hand.status().message();
  const Launch& launch = KernelOf(hand->plan).launch;
  if (!launch.cooperative) GTEST_SKIP() << "has no barrier of the grid";
  const SimOptions options = {.sm = 80, .max_grid = launch.grid};
  SimOptions fits = options, beyond = options;
  fits.resident_blocks = launch.grid;
  beyond.resident_blocks = launch.grid - 1;
  EXPECT_EQ(CheckSimulated(hand->plan, fits), "");
  EXPECT_NE(CheckSimulated(hand->plan, beyond).find("resident"), std::string::npos);
}

TEST_P(HandPlansTest, Assemble) {
  if (Assembler() == nullptr) GTEST_SKIP() << "no ptxas on this machine";
  const auto hand = ReadHandPlan(GetParam());
  ASSERT_TRUE(hand.ok()) << hand.status().message();
  for (int sm : {75, 80, 86, 89, 90, 100, 120}) {
    const auto ptx = CompileToPtx(KernelOf(hand->plan), {.sm = sm});
    if (sm < hand->sm) {
      EXPECT_FALSE(ptx.ok()) << "sm_" << sm << " took what it lacks";
      continue;
    }
    ASSERT_TRUE(ptx.ok()) << ptx.status().message();
    const auto assembled = AssembleHere(ptx->text, sm);
    ASSERT_TRUE(assembled.ok()) << "sm_" << sm << ": " << assembled.status();
    EXPECT_EQ(assembled->spilled_bytes, 0) << "sm_" << sm;
  }
}

// From the mark of a stage to the next mark.
std::string StageText(const std::string& ptx, absl::string_view stage) {
  const size_t start = ptx.find(absl::StrCat("// stage ", stage));
  if (start == std::string::npos) return "";
  return ptx.substr(start, ptx.find("// stage ", start + 1) - start);
}

struct TextCase {
  const char* plan;
  int sm;
  const char* stage;
  const char* what;
  bool there;
};

TEST(HandPlans, SayInPtxWhatThePlanSays) {
  const TextCase cases[] = {
      {"kept-shared", 75, "0.1", "ld.global", false},
      {"kept-shared", 75, "0.1", "ld.shared.v4", true},
      {"kept-shared", 80, "0.2", "ld.global", false},
      {"kept-shared", 80, "", "cp.async.cg.shared.global", true},
      {"kept-shared", 90, "", "cp.async.bulk", true},
      {"kept-shared-uneven", 90, "", "cp.async.bulk", false},
      {"kept-shared-in-part", 80, "0.1", "ld.shared", true},
      {"kept-shared-in-part", 80, "0.1", "ld.global.nc", true},
      {"stays", 80, "0.0", "ld.shared", true},
      {"stays", 80, "2.0", "ld.shared", true},
      {"stays", 80, "2.0", "ld.global.nc", true},
      {"cluster", 90, "0.0", "ld.shared::cluster", true},
      {"cluster", 90, "0.1", "ld.global", false},
      {"cluster-home", 90, "0.1", "mapa.shared::cluster", true},
      {"peeled", 80, "0.0", "ld.global.nc.v4", true},
      {"peeled", 80, "0.1", "ld.global", false},
      {"peeled", 80, "0.2", "st.global.v4", true},
      {"peeled-parts", 80, "0.0", "ld.global.nc.v4", true},
      {"folded-columns", 80, "2.0", "ld.global.nc.v2", true},
      {"wide-vectors", 80, "0.0", "ld.global.nc.v4.b32", true},
      {"wide-vectors", 100, "0.0", "st.global.v4.b64", true},
      {"interleaved", 80, "0.0", "ld.global.nc.v4.b32", true},
      {"interleaved", 80, "0.0", "ld.global.nc.b32", false},
      {"interleaved", 80, "1.0", "ld.global.nc.v4.b32", true},
      {"interleaved", 80, "1.0", "ld.global.nc.b32", false},
      {"interleaved", 80, "2.0", "ld.global.nc.b32", true},
      {"interleaved", 80, "2.0", "ld.global.nc.v", false},
      {"interleaved", 80, "3.0", "ld.global.nc.v", false},
      {"interleaved", 80, "4.0", "ld.global.b32", true},
      {"interleaved", 80, "4.0", "ld.global.v", false},
      {"streamed", 80, "0.0", "st.global.cs.b8", true},
      {"streamed", 80, "0.0", "st.global.cs.v2.b32", true},
      {"streamed", 80, "0.1", "st.global.cs.b16", true},
      {"streamed", 80, "0.1", "st.global.cs.v2.b32", true},
      {"streamed", 80, "0.2", "st.global.cs.v4.b32", true},
      {"streamed", 80, "0.3", "st.global.cs.v8.b32", false},
      {"streamed", 100, "0.2", "st.global.cs.v8.b32", true},
      {"streamed", 100, "0.3", "st.global.cs.v8.b32", true},
      {"streamed", 80, "", "st.global.b", false},
      {"streamed", 80, "", "st.global.v", false},
      {"flags", 80, "0.0", "atom.add.release.gpu", true},
      {"flags", 80, "1.0", "atom", false},
      {"block-sum", 80, "", "atom", false},
      {"block-columns", 80, "0.1", "st.shared", true},
      {"block-columns", 80, "1.0", "ld.shared.v4", true},
  };
  for (const TextCase& c : cases) {
    const auto hand = ReadHandPlan(c.plan);
    ASSERT_TRUE(hand.ok()) << hand.status().message();
    const auto ptx = CompileToPtx(KernelOf(hand->plan), {.sm = c.sm});
    ASSERT_TRUE(ptx.ok()) << ptx.status().message();
    const std::string text = *c.stage == '\0' ? ptx->text : StageText(ptx->text, c.stage);
    const bool there = text.find(c.what) != std::string::npos;
    EXPECT_EQ(there, c.there) << c.plan << " stage " << c.stage << ": " << c.what << "\n"
                              << ptx->text;
  }
}

struct RefusedCase {
  const char* plan;
  const char* from;
  const char* to;
  const char* message;
};

TEST(HandPlans, AreRefusedWhereTheyCannotBeSpelled) {
  const RefusedCase cases[] = {
      {"peeled", "tile_rows=2", "tile_rows=9000000000", "tiles of 9000000000 rows"},
      {"peeled", "vector=4", "vector=0", "vectors of 0"},
      {"peeled", "vector=4", "vector=3", "vectors of 3"},
      {"peeled", "unroll=2", "unroll=1000", "1000 vectors in flight"},
      {"kept-shared", "shared=10240", "shared=9000", "has 9600 bytes from byte 0 of 9000"},
      {"kept-shared", "bytes=9600", "bytes=9000", "keeps 4 rows in 9600 bytes, the plan has 9000"},
      {"kept-shared-in-part", "kept_rows=2", "kept_rows=-2", "keeps -2 rows"},
      {"flags", "partial_offset=128", "partial_offset=500", "96 bytes from byte 500 of 512"},
      {"flags", "cooperative=1 ", "", "needs a cooperative launch"},
      {"flags", "barrier=flags cols_per_task=1280", "barrier=flags cols_per_task=2560",
       "flags between phases of 24 and 12 tasks"},
      {"block-flags", "barrier=block cols_per_task=512", "barrier=flags cols_per_task=512",
       "flags beside a phase that every block repeats"},
      {"cluster", "cluster=4", "cluster=2", "rows in 4 parts for clusters of 2 blocks"},
      {"cluster", "grid=8", "grid=6", "a grid of 6 blocks in clusters of 4"},
      {"cluster", " cluster=4", "", "is not partial"},
      {"cluster-home", "bytes=4096", "bytes=4000", "needs 4096 bytes a tile, the plan has 4000"},
      {"folded-columns", "maximum(a, b)", "subtract(a, b)", "order matters, beside rows"},
      {"folded-columns", "rows_per_task=9", "rows_per_task=9 cols_per_task=50",
       "folds columns that tasks share, beside rows"},
  };
  for (const RefusedCase& c : cases) {
    std::ifstream file(absl::StrCat(ASTITCH_TEST_DATA "/plans-by-hand/", c.plan, ".txt"));
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    while (text.rfind("// ", 0) == 0) text.erase(0, text.find('\n') + 1);
    const size_t at = text.find(c.from);
    ASSERT_NE(at, std::string::npos) << c.plan << " " << c.from;
    const auto plan = PlanFromText(text.replace(at, std::string(c.from).size(), c.to));
    ASSERT_TRUE(plan.ok()) << plan.status().message();
    const auto ptx = CompileToPtx(KernelOf(*plan), {.sm = 90});
    ASSERT_FALSE(ptx.ok()) << c.plan << " " << c.to;
    EXPECT_NE(ptx.status().message().find(c.message), absl::string_view::npos)
        << ptx.status().message();
  }
}

// What orders threads, and what it becomes when it is broken.
struct Breakage {
  const char* from;
  const char* to;
};
constexpr Breakage kBreakages[] = {
    {"bar.sync \t0;", ""},
    {"bar.warp.sync \t-1;", ""},
    {"barrier.cluster.arrive.aligned;", "barrier.cluster.arrive.relaxed.aligned;"},
    {"atom.add.release.gpu", "atom.add.relaxed.gpu"},
    {"atom.add.release.gpu", "atom.add.release.cta"},
    {"ld.acquire.gpu", "ld.relaxed.gpu"},
    {"ld.acquire.gpu", "ld.acquire.cta"},
    {"cp.async.wait_all;", ""},
    {"mbarrier.try_wait.parity.shared::cta.b64",
     "mbarrier.try_wait.parity.relaxed.cta.shared::cta.b64"},
};

// Barriers of a block that may lack, because another comes before anything that they order.
struct Harmless {
  const char* plan;
  int number;  // of bar.sync in the text
  const char* reason;
  int sm = 0;  // of which target; 0: of each
};
constexpr Harmless kHarmless[] = {
    {"block-flags", 4, "only thread 0 has stored what is read behind the flags"},
    {"block-flags", 5, "the next task begins with one, after its wait"},
    {"block-flags", 8, "the last task that stored for other blocks has ended with one"},
    {"block-parts", 1, "the next exchange takes the other area"},
    {"block-parts", 4, "the last task of the phase has ended with one"},
    {"flags", 5, "only thread 0 has stored, which raises the flag"},
    {"folded-columns", 4, "the last task of the phase has ended with one"},
    {"grid-barrier", 2, "the last task of the phase has ended with one"},
    {"grid-then-flags", 2, "the last task of the phase has ended with one"},
    {"grid-then-flags", 6, "only thread 0 has stored, which raises the flag"},
    {"peeled-parts", 2, "the next task begins with one, after its wait"},
    {"shared-rows", 0, "the next tile begins with an exchange, and its slot is written behind it"},
    {"stays", 0, "all reads of a task's slot are before the exchange that ends it", 75},
    {"stays", 1, "all reads of a task's slot are before the exchange that ends it", 90},
    {"stays", 2, "what the exchange writes lies in nobody's slot"},
    {"stays", 4, "the last task of the phase has ended with one"},
    {"stays", 6, "no block has two tasks of the phase"},
    {"stays", 8, "a row of the slot is read by the thread that wrote it"},
    {"stays", 9, "the last task of the phase has ended with one"},
    {"stays", 10, "the copy of the rows ends with one, before what others wrote is read", 75},
    {"turned-chunks", 0, "the next tile begins with an exchange, and with the barrier of a chunk"},
};

bool IsHarmless(const std::string& plan, int sm, const Breakage& breakage, int number) {
  if (breakage.from != kBreakages[0].from) return false;
  return std::any_of(std::begin(kHarmless), std::end(kHarmless), [&](const Harmless& harmless) {
    return plan == harmless.plan && number == harmless.number &&
           (harmless.sm == 0 || harmless.sm == sm);
  });
}

// TEXT with the COUNT-th FROM replaced; empty when there is none.
std::string Broken(std::string text, const Breakage& breakage, int count) {
  const std::string from = breakage.from;
  size_t at = text.find(from);
  for (; count > 0 && at != std::string::npos; --count) at = text.find(from, at + 1);
  return at == std::string::npos ? "" : text.replace(at, from.size(), breakage.to);
}

TEST_P(HandPlansTest, WhatOrdersThreadsIsMissedWhenItLacks) {
  const auto hand = ReadHandPlan(GetParam());
  ASSERT_TRUE(hand.ok()) << hand.status().message();
  for (int sm : {75, 90}) {
    if (sm < hand->sm) continue;
    for (const Breakage& breakage : kBreakages) {
      for (int count = 0;; ++count) {
        bool there = false, seen = false;  // nothing is edited where no text is made
        for (simt::Order order : {simt::Order::kForward, simt::Order::kRandom, simt::Order::kStarve,
                                  simt::Order::kReverse}) {
          const auto edit = [&](std::string text) {
            std::string broken = Broken(text, breakage, count);
            there = !broken.empty();
            return there ? broken : text;
          };
          seen = !CheckSimulated(
                      hand->plan,
                      {.sm = sm, .order = order, .launches = 2, .edit = edit, .max_steps = 2000000})
                      .empty();
          if (seen || !there) break;
        }
        if (!there) break;
        EXPECT_EQ(seen, !IsHarmless(GetParam(), sm, breakage, count))
            << "sm_" << sm << ", " << breakage.from << " number " << count;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, HandPlansTest, ::testing::ValuesIn(HandPlans()),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace astitch::testing
