// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// fold-slice: pieces and joins.
#include "tests/passes/pass_test_util.h"

namespace astitch {
namespace {

constexpr char kPass[] = "fold-slice";

TEST(FoldSliceTest, ChangesNothing) {
  ExpectUnchanged(kPass, R"(
    x = f32[8] parameter(0)
    z = f32[] parameter(1)
    i = s32[] parameter(2)
    a = f32[3] slice(x), slice={[1:6:2]}
    b = f32[4] dynamic-slice(x, i), dynamic_slice_sizes={4}
    c = f32[7] concatenate(a, b), dimensions={0}
    d = f32[8] pad(c, z), padding=1_0
    ROOT e = f32[8] reverse(d), dimensions={0})");
}

TEST(FoldSliceTest, WhatTakesEverythingIsTheOperand) {
  ExpectRewrite(kPass, R"(
    x = f32[8,1] parameter(0)
    z = f32[] parameter(1)
    a = f32[8,1] slice(x), slice={[0:8], [0:1]}
    b = f32[8,1] pad(a, z), padding=0_0x0_0
    c = f32[8,1] concatenate(b), dimensions={0}
    d = f32[8,1] reverse(c), dimensions={1}
    ROOT n = f32[8,1] negate(d))",
                R"(
    x = f32[8,1] parameter(0)
    z = f32[] parameter(1)
    ROOT n = f32[8,1] negate(x))");
}

TEST(FoldSliceTest, MergesSlicesWithTheirStrides) {
  ExpectRewrite(kPass, R"(
    x = f32[32] parameter(0)
    a = f32[10] slice(x), slice={[1:30:3]}
    ROOT b = f32[4] slice(a), slice={[2:9:2]})",
                R"(
    x = f32[32] parameter(0)
    ROOT b.1 = f32[4] slice(x), slice={[7:26:6]})");
}

TEST(FoldSliceTest, SliceOfConcatenateReadsItsPiece) {
  ExpectRewrite(kPass, R"(
    x = f32[4] parameter(0)
    y = f32[6] parameter(1)
    c = f32[10] concatenate(x, y), dimensions={0}
    ROOT s = f32[3] slice(c), slice={[5:8]})",
                R"(
    x = f32[4] parameter(0)
    y = f32[6] parameter(1)
    ROOT s.1 = f32[3] slice(y), slice={[1:4]})");
}

TEST(FoldSliceTest, SliceAcrossTwoPiecesStays) {
  ExpectUnchanged(kPass, R"(
    x = f32[4] parameter(0)
    y = f32[6] parameter(1)
    c = f32[10] concatenate(x, y), dimensions={0}
    ROOT s = f32[3] slice(c), slice={[3:6]})");
}

TEST(FoldSliceTest, JoinsAdjacentPiecesAgain) {
  ExpectRewrite(kPass, R"(
    x = f32[8,2] parameter(0)
    a = f32[3,2] slice(x), slice={[0:3], [0:2]}
    b = f32[5,2] slice(x), slice={[3:8], [0:2]}
    c = f32[8,2] concatenate(a, b), dimensions={0}
    ROOT n = f32[8,2] negate(c))",
                R"(
    x = f32[8,2] parameter(0)
    ROOT n = f32[8,2] negate(x))");
}

TEST(FoldSliceTest, SwappedHalvesStay) {
  ExpectUnchanged(kPass, R"(
    x = f32[8] parameter(0)
    a = f32[4] slice(x), slice={[0:4]}
    b = f32[4] slice(x), slice={[4:8]}
    ROOT c = f32[8] concatenate(b, a), dimensions={0})");
}

TEST(FoldSliceTest, DropsEmptyPieces) {
  ExpectRewrite(kPass, R"(
    x = f32[4] parameter(0)
    e = f32[0] parameter(1)
    y = f32[6] parameter(2)
    ROOT c = f32[10] concatenate(x, e, y), dimensions={0})",
                R"(
    x = f32[4] parameter(0)
    e = f32[0] parameter(1)
    y = f32[6] parameter(2)
    ROOT c.1 = f32[10] concatenate(x, y), dimensions={0})");
}

TEST(FoldSliceTest, PadThatOnlyCropsIsASlice) {
  ExpectRewrite(kPass, R"(
    x = f32[8] parameter(0)
    z = f32[] parameter(1)
    ROOT p = f32[5] pad(x, z), padding=-1_-2)",
                R"(
    x = f32[8] parameter(0)
    z = f32[] parameter(1)
    ROOT slice = f32[5] slice(x), slice={[1:6]})");
}

TEST(FoldSliceTest, ConstantDynamicSliceIsClamped) {
  ExpectRewrite(kPass, R"(
    x = f32[8,4] parameter(0)
    i = s32[] constant(7)
    j = s32[] constant(-3)
    ROOT d = f32[3,2] dynamic-slice(x, i, j), dynamic_slice_sizes={3,2})",
                R"(
    x = f32[8,4] parameter(0)
    ROOT slice = f32[3,2] slice(x), slice={[5:8], [0:2]})");
}

TEST(FoldSliceTest, UnsignedIndexAboveTheSignedRangeIsLarge) {
  ExpectRewrite(kPass, R"(
    x = f32[8] parameter(0)
    i = u64[] constant(18446744073709551615)
    ROOT d = f32[3] dynamic-slice(x, i), dynamic_slice_sizes={3})",
                R"(
    x = f32[8] parameter(0)
    ROOT slice = f32[3] slice(x), slice={[5:8]})");
}

TEST(FoldSliceTest, UpdateOfEverythingIsTheUpdate) {
  ExpectRewrite(kPass, R"(
    x = f32[8] parameter(0)
    u = f32[8] parameter(1)
    i = s32[] parameter(2)
    d = f32[8] dynamic-update-slice(x, u, i)
    ROOT n = f32[8] negate(d))",
                R"(
    x = f32[8] parameter(0)
    u = f32[8] parameter(1)
    i = s32[] parameter(2)
    ROOT n = f32[8] negate(u))");
}

}  // namespace
}  // namespace astitch
