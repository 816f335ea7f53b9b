// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// unroll-loops: the same values and no loop left, or the loop as it was.
#include "tests/passes/value_test_util.h"

namespace astitch {
namespace {

constexpr char kPass[] = "unroll-loops";

// A loop over (counter, f32[3] doubled, f32[3] as it was); COUNTER: how it starts, is tested, moves.
struct Counted {
  const char *type, *first, *test, *step;
};

std::string LoopOf(const Counted& counter) {
  return absl::StrCat(
      "below { s = (", counter.type, "[], f32[3], f32[3]) parameter(0) i = ", counter.type,
      "[] get-tuple-element(s), index=0 ", counter.test, " }\n", "twice { s = (", counter.type,
      "[], f32[3], f32[3]) parameter(0) i = ", counter.type, "[] get-tuple-element(s), index=0\n",
      "x = f32[3] get-tuple-element(s), index=1\n", "y = f32[3] get-tuple-element(s), index=2\n",
      counter.step, "\nf = f32[] convert(i) b = f32[3] broadcast(f), dimensions={}\n",
      "d = f32[3] add(x, x) e = f32[3] add(d, b)\n", "ROOT r = (", counter.type,
      "[], f32[3], f32[3]) tuple(n, e, y) }\n", "ENTRY main {\nz = ", counter.type, "[] constant(",
      counter.first, ")\nx = f32[3] constant({1,2,3})\nt = (", counter.type,
      "[], f32[3], f32[3]) tuple(z, x, x)\nROOT w = (", counter.type,
      "[], f32[3], f32[3]) while(t), condition=below, body=twice }\n");
}

TEST(UnrollLoops, CountersOfEveryKind) {
  const Counted kCounters[] = {
      {"s32", "0", "n = s32[] constant(4) ROOT c = pred[] compare(i, n), direction=LT",
       "o = s32[] constant(1) n = s32[] add(i, o)"},
      {"s64", "9", "n = s64[] constant(3) ROOT c = pred[] compare(n, i), direction=LE",
       "o = s64[] constant(2) n = s64[] subtract(i, o)"},
      {"u8", "250", "n = u8[] constant(2) ROOT c = pred[] compare(i, n), direction=NE",
       "o = u8[] constant(4) n = u8[] add(o, i)"},
      {"s8", "3", "n = s8[] constant(-3) ROOT c = pred[] compare(i, n), direction=GT",
       "o = s8[] constant(-1) n = s8[] add(i, o)"},
      {"s32", "7", "n = s32[] constant(7) ROOT c = pred[] compare(i, n), direction=LT",
       "o = s32[] constant(1) n = s32[] add(i, o)"},
  };
  for (const Counted& counter : kCounters) ExpectSameWithout("while", kPass, LoopOf(counter));
}

TEST(UnrollLoops, LoopsThatNobodyCanCountOrThatTurnForLongStay) {
  const Counted kCounters[] = {
      {"s32", "0", "n = s32[] constant(4000) ROOT c = pred[] compare(i, n), direction=LT",
       "o = s32[] constant(1) n = s32[] add(i, o)"},
      {"s32", "0", "n = s32[] constant(4) ROOT c = pred[] compare(i, n), direction=LT",
       "o = s32[] constant(0) n = s32[] add(i, o)"},
      {"s32", "1", "n = s32[] constant(4) ROOT c = pred[] compare(i, n), direction=LT",
       "n = s32[] add(i, i)"},
      {"f32", "0", "n = f32[] constant(4) ROOT c = pred[] compare(i, n), direction=LT",
       "o = f32[] constant(1) n = f32[] add(i, o)"},
      {"s32", "0", "n = s32[] add(i, i) ROOT c = pred[] compare(i, n), direction=LT",
       "o = s32[] constant(1) n = s32[] add(i, o)"},
  };
  for (const Counted& counter : kCounters) ExpectUnchanged(kPass, LoopOf(counter));
}

constexpr absl::string_view kNested = R"(
inner_below { s = (s32[], f32[2]) parameter(0) i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3) ROOT c = pred[] compare(i, n), direction=LT }
inner { s = (s32[], f32[2]) parameter(0) i = s32[] get-tuple-element(s), index=0
  x = f32[2] get-tuple-element(s), index=1 o = s32[] constant(1) n = s32[] add(i, o)
  y = f32[2] add(x, x) ROOT r = (s32[], f32[2]) tuple(n, y) }
outer_below { s = (f32[2], s32[]) parameter(0) i = s32[] get-tuple-element(s), index=1
  n = s32[] constant(2) ROOT c = pred[] compare(i, n), direction=LT }
outer { s = (f32[2], s32[]) parameter(0) i = s32[] get-tuple-element(s), index=1
  x = f32[2] get-tuple-element(s), index=0 z = s32[] constant(0) o = s32[] constant(1)
  n = s32[] add(i, o) t = (s32[], f32[2]) tuple(z, x)
  w = (s32[], f32[2]) while(t), condition=inner_below, body=inner
  y = f32[2] get-tuple-element(w), index=1 m = f32[2] negate(y)
  ROOT r = (f32[2], s32[]) tuple(m, n) }
ENTRY main { x = f32[2] constant({1,2}) z = s32[] constant(0) t = (f32[2], s32[]) tuple(x, z)
  w = (f32[2], s32[]) while(t), condition=outer_below, body=outer
  v = (f32[2], s32[]) tuple(x, z) u = (f32[2], s32[]) while(v), condition=outer_below, body=outer
  a = f32[2] get-tuple-element(w), index=0 b = f32[2] get-tuple-element(u), index=0
  ROOT r = f32[2] add(a, b) })";

TEST(UnrollLoops, InnerLoopsFirst) { ExpectSameWithout("while", kPass, kNested, "{128, 256}"); }

// The state moves between elements from turn to turn, and one turn reads all of it.
TEST(UnrollLoops, StateThatTradesPlaces) {
  ExpectSameWithout("while", kPass, R"(
below { s = (s32[], f32[], f32[]) parameter(0) i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3) ROOT c = pred[] compare(i, n), direction=LT }
trade { s = (s32[], f32[], f32[]) parameter(0) i = s32[] get-tuple-element(s), index=0
  t = ((s32[], f32[], f32[]), s32[]) tuple(s, i)
  p = (s32[], f32[], f32[]) get-tuple-element(t), index=0
  x = f32[] get-tuple-element(p), index=1 y = f32[] get-tuple-element(s), index=2
  o = s32[] constant(1) n = s32[] add(i, o) ROOT r = (s32[], f32[], f32[]) tuple(n, y, x) }
ENTRY main { z = s32[] constant(0) x = f32[] constant(1) y = f32[] constant(2)
  t = (s32[], f32[], f32[]) tuple(z, x, y)
  ROOT w = (s32[], f32[], f32[]) while(t), condition=below, body=trade })",
                    "( 3, 2, 1 )");
}

TEST(UnrollLoops, ABodyThatNeedsAStepOfItsOwnStays) {
  ExpectUnchanged(kPass, R"(
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = pred[] compare(a, b), direction=LT }
below { s = (s32[], f32[4]) parameter(0) i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(3) ROOT c = pred[] compare(i, n), direction=LT }
sorts { s = (s32[], f32[4]) parameter(0) i = s32[] get-tuple-element(s), index=0
  x = f32[4] get-tuple-element(s), index=1 o = s32[] constant(1) n = s32[] add(i, o)
  y = f32[4] sort(x), dimensions={0}, to_apply=less ROOT r = (s32[], f32[4]) tuple(n, y) }
ENTRY main { z = s32[] constant(0) x = f32[4] parameter(0) t = (s32[], f32[4]) tuple(z, x)
  ROOT w = (s32[], f32[4]) while(t), condition=below, body=sorts })");
}

}  // namespace
}  // namespace astitch
