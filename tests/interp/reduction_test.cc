// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// reduce, reduce-window, select-and-scatter, scan and map.
#include "tests/interp/run_text.h"

namespace astitch {
namespace {

constexpr char kReducers[] = R"(
add_s { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
add_f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
add_b { a = bf16[] parameter(0) b = bf16[] parameter(1) ROOT r = bf16[] add(a, b) }
max_f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }
or_p { a = pred[] parameter(0) b = pred[] parameter(1) ROOT r = pred[] or(a, b) }
max_u { a = u64[] parameter(0) b = u64[] parameter(1) ROOT r = u64[] maximum(a, b) }
digits {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  ten = s32[] constant(10)
  t = s32[] multiply(a, ten)
  ROOT r = s32[] add(t, b)
}
ge { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = pred[] compare(a, b), direction=GE }
gt { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = pred[] compare(a, b), direction=GT }
argmax {
  av = f32[] parameter(0)
  ai = s32[] parameter(1)
  bv = f32[] parameter(2)
  bi = s32[] parameter(3)
  gt = pred[] compare(av, bv), direction=GT
  isnan = pred[] compare(av, av), direction=NE
  keep = pred[] or(gt, isnan)
  eq = pred[] compare(av, bv), direction=EQ
  lt = pred[] compare(ai, bi), direction=LT
  tie = pred[] and(eq, lt)
  first = pred[] or(keep, tie)
  v = f32[] select(keep, av, bv)
  i = s32[] select(first, ai, bi)
  ROOT r = (f32[], s32[]) tuple(v, i)
}
)";

std::string RunEntry(absl::string_view entry) {
  return ValueText(RunText(absl::StrCat(kReducers, "ENTRY e {\n", entry, "\n}\n")));
}

TEST(Reduce, OverNothingGivesInit) {
  EXPECT_EQ(RunEntry("x = s32[2,0] constant({{}, {}}) i = s32[] constant(5) "
                     "ROOT r = s32[2] reduce(x, i), dimensions={1}, to_apply=add_s"),
            "{5, 5}");
  EXPECT_EQ(RunEntry("x = s32[0,3] constant({}) i = s32[] constant(5) "
                     "ROOT r = s32[0] reduce(x, i), dimensions={1}, to_apply=add_s"),
            "{}");
}

TEST(Reduce, FoldsInRowMajorOrderFromInit) {
  EXPECT_EQ(RunEntry("x = s32[4] constant({1, 2, 3, 4}) i = s32[] constant(7) "
                     "ROOT r = s32[] reduce(x, i), dimensions={0}, to_apply=digits"),
            "71234");
  EXPECT_EQ(RunEntry("x = s32[2,2,2] constant({{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}}) "
                     "i = s32[] constant(0) "
                     "ROOT r = s32[2] reduce(x, i), dimensions={0,2}, to_apply=digits"),
            "{1256, 3478}");
}

TEST(Reduce, WithoutDimensionsAppliesTheReducerOnce) {
  EXPECT_EQ(RunEntry("x = s32[2] constant({1, 2}) i = s32[] constant(9) "
                     "ROOT r = s32[2] reduce(x, i), dimensions={}, to_apply=digits"),
            "{91, 92}");
}

TEST(Reduce, ManyOutputsAndFewAgree) {
  // 40 columns fill lanes, 3 do not; both sum k over 100 rows of equal elements.
  for (const int columns : {3, 40}) {
    const std::string shape = absl::StrCat("[100,", columns, "]");
    const absl::StatusOr<Literal> result = RunText(absl::StrCat(
        kReducers, "ENTRY e { x = s32", shape, " iota(), iota_dimension=0 z = s32[] constant(1) ",
        "ROOT r = s32[", columns, "] reduce(x, z), dimensions={0}, to_apply=add_s }"));
    ASSERT_TRUE(result.ok()) << result.status();
    for (const int32_t sum : result->data<int32_t>()) EXPECT_EQ(sum, 4951);
  }
}

TEST(Reduce, NarrowFloatsAccumulateWide) {
  // In bf16 the sum would stop at 256.
  EXPECT_EQ(RunEntry("one = bf16[] constant(1) x = bf16[4096] broadcast(one), dimensions={} "
                     "z = bf16[] constant(0) "
                     "ROOT r = bf16[] reduce(x, z), dimensions={0}, to_apply=add_b"),
            "4096");
  EXPECT_EQ(
      RunEntry("one = bf16[] constant(1) x = bf16[4096,50] broadcast(one), dimensions={} "
               "z = bf16[] constant(0) y = bf16[50] reduce(x, z), dimensions={0}, to_apply=add_b "
               "ROOT r = bf16[1] slice(y), slice={[49:50]}"),
      "{4096}");
}

TEST(Reduce, SumsOfFloatsRoundOnce) {
  EXPECT_EQ(RunEntry("x = f32[4] constant({16777216, 1, 1, 1}) z = f32[] constant(0) "
                     "ROOT r = f32[] reduce(x, z), dimensions={0}, to_apply=add_f"),
            "16777220");
}

TEST(Reduce, MaximumKeepsNanAndNegativeZero) {
  EXPECT_EQ(RunEntry("x = f32[2,3] constant({{1, nan, 3}, {-0, -5, -0}}) z = f32[] constant(-inf) "
                     "ROOT r = f32[2] reduce(x, z), dimensions={1}, to_apply=max_f"),
            "{nan, -0}");
  EXPECT_EQ(RunEntry("x = u64[2] constant({1, 18446744073709551615}) z = u64[] constant(0) "
                     "ROOT r = u64[] reduce(x, z), dimensions={0}, to_apply=max_u"),
            "18446744073709551615");
  EXPECT_EQ(RunEntry("x = pred[3] constant({0, 1, 0}) z = pred[] constant(false) "
                     "ROOT r = pred[] reduce(x, z), dimensions={0}, to_apply=or_p"),
            "true");
}

TEST(Reduce, ArgmaxFindsTheFirstMaximumAndTheFirstNan) {
  EXPECT_EQ(
      RunEntry(
          "x = f32[3,4] constant({{1, 7, 7, 2}, {1, nan, 9, nan}, {-inf, -inf, -inf, -inf}}) "
          "i = s32[3,4] iota(), iota_dimension=1 lo = f32[] constant(-inf) z = s32[] constant(0) "
          "ROOT r = (f32[3], s32[3]) reduce(x, i, lo, z), dimensions={1}, to_apply=argmax"),
      "( {7, nan, -inf}, {1, 1, 0} )");
}

TEST(Reduce, AReducerWithALoopIsInterpreted) {
  EXPECT_EQ(ValueText(RunText(R"(
twice_cond { s = (s32[], s32[]) parameter(0) i = s32[] get-tuple-element(s), index=0
  two = s32[] constant(2) ROOT r = pred[] compare(i, two), direction=LT }
twice_body { s = (s32[], s32[]) parameter(0) i = s32[] get-tuple-element(s), index=0
  x = s32[] get-tuple-element(s), index=1 one = s32[] constant(1)
  n = s32[] add(i, one) d = s32[] add(x, x) ROOT r = (s32[], s32[]) tuple(n, d) }
f { a = s32[] parameter(0) b = s32[] parameter(1) z = s32[] constant(0)
  s = (s32[], s32[]) tuple(z, b) w = (s32[], s32[]) while(s), condition=twice_cond, body=twice_body
  four = s32[] get-tuple-element(w), index=1 ROOT r = s32[] add(a, four) }
ENTRY e { x = s32[3] constant({1, 2, 3}) z = s32[] constant(0)
  ROOT r = s32[] reduce(x, z), dimensions={0}, to_apply=f })")),
            "24");
}

TEST(ReduceWindow, InitEntersOncePerWindowAndPaddingIsSkipped) {
  EXPECT_EQ(
      RunEntry("x = s32[4] constant({1, 2, 3, 4}) i = s32[] constant(100) "
               "ROOT r = s32[4] reduce-window(x, i), window={size=3 pad=1_1}, to_apply=add_s"),
      "{103, 106, 109, 107}");
  EXPECT_EQ(RunEntry("x = s32[] constant(4) i = s32[] constant(7) "
                     "ROOT r = s32[] reduce-window(x, i), to_apply=digits"),
            "74");
}

TEST(ReduceWindow, SizesAndDilationsAreAsDefined) {
  EXPECT_EQ(RunEntry("x = s32[5] constant({1, 2, 3, 4, 5}) i = s32[] constant(0) ROOT r = s32[3] "
                     "reduce-window(x, i), window={size=3 stride=2 pad=1_1}, to_apply=digits"),
            "{12, 234, 45}");
  EXPECT_EQ(RunEntry("x = s32[4] constant({1, 2, 3, 4}) i = s32[] constant(0) ROOT r = s32[6] "
                     "reduce-window(x, i), window={size=2 lhs_dilate=2}, to_apply=digits"),
            "{1, 2, 2, 3, 3, 4}");
  EXPECT_EQ(
      RunEntry("x = s32[6] constant({1, 2, 3, 4, 5, 6}) i = s32[] constant(0) ROOT r = s32[2] "
               "reduce-window(x, i), window={size=2 stride=2 pad=-1_1 rhs_dilate=2}, "
               "to_apply=digits"),
      "{24, 46}");
  EXPECT_EQ(RunEntry("x = s32[3] constant({1, 2, 3}) i = s32[] constant(0) ROOT r = s32[0] "
                     "reduce-window(x, i), window={size=5}, to_apply=add_s"),
            "{}");
}

TEST(ReduceWindow, RunningFoldsFromEitherEnd) {
  const auto run = [](absl::string_view pad, absl::string_view reducer) {
    return RunEntry(absl::StrCat("x = s32[2,3] constant({{1, 2, 3}, {4, 5, 6}}) ",
                                 "i = s32[] constant(9) ROOT r = s32[2,3] reduce-window(x, i), ",
                                 "window={size=1x3 pad=0_0x", pad, "}, to_apply=", reducer));
  };
  EXPECT_EQ(run("2_0", "add_s"), "{ { 10, 12, 15 }, { 13, 18, 24 } }");
  EXPECT_EQ(run("0_2", "add_s"), "{ { 15, 14, 12 }, { 24, 20, 15 } }");
  EXPECT_EQ(run("2_0", "digits"), "{ { 91, 912, 9123 }, { 94, 945, 9456 } }");
  EXPECT_EQ(run("0_2", "digits"), "{ { 9123, 923, 93 }, { 9456, 956, 96 } }");
}

TEST(ReduceWindow, SeveralArraysFoldTogether) {
  EXPECT_EQ(RunEntry("x = f32[4] constant({1, 5, 5, 2}) i = s32[4] iota(), iota_dimension=0 "
                     "lo = f32[] constant(-inf) z = s32[] constant(0) ROOT r = (f32[3], s32[3]) "
                     "reduce-window(x, i, lo, z), window={size=2}, to_apply=argmax"),
            "( {5, 5, 5}, {1, 1, 2} )");
}

TEST(SelectAndScatter, TheComparisonBreaksTies) {
  const auto run = [](absl::string_view select) {
    return RunEntry(absl::StrCat(
        "x = s32[4] constant({3, 3, 1, 2}) s = s32[2] constant({10, 20}) z = s32[] constant(0) "
        "ROOT r = s32[4] select-and-scatter(x, s, z), window={size=2 stride=2}, select=",
        select, ", scatter=add_s"));
  };
  EXPECT_EQ(run("ge"), "{10, 0, 0, 20}");
  EXPECT_EQ(run("gt"), "{0, 10, 0, 20}");
  EXPECT_EQ(RunEntry("x = s32[4] constant({-3, -1, -2, -5}) s = s32[4] constant({1, 2, 4, 8}) "
                     "z = s32[] constant(0) ROOT r = s32[4] select-and-scatter(x, s, z), "
                     "window={size=3 pad=1_1}, select=ge, scatter=add_s"),
            "{0, 7, 8, 0}");
}

TEST(Scan, StacksOutputsAndCarriesOn) {
  const auto run = [](absl::string_view extra) {
    return ValueText(RunText(absl::StrCat(R"(
f { x = s32[] parameter(0) c = s32[] parameter(1) d = s32[] subtract(x, c) t = s32[] add(x, x)
  ROOT r = (s32[], s32[]) tuple(d, t) }
ENTRY e { x = s32[4] constant({1, 2, 3, 4}) c = s32[] constant(10)
  ROOT r = (s32[4], s32[]) scan(x, c), dimensions={0}, num_carries=1, )",
                                          extra, "is_associative=false, to_apply=f }")));
  };
  EXPECT_EQ(run(""), "( {-9, 0, -1, -2}, 8 )");
  EXPECT_EQ(run("is_reverse=true, "), "( {-3, -4, -5, -6}, 2 )");
}

TEST(Map, AppliesTheComputationToEachElement) {
  EXPECT_EQ(RunEntry("x = s32[3] constant({1, 2, 3}) y = s32[3] constant({4, 5, 6}) "
                     "ROOT r = s32[3] map(x, y), dimensions={0}, to_apply=digits"),
            "{14, 25, 36}");
}

}  // namespace
}  // namespace astitch
