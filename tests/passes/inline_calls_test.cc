// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// inline-calls: bodies in place of calls.
#include "tests/passes/pass_test_util.h"

namespace astitch {
namespace {

constexpr char kPass[] = "inline-calls";

TEST(InlineCallsTest, ChangesNothing) {
  ExpectUnchanged(kPass, R"(
    body { ROOT p = s32[] parameter(0) }
    cond {
      q = s32[] parameter(0)
      z = s32[] constant(0)
      ROOT c = pred[] compare(q, z), direction=LT
    }
    sum {
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT s = f32[] add(a, b)
    }
    ENTRY main {
      x = f32[8] parameter(0)
      i = s32[] parameter(1)
      w = s32[] while(i), condition=cond, body=body
      z = f32[] constant(0)
      r = f32[] reduce(x, z), dimensions={0}, to_apply=sum
      ROOT t = (f32[], s32[]) tuple(r, w)
    })");
}

TEST(InlineCallsTest, NestedCallsAndFusionsAreFlat) {
  ExpectRewrite(kPass, R"(
    inner {
      p = f32[4] parameter(0)
      ROOT n = f32[4] negate(p)
    }
    outer {
      p = f32[4] parameter(0)
      q = f32[4] parameter(1)
      c = f32[4] call(q), to_apply=inner
      ROOT a = f32[4] add(p, c)
    }
    ENTRY main {
      x = f32[4] parameter(0)
      f = f32[4] fusion(x, x), kind=kLoop, calls=outer
      ROOT g = f32[4] call(f), to_apply=inner
    })",
                R"(
    ENTRY main {
      x = f32[4] parameter(0)
      n = f32[4] negate(x)
      a = f32[4] add(x, n)
      ROOT n.1 = f32[4] negate(a)
    })");
}

TEST(InlineCallsTest, CallThatForwardsItsParameterDisappears) {
  ExpectRewrite(kPass, R"(
    forward {
      p = f32[4] parameter(0)
      ROOT q = f32[4] parameter(1)
    }
    ENTRY main {
      x = f32[4] parameter(0)
      y = f32[4] parameter(1)
      ROOT c = f32[4] call(x, y), to_apply=forward
    })",
                R"(
    ENTRY main {
      x = f32[4] parameter(0)
      ROOT y = f32[4] parameter(1)
    })");
}

TEST(InlineCallsTest, MapIsElementwiseOnArrays) {
  ExpectRewrite(kPass, R"(
    body {
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      two = f32[] constant(2)
      m = f32[] multiply(a, two)
      ROOT s = f32[] add(m, b)
    }
    ENTRY main {
      x = f32[4,3] parameter(0)
      y = f32[4,3] parameter(1)
      ROOT r = f32[4,3] map(x, y), dimensions={0,1}, to_apply=body
    })",
                R"(
    ENTRY main {
      x = f32[4,3] parameter(0)
      y = f32[4,3] parameter(1)
      two = f32[] constant(2)
      broadcast = f32[4,3] broadcast(two), dimensions={}
      m = f32[4,3] multiply(x, broadcast)
      ROOT s = f32[4,3] add(m, y)
    })");
}

TEST(InlineCallsTest, AsynchronousWrapperIsItsBody) {
  ExpectRewrite(kPass, R"(
    wrapped {
      p = f32[4] parameter(0)
      ROOT n = f32[4] negate(p)
    }
    ENTRY main {
      x = f32[4] parameter(0)
      s = ((f32[4]), f32[4], s32[]) async-start(x), calls=wrapped
      u = ((f32[4]), f32[4], s32[]) async-update(s)
      ROOT d = f32[4] async-done(u)
    })",
                R"(
    ENTRY main {
      x = f32[4] parameter(0)
      ROOT n = f32[4] negate(x)
    })");
}

TEST(InlineCallsTest, StateChangeIsNotDoubled) {
  ExpectRewrite(kPass, R"(
    draw {
      p = f32[4] parameter(0)
      r = u64[2] rng-get-and-update-state(), delta=1
      ROOT n = f32[4] negate(p)
    }
    ENTRY main {
      x = f32[4] parameter(0)
      ROOT c = f32[4] call(x), to_apply=draw
    })",
                R"(
    ENTRY main {
      x = f32[4] parameter(0)
      r = u64[2] rng-get-and-update-state(), delta=1
      ROOT n = f32[4] negate(x)
    })");
}

TEST(InlineCallsTest, WrappersInsideABodyAreInlinedToo) {
  ExpectRewrite(kPass, R"(
    wrapped {
      p = f32[4] parameter(0)
      ROOT n = f32[4] negate(p)
    }
    twice {
      a = f32[] parameter(0)
      ROOT s = f32[] add(a, a)
    }
    outer {
      p = f32[4] parameter(0)
      s = ((f32[4]), f32[4], s32[]) async-start(p), calls=wrapped
      d = f32[4] async-done(s)
      ROOT m = f32[4] map(d), dimensions={0}, to_apply=twice
    }
    ENTRY main {
      x = f32[4] parameter(0)
      ROOT c = f32[4] call(x), to_apply=outer
    })",
                R"(
    ENTRY main {
      x = f32[4] parameter(0)
      n = f32[4] negate(x)
      ROOT s = f32[4] add(n, n)
    })");
}

TEST(InlineCallsTest, DeepNestingCostsTheResultOnly) {
  std::string text = "level_0 { ROOT p = f32[] parameter(0) }\n";
  constexpr int kLevels = 5000;
  for (int i = 1; i <= kLevels; ++i) {
    absl::StrAppend(&text, "level_", i, " { p = f32[] parameter(0)\n a = f32[] negate(p)\n",
                    " ROOT b = f32[] call(a), to_apply=level_", i - 1, " }\n");
  }
  absl::StrAppend(&text,
                  "ENTRY main { x = f32[] parameter(0)\n ROOT c = f32[] call(x), to_apply=level_",
                  kLevels, " }");
  const std::unique_ptr<Graph> graph = ParseModule(text);
  ASSERT_TRUE(graph != nullptr);
  ASSERT_TRUE(RunPasses(*graph, {kPass}).ok());
  EXPECT_EQ(graph->entry()->size(), kLevels + 1);
  EXPECT_EQ(graph->computations().size(), 1);
}

TEST(InlineCallsTest, ExponentialNestingIsRefused) {
  std::string text = "level_0 { ROOT p = f32[] parameter(0) }\n";
  for (int i = 1; i <= 40; ++i) {
    absl::StrAppend(&text, "level_", i,
                    " { p = f32[] parameter(0)\n a = f32[] call(p), to_apply=level_", i - 1,
                    "\n ROOT b = f32[] call(a), to_apply=level_", i - 1, " }\n");
  }
  absl::StrAppend(
      &text, "ENTRY main { x = f32[] parameter(0)\n ROOT c = f32[] call(x), to_apply=level_40 }");
  const std::unique_ptr<Graph> graph = ParseModule(text);
  ASSERT_TRUE(graph != nullptr);
  const absl::Status status = RunPasses(*graph, {kPass}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("inlining needs more than"));
}

}  // namespace
}  // namespace astitch
