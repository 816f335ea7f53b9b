// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// fold-broadcast: one canonical broadcast from the smallest source.
#include "tests/passes/pass_test_util.h"

namespace astitch {
namespace {

constexpr char kPass[] = "fold-broadcast";

TEST(FoldBroadcastTest, ChangesNothing) {
  ExpectUnchanged(kPass, R"(
    x = f32[6,3] parameter(0)
    b = f32[6,40,3] broadcast(x), dimensions={0,2}
    ROOT mixed = f32[240,3] reshape(b))");
}

TEST(FoldBroadcastTest, KeepdimsChainIsOneBroadcast) {
  ExpectRewrite("simplify", R"(
    sum = f32[6] parameter(0)
    a = f32[6,1] reshape(sum)
    b = f32[6,1] broadcast(a), dimensions={0,1}
    c = f32[6] reshape(b)
    ROOT d = f32[6,40] broadcast(c), dimensions={0})",
                R"(
    sum = f32[6] parameter(0)
    ROOT d = f32[6,40] broadcast(sum), dimensions={0})");
}

TEST(FoldBroadcastTest, MergesBroadcastOfBroadcast) {
  ExpectRewrite(kPass, R"(
    x = f32[3] parameter(0)
    a = f32[6,3] broadcast(x), dimensions={1}
    ROOT b = f32[6,5,3] broadcast(a), dimensions={0,2})",
                R"(
    x = f32[3] parameter(0)
    ROOT b.1 = f32[6,5,3] broadcast(x), dimensions={2})");
}

TEST(FoldBroadcastTest, DropsDimensionsOfSizeOneFromTheSource) {
  ExpectRewrite(kPass, R"(
    x = f32[6,1,3] parameter(0)
    ROOT b = f32[6,1,40,3] broadcast(x), dimensions={0,1,3})",
                R"(
    x = f32[6,1,3] parameter(0)
    reshape = f32[6,3] reshape(x)
    ROOT b.1 = f32[6,1,40,3] broadcast(reshape), dimensions={0,3})");
}

TEST(FoldBroadcastTest, AddingOnlyOnesIsAReshape) {
  ExpectRewrite(kPass, R"(
    x = f32[6,3] parameter(0)
    ROOT b = f32[1,6,1,3] broadcast(x), dimensions={1,3})",
                R"(
    x = f32[6,3] parameter(0)
    ROOT reshape = f32[1,6,1,3] reshape(x))");
}

TEST(FoldBroadcastTest, SameShapeIsTheOperand) {
  ExpectRewrite(kPass, R"(
    x = f32[6,3] parameter(0)
    b = f32[6,3] broadcast(x), dimensions={0,1}
    ROOT n = f32[6,3] negate(b))",
                R"(
    x = f32[6,3] parameter(0)
    ROOT n = f32[6,3] negate(x))");
}

TEST(FoldBroadcastTest, PermutingBroadcastTransposesTheSmallSide) {
  ExpectRewrite(kPass, R"(
    x = f32[3,6] parameter(0)
    ROOT b = f32[6,40,3] broadcast(x), dimensions={2,0})",
                R"(
    x = f32[3,6] parameter(0)
    transpose = f32[6,3] transpose(x), dimensions={1,0}
    ROOT b.1 = f32[6,40,3] broadcast(transpose), dimensions={0,2})");
}

TEST(FoldBroadcastTest, TransposeOfBroadcastIsABroadcast) {
  ExpectRewrite(kPass, R"(
    x = f32[6] parameter(0)
    b = f32[6,40] broadcast(x), dimensions={0}
    ROOT t = f32[40,6] transpose(b), dimensions={1,0})",
                R"(
    x = f32[6] parameter(0)
    ROOT broadcast = f32[40,6] broadcast(x), dimensions={1})");
}

TEST(FoldBroadcastTest, ReshapeThatKeepsOldAndNewApartIsABroadcast) {
  ExpectRewrite(kPass, R"(
    x = f32[6,4] parameter(0)
    b = f32[2,5,6,4] broadcast(x), dimensions={2,3}
    ROOT r = f32[10,1,24] reshape(b))",
                R"(
    x = f32[6,4] parameter(0)
    r.1 = f32[24] reshape(x)
    ROOT broadcast = f32[10,1,24] broadcast(r.1), dimensions={2})");
}

TEST(FoldBroadcastTest, SliceOfNewDimensionsIsASmallerBroadcast) {
  ExpectRewrite(kPass, R"(
    x = f32[6] parameter(0)
    b = f32[6,40] broadcast(x), dimensions={0}
    ROOT s = f32[6,4] slice(b), slice={[0:6], [3:7]})",
                R"(
    x = f32[6] parameter(0)
    ROOT broadcast = f32[6,4] broadcast(x), dimensions={0})");
}

TEST(FoldBroadcastTest, SliceOfOldDimensionsStays) {
  ExpectUnchanged(kPass, R"(
    x = f32[6] parameter(0)
    b = f32[6,40] broadcast(x), dimensions={0}
    ROOT s = f32[3,40] slice(b), slice={[0:3], [0:40]})");
}

}  // namespace
}  // namespace astitch
