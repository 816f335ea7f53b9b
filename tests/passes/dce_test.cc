// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// dce: what nothing needs.
#include "tests/passes/pass_test_util.h"

namespace astitch {
namespace {

constexpr char kPass[] = "dce";

TEST(DceTest, ChangesNothing) {
  ExpectUnchanged(kPass, R"(
    x = f32[2] parameter(0)
    unused = f32[2] parameter(1)
    state = u64[2] rng-get-and-update-state(), delta=1
    effect = () custom-call(x), custom_call_target="print", custom_call_has_side_effect=true
    ROOT n = f32[2] negate(x))");
}

TEST(DceTest, RemovesUnusedChainsAndComputations) {
  ExpectRewrite(kPass, R"(
    sum {
      a = f32[] parameter(0)
      b = f32[] parameter(1)
      ROOT s = f32[] add(a, b)
    }
    ENTRY main {
      x = f32[2] parameter(0)
      z = f32[] constant(0)
      r = f32[] reduce(x, z), dimensions={0}, to_apply=sum
      q = f32[] sqrt(r)
      ROOT n = f32[2] negate(x)
    })",
                R"(
    ENTRY main {
      x = f32[2] parameter(0)
      ROOT n = f32[2] negate(x)
    })");
}

TEST(DceTest, KeepsALoopWithASideEffectInside) {
  ExpectUnchanged(kPass, R"(
    body {
      p = s32[] parameter(0)
      r = u64[2] rng-get-and-update-state(), delta=1
      one = s32[] constant(1)
      ROOT n = s32[] add(p, one)
    }
    cond {
      q = s32[] parameter(0)
      z = s32[] constant(3)
      ROOT c = pred[] compare(q, z), direction=LT
    }
    ENTRY main {
      x = f32[2] parameter(0)
      i = s32[] constant(0)
      w = s32[] while(i), condition=cond, body=body
      ROOT n = f32[2] negate(x)
    })");
}

}  // namespace
}  // namespace astitch
