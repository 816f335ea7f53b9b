// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// canonicalize-constants: equal elements are a broadcast scalar.
#include "tests/passes/pass_test_util.h"

namespace astitch {
namespace {

constexpr char kPass[] = "canonicalize-constants";

TEST(CanonicalizeConstantsTest, ChangesNothing) {
  ExpectUnchanged(kPass, R"(
    a = f32[2] constant({1, 2})
    b = f32[2] constant({0, -0})
    c = f32[] constant(1)
    d = f32[0] constant({})
    e = f32[20] constant({...})
    ROOT t = (f32[2], f32[2], f32[], f32[0], f32[20]) tuple(a, b, c, d, e))");
}

TEST(CanonicalizeConstantsTest, EqualElementsBecomeABroadcast) {
  ExpectRewrite(kPass, R"(
    ROOT a = s8[2,2] constant({{3, 3}, {3, 3}}))",
                R"(
    a.1 = s8[] constant(3)
    ROOT broadcast = s8[2,2] broadcast(a.1), dimensions={})");
}

TEST(CanonicalizeConstantsTest, EqualNansAreEqual) {
  ExpectRewrite(kPass, R"(
    ROOT a = f32[2] constant({nan, nan}))",
                R"(
    a.1 = f32[] constant(nan)
    ROOT broadcast = f32[2] broadcast(a.1), dimensions={})");
}

TEST(CanonicalizeConstantsTest, OneElementBecomesAReshape) {
  ExpectRewrite(kPass, R"(
    ROOT a = f32[1,1] constant({{2}}))",
                R"(
    a.1 = f32[] constant(2)
    ROOT reshape = f32[1,1] reshape(a.1))");
}

}  // namespace
}  // namespace astitch
