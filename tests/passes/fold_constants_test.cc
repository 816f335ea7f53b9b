// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// fold-constants: small work on constants is done beforehand.
#include "tests/passes/pass_test_util.h"

namespace astitch {
namespace {

constexpr char kPass[] = "fold-constants";

TEST(FoldConstantsTest, ChangesNothing) {
  ExpectUnchanged(kPass, R"(
    one = f32[] constant(1)
    ones = f32[4] broadcast(one), dimensions={}
    i = s32[4] iota(), iota_dimension=0
    r = f32[1] reshape(one)
    x = f32[] parameter(0)
    y = f32[] add(x, one)
    ROOT t = (f32[4], s32[4], f32[1], f32[]) tuple(ones, i, r, y))");
}

TEST(FoldConstantsTest, FoldsAChainInOneRun) {
  ExpectRewrite(kPass, R"(
    a = f32[] constant(2)
    b = f32[] constant(3)
    c = f32[] multiply(a, b)
    d = s32[] convert(c)
    ROOT e = pred[] compare(d, d), direction=GT)",
                R"(
    ROOT constant.2 = pred[] constant(false))");
}

TEST(FoldConstantsTest, FoldsMovesAndReductions) {
  ExpectRewrite(kPass, R"(
    sum {
      a = s32[] parameter(0)
      b = s32[] parameter(1)
      ROOT s = s32[] add(a, b)
    }
    ENTRY main {
      x = s32[2,3] constant({{1, 2, 3}, {4, 5, 6}})
      z = s32[] constant(0)
      t = s32[3,2] transpose(x), dimensions={1,0}
      ROOT r = s32[3] reduce(t, z), dimensions={1}, to_apply=sum
    })",
                R"(
    sum {
      a = s32[] parameter(0)
      b = s32[] parameter(1)
      ROOT s = s32[] add(a, b)
    }
    ENTRY main {
      ROOT constant.1 = s32[3] constant({5, 7, 9})
    })");
}

TEST(FoldConstantsTest, LargeResultsAndElidedValuesStay) {
  ExpectUnchanged(kPass, R"(
    a = f32[20] constant({...})
    b = f32[20] negate(a)
    ROOT t = (f32[20], f32[20]) tuple(a, b))");
}

}  // namespace
}  // namespace astitch
