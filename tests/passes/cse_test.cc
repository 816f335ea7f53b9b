// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// cse: equal values are one.
#include "tests/passes/pass_test_util.h"

namespace astitch {
namespace {

constexpr char kPass[] = "cse";

TEST(CseTest, ChangesNothing) {
  ExpectUnchanged(kPass, R"(
    x = f32[4] parameter(0)
    a = f32[2] slice(x), slice={[0:2]}
    b = f32[2] slice(x), slice={[2:4]}
    c = f32[2] subtract(a, b)
    d = f32[2] subtract(b, a)
    zero = f32[] constant(0)
    negative = f32[] constant(-0)
    ROOT t = (f32[2], f32[2], f32[], f32[]) tuple(c, d, zero, negative))");
}

TEST(CseTest, MergesChainsAndConstants) {
  ExpectRewrite(kPass, R"(
    x = f32[4] parameter(0)
    one = f32[] constant(1)
    a = f32[4] broadcast(one), dimensions={}
    b = f32[4] add(x, a)
    uno = f32[] constant(1)
    c = f32[4] broadcast(uno), dimensions={}
    d = f32[4] add(c, x)
    ROOT t = (f32[4], f32[4]) tuple(b, d))",
                R"(
    x = f32[4] parameter(0)
    one = f32[] constant(1)
    a = f32[4] broadcast(one), dimensions={}
    b = f32[4] add(x, a)
    ROOT t = (f32[4], f32[4]) tuple(b, b))");
}

TEST(CseTest, MergesReductionsWithEqualBodies) {
  ExpectRewrite(kPass, R"(
    sum {
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT s = f32[] add(a, b)
    }
    total {
      left = f32[] parameter(0)
      right = f32[] parameter(1)
      ROOT t = f32[] add(left, right)
    }
    reversed {
      left = f32[] parameter(0)
      right = f32[] parameter(1)
      ROOT t = f32[] subtract(right, left)
    }
    ENTRY main {
      x = f32[4] parameter(0)
      z = f32[] constant(0)
      a = f32[] reduce(x, z), dimensions={0}, to_apply=sum
      b = f32[] reduce(x, z), dimensions={0}, to_apply=total
      c = f32[] reduce(x, z), dimensions={0}, to_apply=reversed
      ROOT t = (f32[], f32[], f32[]) tuple(a, b, c)
    })",
                R"(
    sum {
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT s = f32[] add(a, b)
    }
    reversed {
      left = f32[] parameter(0)
      right = f32[] parameter(1)
      ROOT t = f32[] subtract(right, left)
    }
    ENTRY main {
      x = f32[4] parameter(0)
      z = f32[] constant(0)
      a = f32[] reduce(x, z), dimensions={0}, to_apply=sum
      c = f32[] reduce(x, z), dimensions={0}, to_apply=reversed
      ROOT t = (f32[], f32[], f32[]) tuple(a, a, c)
    })");
}

TEST(CseTest, UnknownAndRandomValuesStayApart) {
  ExpectUnchanged(kPass, R"(
    l = f32[] constant(0)
    h = f32[] constant(1)
    a = f32[20] constant({...})
    b = f32[20] constant({...})
    c = f32[20] rng(l, h), distribution=rng_uniform
    d = f32[20] rng(l, h), distribution=rng_uniform
    e = f32[20] custom-call(a), custom_call_target="Unknown"
    f = f32[20] custom-call(a), custom_call_target="Unknown"
    ROOT t = (f32[20], f32[20], f32[20], f32[20], f32[20], f32[20]) tuple(a, b, c, d, e, f))");
}

}  // namespace
}  // namespace astitch
