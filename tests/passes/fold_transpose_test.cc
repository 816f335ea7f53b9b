// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// fold-transpose: identities, chains, and transposes that move nothing of size.
#include "tests/passes/pass_test_util.h"

namespace astitch {
namespace {

constexpr char kPass[] = "fold-transpose";

TEST(FoldTransposeTest, ChangesNothing) {
  ExpectUnchanged(kPass, R"(
    x = f32[2,3,4] parameter(0)
    ROOT t = f32[4,2,3] transpose(x), dimensions={2,0,1})");
}

TEST(FoldTransposeTest, DropsTheIdentity) {
  ExpectRewrite(kPass, R"(
    x = f32[2,3] parameter(0)
    t = f32[2,3] transpose(x), dimensions={0,1}
    ROOT n = f32[2,3] negate(t))",
                R"(
    x = f32[2,3] parameter(0)
    ROOT n = f32[2,3] negate(x))");
}

TEST(FoldTransposeTest, MergesTwoIntoOne) {
  ExpectRewrite(kPass, R"(
    x = f32[2,3,4] parameter(0)
    a = f32[4,2,3] transpose(x), dimensions={2,0,1}
    ROOT b = f32[2,4,3] transpose(a), dimensions={1,0,2})",
                R"(
    x = f32[2,3,4] parameter(0)
    ROOT b.1 = f32[2,4,3] transpose(x), dimensions={0,2,1})");
}

TEST(FoldTransposeTest, TwoThatCancelDisappear) {
  ExpectRewrite(kPass, R"(
    x = f32[2,3,4] parameter(0)
    a = f32[4,2,3] transpose(x), dimensions={2,0,1}
    b = f32[2,3,4] transpose(a), dimensions={1,2,0}
    ROOT n = f32[2,3,4] negate(b))",
                R"(
    x = f32[2,3,4] parameter(0)
    ROOT n = f32[2,3,4] negate(x))");
}

TEST(FoldTransposeTest, MovingDimensionsOfSizeOneIsAReshape) {
  ExpectRewrite(kPass, R"(
    x = f32[1,4,8] parameter(0)
    ROOT t = f32[4,1,8] transpose(x), dimensions={1,0,2})",
                R"(
    x = f32[1,4,8] parameter(0)
    ROOT reshape = f32[4,1,8] reshape(x))");
}

}  // namespace
}  // namespace astitch
