// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// hoist-broadcast: elementwise work moves in front of the broadcast.
#include "tests/passes/pass_test_util.h"

namespace astitch {
namespace {

constexpr char kPass[] = "hoist-broadcast";

TEST(HoistBroadcastTest, ChangesNothing) {
  ExpectUnchanged(kPass, R"(
    x = f32[6,40] parameter(0)
    r = f32[6] parameter(1)
    c = f32[40] parameter(2)
    rows = f32[6,40] broadcast(r), dimensions={0}
    columns = f32[6,40] broadcast(c), dimensions={1}
    a = f32[6,40] add(rows, columns)
    ROOT m = f32[6,40] multiply(x, a))");
}

TEST(HoistBroadcastTest, UnaryWorkIsDoneOnceARow) {
  ExpectRewrite(kPass, R"(
    r = f32[6] parameter(0)
    rows = f32[6,40] broadcast(r), dimensions={0}
    ROOT q = f32[6,40] rsqrt(rows))",
                R"(
    r = f32[6] parameter(0)
    q.1 = f32[6] rsqrt(r)
    ROOT broadcast = f32[6,40] broadcast(q.1), dimensions={0})");
}

TEST(HoistBroadcastTest, AChainMovesInOneRun) {
  ExpectRewrite(kPass, R"(
    r = f32[6] parameter(0)
    e = f32[] constant(1e-05)
    rows = f32[6,40] broadcast(r), dimensions={0}
    es = f32[6,40] broadcast(e), dimensions={}
    a = f32[6,40] add(rows, es)
    q = f32[6,40] rsqrt(a)
    ROOT c = bf16[6,40] convert(q))",
                R"(
    r = f32[6] parameter(0)
    e = f32[] constant(1e-05)
    broadcast = f32[6] broadcast(e), dimensions={}
    a.1 = f32[6] add(r, broadcast)
    q.1 = f32[6] rsqrt(a.1)
    c.1 = bf16[6] convert(q.1)
    ROOT broadcast.3 = bf16[6,40] broadcast(c.1), dimensions={0})");
}

TEST(HoistBroadcastTest, AddedOnesCountAsABroadcast) {
  ExpectRewrite(kPass, R"(
    r = f32[6] parameter(0)
    s = f32[] parameter(1)
    rows = f32[6,1] reshape(r)
    ss = f32[6,1] broadcast(s), dimensions={}
    ROOT d = f32[6,1] divide(rows, ss))",
                R"(
    r = f32[6] parameter(0)
    s = f32[] parameter(1)
    broadcast = f32[6] broadcast(s), dimensions={}
    d.1 = f32[6] divide(r, broadcast)
    ROOT reshape = f32[6,1] reshape(d.1))");
}

TEST(HoistBroadcastTest, ScalarsBecomeScalarWork) {
  ExpectRewrite(kPass, R"(
    a = f32[] parameter(0)
    b = f32[] parameter(1)
    as = f32[6] broadcast(a), dimensions={}
    bs = f32[6] broadcast(b), dimensions={}
    ROOT c = pred[6] compare(as, bs), direction=LT)",
                R"(
    a = f32[] parameter(0)
    b = f32[] parameter(1)
    c.1 = pred[] compare(a, b), direction=LT
    ROOT broadcast = pred[6] broadcast(c.1), dimensions={})");
}

TEST(HoistBroadcastTest, ScalarPredicateOfSelectStaysScalar) {
  ExpectRewrite(kPass, R"(
    p = pred[] parameter(0)
    a = f32[6] parameter(1)
    b = f32[] parameter(2)
    as = f32[6,40] broadcast(a), dimensions={0}
    bs = f32[6,40] broadcast(b), dimensions={}
    ROOT s = f32[6,40] select(p, as, bs))",
                R"(
    p = pred[] parameter(0)
    a = f32[6] parameter(1)
    b = f32[] parameter(2)
    broadcast = f32[6] broadcast(b), dimensions={}
    s.1 = f32[6] select(p, a, broadcast)
    ROOT broadcast.1 = f32[6,40] broadcast(s.1), dimensions={0})");
}

}  // namespace
}  // namespace astitch
