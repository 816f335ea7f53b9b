// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// fold-reshape: reshapes that change nothing, and reshapes of reshapes.
#include "tests/passes/pass_test_util.h"

namespace astitch {
namespace {

constexpr char kPass[] = "fold-reshape";

TEST(FoldReshapeTest, ChangesNothing) {
  ExpectUnchanged(kPass, R"(
    x = f32[8,4] parameter(0)
    ROOT r = f32[32] reshape(x))");
}

TEST(FoldReshapeTest, MergesAChainIntoOne) {
  ExpectRewrite(kPass, R"(
    x = f32[32] parameter(0)
    a = f32[8,4] reshape(x)
    b = f32[4,8] reshape(a)
    ROOT c = f32[2,16] reshape(b))",
                R"(
    x = f32[32] parameter(0)
    ROOT c.1 = f32[2,16] reshape(x))");
}

TEST(FoldReshapeTest, DropsTheRoundTripAndTheNoOp) {
  ExpectRewrite(kPass, R"(
    x = f32[32] parameter(0)
    a = f32[8,4] reshape(x)
    b = f32[32] reshape(a)
    c = f32[32] reshape(b)
    ROOT n = f32[32] negate(c))",
                R"(
    x = f32[32] parameter(0)
    ROOT n = f32[32] negate(x))");
}

TEST(FoldReshapeTest, KeepsTheInnerOneForItsOtherUsers) {
  ExpectRewrite(kPass, R"(
    x = f32[32] parameter(0)
    a = f32[8,4] reshape(x)
    b = f32[4,8] reshape(a)
    ROOT t = (f32[8,4], f32[4,8]) tuple(a, b))",
                R"(
    x = f32[32] parameter(0)
    a = f32[8,4] reshape(x)
    b.1 = f32[4,8] reshape(x)
    ROOT t = (f32[8,4], f32[4,8]) tuple(a, b.1))");
}

}  // namespace
}  // namespace astitch
