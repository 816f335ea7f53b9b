// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// simplify-tuples: tuples that are built only to be opened.
#include "tests/passes/pass_test_util.h"

namespace astitch {
namespace {

constexpr char kPass[] = "simplify-tuples";

TEST(SimplifyTuplesTest, ChangesNothing) {
  ExpectUnchanged(kPass, R"(
    p = (f32[2], s32[]) parameter(0)
    a = f32[2] get-tuple-element(p), index=0
    b = s32[] get-tuple-element(p), index=1
    ROOT swapped = (s32[], f32[2]) tuple(b, a))");
}

TEST(SimplifyTuplesTest, ElementOfATupleIsTheElement) {
  ExpectRewrite(kPass, R"(
    x = f32[2] parameter(0)
    y = s32[] parameter(1)
    t = (f32[2], s32[]) tuple(x, y)
    u = ((f32[2], s32[]), s32[]) tuple(t, y)
    v = (f32[2], s32[]) get-tuple-element(u), index=0
    g = f32[2] get-tuple-element(v), index=0
    ROOT n = f32[2] negate(g))",
                R"(
    x = f32[2] parameter(0)
    y = s32[] parameter(1)
    ROOT n = f32[2] negate(x))");
}

TEST(SimplifyTuplesTest, CopyOfATupleIsTheTuple) {
  ExpectRewrite(kPass, R"(
    p = (f32[2], s32[]) parameter(0)
    a = f32[2] get-tuple-element(p), index=0
    b = s32[] get-tuple-element(p), index=1
    t = (f32[2], s32[]) tuple(a, b)
    ROOT u = ((f32[2], s32[]), f32[2]) tuple(t, a))",
                R"(
    p = (f32[2], s32[]) parameter(0)
    a = f32[2] get-tuple-element(p), index=0
    ROOT u = ((f32[2], s32[]), f32[2]) tuple(p, a))");
}

TEST(SimplifyTuplesTest, ElementsOfAConstantAreConstants) {
  ExpectRewrite(kPass, R"(
    p = (f32[2], (s32[], pred[])) constant(({1, 2}, (3, true)))
    q = (s32[], pred[]) get-tuple-element(p), index=1
    b = pred[] get-tuple-element(q), index=1
    a = f32[2] get-tuple-element(p), index=0
    ROOT u = (pred[], f32[2]) tuple(b, a))",
                R"(
    constant.1 = pred[] constant(true)
    constant.2 = f32[2] constant({1, 2})
    ROOT u = (pred[], f32[2]) tuple(constant.1, constant.2))");
}

TEST(SimplifyTuplesTest, PartOfATupleIsNotTheTuple) {
  ExpectUnchanged(kPass, R"(
    p = (f32[2], s32[], f32[2]) parameter(0)
    a = f32[2] get-tuple-element(p), index=0
    b = s32[] get-tuple-element(p), index=1
    ROOT t = (f32[2], s32[]) tuple(a, b))");
}

}  // namespace
}  // namespace astitch
