// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The runner: names, groups, verification, dumps; and what the whole pipeline leaves.
#include "passes/pass_runner.h"

#include <chrono>
#include <string>
#include <vector>

#include "base/file.h"
#include "tests/fresh_folder.h"
#include "tests/passes/pass_test_util.h"

namespace astitch {
namespace {

constexpr char kTwoReshapes[] = R"(
    x = f32[32] parameter(0)
    a = f32[8,4] reshape(x)
    ROOT b = f32[4,8] reshape(a))";

TEST(PassRunnerTest, EmptyListChangesNothing) {
  const std::unique_ptr<Graph> graph = ParseModule(kTwoReshapes);
  EXPECT_FALSE(*RunPasses(*graph, {}));
}

TEST(PassRunnerTest, EveryListedPassCanBeMade) {
  for (const PassInfo& info : ListPasses()) {
    const auto pass = MakePass(info.name);
    ASSERT_TRUE(pass.ok()) << info.name;
    EXPECT_EQ((*pass)->name(), info.name);
    EXPECT_FALSE(info.description.empty());
  }
}

TEST(PassRunnerTest, UnknownNameNamesTheNearest) {
  const std::unique_ptr<Graph> graph = ParseModule(kTwoReshapes);
  const absl::Status status = RunPasses(*graph, {"fold-reshap"}).status();
  EXPECT_EQ(status.message(), "no pass is called fold-reshap; the nearest is fold-reshape");
}

TEST(PassRunnerTest, FaultyInputIsToldBeforeTheFirstPass) {
  const std::unique_ptr<Graph> graph = ParseModule(R"(
    x = f32[32] parameter(0)
    ROOT b = f32[4,9] reshape(x))");
  ASSERT_TRUE(graph != nullptr);
  const absl::Status status = RunPasses(*graph, {"fold-reshape"}).status();
  EXPECT_THAT(std::string(status.message()),
              testing::HasSubstr("while verifying the input of pass fold-reshape"));
}

TEST(PassRunnerTest, DumpsOnlyWhatChanged) {
  const std::string directory = FreshFolder();
  absl::StatusOr<Dumper> dumper = Dumper::ToDirectory(directory);
  ASSERT_TRUE(dumper.ok());
  const std::unique_ptr<Graph> graph = ParseModule(kTwoReshapes);
  ASSERT_TRUE(RunPasses(*graph, {"dce", "fold-reshape"}, {.dumper = &*dumper}).ok());
  const absl::StatusOr<std::string> text = ReadFile(directory + "/01-fold-reshape.hlo");
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_EQ(ToHloText(**ParseHloText(*text)), ToHloText(*graph));
}

TEST(PassRunnerTest, ObserverSeesEachPass) {
  std::vector<std::string> seen;
  const std::unique_ptr<Graph> graph = ParseModule(kTwoReshapes);
  PassRunnerOptions options;
  options.after_pass = [&](absl::string_view pass, const Graph&, bool changed) {
    seen.push_back(absl::StrCat(pass, changed ? "+" : "-"));
  };
  ASSERT_TRUE(RunPasses(*graph, {"dce", "fold-reshape"}, options).ok());
  EXPECT_THAT(seen, testing::ElementsAre("dce-", "fold-reshape+"));
}

TEST(StandardPipelineTest, SoftmaxKeepsOnlyItsArithmetic) {
  ExpectRewrite("simplify", R"(
    max {
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT m = f32[] maximum(a, b)
    }
    ENTRY main {
      x = f32[4,8] parameter(0)
      low = f32[] constant(-inf)
      m = f32[4] reduce(x, low), dimensions={1}, to_apply=max
      lows = f32[4] broadcast(low), dimensions={}
      g = f32[4] maximum(lows, m)
      a = f32[4,1] reshape(g)
      b = f32[4,1] broadcast(a), dimensions={0,1}
      c = f32[4] reshape(b)
      d = f32[4,8] broadcast(c), dimensions={0}
      ROOT s = f32[4,8] subtract(x, d)
    })",
                R"(
    max {
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT m = f32[] maximum(a, b)
    }
    ENTRY main {
      x = f32[4,8] parameter(0)
      low = f32[] constant(-inf)
      m = f32[4] reduce(x, low), dimensions={1}, to_apply=max
      d = f32[4,8] broadcast(m), dimensions={0}
      ROOT s = f32[4,8] subtract(x, d)
    })");
}

TEST(StandardPipelineTest, NormalizationWorksOnceARow) {
  ExpectRewrite("simplify", R"(
    sum = f32[6] parameter(0)
    a = f32[6,1] reshape(sum)
    n = f32[] constant(40)
    ns = f32[6,1] broadcast(n), dimensions={}
    mean = f32[6,1] divide(a, ns)
    e = f32[] constant(1e-06)
    es = f32[6,1] broadcast(e), dimensions={}
    v = f32[6,1] add(mean, es)
    q = f32[6,1] rsqrt(v)
    b = f32[6,1] broadcast(q), dimensions={0,1}
    c = f32[6] reshape(b)
    ROOT d = f32[6,40] broadcast(c), dimensions={0})",
                R"(
    sum = f32[6] parameter(0)
    n = f32[] constant(40)
    e = f32[] constant(1e-06)
    broadcast = f32[6] broadcast(n), dimensions={}
    mean.1 = f32[6] divide(sum, broadcast)
    broadcast.1 = f32[6] broadcast(e), dimensions={}
    v.1 = f32[6] add(mean.1, broadcast.1)
    q.1 = f32[6] rsqrt(v.1)
    ROOT d = f32[6,40] broadcast(q.1), dimensions={0})");
}

TEST(StandardPipelineTest, RunningItAgainChangesNothing) {
  for (const char* name : {"layernorm_backward", "cross_entropy_fwd_bwd", "asr_loop", "batch_norm",
                           "optimized_style", "conformer_conv"}) {
    const auto text = ReadFile(absl::StrCat(ASTITCH_TEST_DATA, "/passes/", name, ".hlo"));
    ASSERT_TRUE(text.ok()) << text.status();
    const std::unique_ptr<Graph> graph = ParseModule(*text);
    ASSERT_TRUE(graph != nullptr);
    ASSERT_TRUE(RunPasses(*graph, StandardPipeline()).ok());
    const std::string once = ToHloText(*graph);
    const absl::StatusOr<bool> changed = RunPasses(*graph, StandardPipeline());
    ASSERT_TRUE(changed.ok());
    EXPECT_FALSE(*changed) << name;
    EXPECT_EQ(ToHloText(*graph), once);
  }
}

TEST(StandardPipelineTest, SameGraphGivesTheSameText) {
  const auto text = ReadFile(absl::StrCat(ASTITCH_TEST_DATA, "/passes/asr_loop.hlo"));
  ASSERT_TRUE(text.ok());
  std::string texts[2];
  for (std::string& result : texts) {
    const std::unique_ptr<Graph> graph = ParseModule(*text);
    ASSERT_TRUE(RunPasses(*graph, StandardPipeline()).ok());
    result = ToHloText(*graph);
  }
  EXPECT_EQ(texts[0], texts[1]);
}

// A chain in which each value is used twice has 2^240 paths and 480 instructions.
TEST(StandardPipelineTest, DiamondsCostTheirInstructionsNotTheirPaths) {
  std::string text = "x0 = f32[64] parameter(0)\n";
  for (int i = 0; i < 240; ++i) {
    absl::StrAppend(&text, "e", i, " = f32[64] exponential(x", i, ")\n", "x", i + 1,
                    " = f32[64] add(e", i, ", x", i, ")\n");
  }
  absl::StrAppend(&text, "ROOT r = f32[64] negate(x240)");
  const std::unique_ptr<Graph> graph = ParseModule(text);
  ASSERT_TRUE(graph != nullptr);
  ASSERT_TRUE(RunPasses(*graph, StandardPipeline()).ok());
  EXPECT_EQ(graph->entry()->size(), 482);
}

// Ten thousand instructions on one row vector, all of which move in front of the broadcast.
TEST(StandardPipelineTest, LongChainsAreLinear) {
  std::string text = "r = f32[64] parameter(0)\nx0 = f32[64,8] broadcast(r), dimensions={0}\n";
  for (int i = 0; i < 10000; ++i) {
    absl::StrAppend(&text, "x", i + 1, " = f32[64,8] ", i % 2 == 0 ? "exponential" : "tanh", "(x",
                    i, ")\n");
  }
  absl::StrAppend(&text, "ROOT n = f32[64,8] negate(x10000)");
  const std::unique_ptr<Graph> graph = ParseModule(text);
  ASSERT_TRUE(graph != nullptr);
  const auto start = std::chrono::steady_clock::now();
  ASSERT_TRUE(RunPasses(*graph, StandardPipeline()).ok());
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(graph->entry()->size(), 10003);
  EXPECT_EQ(graph->entry()->root()->opcode(), Opcode::kBroadcast);
  // Some hundred milliseconds with all verification; quadratic work would be minutes.
  EXPECT_LT(seconds.count(), 10.0);
}

}  // namespace
}  // namespace astitch
