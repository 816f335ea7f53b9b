// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// nest-reductions: what reductions of the same data have in common is folded first, by all of them.
#include "tests/passes/value_test_util.h"

namespace astitch {
namespace {

constexpr char kPass[] = "nest-reductions";

constexpr absl::string_view kReducers = R"(
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
highest { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }
minus { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] subtract(a, b) }
)";

std::string ModuleOf(absl::string_view body) {
  return absl::StrCat(kReducers, "ENTRY main {\n", body, "\n}\n");
}
void ExpectNested(absl::string_view before, absl::string_view after) {
  ExpectRewrite(kPass, ModuleOf(before), ModuleOf(after));
}
void ExpectLeftAlone(absl::string_view body) { ExpectUnchanged(kPass, ModuleOf(body)); }

TEST(NestReductions, TheOneThatFoldsMoreFoldsTheOthersFirst) {
  ExpectNested(R"(
    x = f32[4,8,64] parameter(0)
    z = f32[] constant(0)
    s = f32[4,8] reduce(x, z), dimensions={2}, to_apply=add
    y = f32[4,8,64] exponential(x)
    c = f32[8] reduce(y, z), dimensions={0,2}, to_apply=add
    ROOT t = (f32[4,8], f32[8]) tuple(s, c))",
               R"(
    x = f32[4,8,64] parameter(0)
    z = f32[] constant(0)
    s = f32[4,8] reduce(x, z), dimensions={2}, to_apply=add
    y = f32[4,8,64] exponential(x)
    c.1 = f32[4,8] reduce(y, z), dimensions={2}, to_apply=add
    c.2 = f32[8] reduce(c.1, z), dimensions={0}, to_apply=add
    ROOT t = (f32[4,8], f32[8]) tuple(s, c.2))");
}

// A group norm: sums of groups of channels, and of channels over the batch.
TEST(NestReductions, BothFoldWhatTheyHaveInCommonThroughReshapes) {
  ExpectNested(R"(
    x = f32[4,64,6] parameter(0)
    z = f32[] constant(0)
    g = f32[4,64,2,3] reshape(x)
    s = f32[4,2] reduce(g, z), dimensions={1,3}, to_apply=add
    c = f32[6] reduce(x, z), dimensions={0,1}, to_apply=add
    ROOT t = (f32[4,2], f32[6]) tuple(s, c))",
               R"(
    x = f32[4,64,6] parameter(0)
    z = f32[] constant(0)
    g = f32[4,64,2,3] reshape(x)
    s.1 = f32[4,2,3] reduce(g, z), dimensions={1}, to_apply=add
    s.2 = f32[4,2] reduce(s.1, z), dimensions={2}, to_apply=add
    reshape = f32[4,64,2,3] reshape(x)
    c.1 = f32[4,2,3] reduce(reshape, z), dimensions={1}, to_apply=add
    reshape.1 = f32[4,6] reshape(c.1)
    c.2 = f32[6] reduce(reshape.1, z), dimensions={0}, to_apply=add
    ROOT t = (f32[4,2], f32[6]) tuple(s.2, c.2))");
}

// Numbers that sums keep exact, so that any order gives the same bits.
TEST(NestReductions, ValuesStayWhatTheyWere) {
  const char* const kBodies[] = {
      R"(
    i = f32[3,32,4,5] iota(), iota_dimension=1
    j = f32[3,32,4,5] iota(), iota_dimension=0
    k = f32[3,32,4,5] iota(), iota_dimension=2
    l = f32[3,32,4,5] iota(), iota_dimension=3
    ij = f32[3,32,4,5] multiply(i, j)
    kl = f32[3,32,4,5] multiply(k, l)
    x = f32[3,32,4,5] subtract(ij, kl)
    y = f32[3,32,20] reshape(x)
    z = f32[] constant(0)
    g = f32[3,4] reduce(x, z), dimensions={1,3}, to_apply=add
    c = f32[20] reduce(y, z), dimensions={0,1}, to_apply=add
    ROOT t = (f32[3,4], f32[20]) tuple(g, c))",
      R"(
    i = f32[6,2,40] iota(), iota_dimension=2
    j = f32[6,2,40] iota(), iota_dimension=0
    x = f32[6,2,40] multiply(i, j)
    y = f32[3,2,2,40] reshape(x)
    z = f32[] constant(0)
    h = f32[] constant(30)
    g = f32[3,2] reduce(y, z), dimensions={1,3}, to_apply=add
    c = f32[2] reduce(x, h), dimensions={0,2}, to_apply=highest
    ROOT t = (f32[3,2], f32[2]) tuple(g, c))",
  };
  for (const char* body : kBodies) {
    SCOPED_TRACE(body);
    const std::unique_ptr<Graph> graph = ParseModule(ModuleOf(body));
    ASSERT_TRUE(graph != nullptr);
    const std::string before = ValueOf(*graph);
    const int64_t size = graph->entry()->size();
    const absl::StatusOr<bool> changed = RunPasses(*graph, {kPass});
    ASSERT_TRUE(changed.ok()) << changed.status();
    EXPECT_TRUE(*changed);
    EXPECT_GT(graph->entry()->size(), size);
    EXPECT_EQ(ValueOf(*graph), before);
  }
}

TEST(NestReductions, AStartValueThatIsFoldedTwiceMustChangeNothing) {
  constexpr absl::string_view kOther = R"(
    x = f32[4,8,64] parameter(0)
    z = f32[] constant(0)
    h = f32[] constant(0.5)
    s = f32[4,8] reduce(x, z), dimensions={2}, to_apply=add
    )";
  ExpectLeftAlone(absl::StrCat(kOther, R"(
    c = f32[8] reduce(x, h), dimensions={0,2}, to_apply=add
    ROOT t = (f32[4,8], f32[8]) tuple(s, c))"));
  ExpectNested(absl::StrCat(kOther, R"(
    c = f32[8] reduce(x, h), dimensions={0,2}, to_apply=highest
    ROOT t = (f32[4,8], f32[8]) tuple(s, c))"),
               R"(
    x = f32[4,8,64] parameter(0)
    z = f32[] constant(0)
    h = f32[] constant(0.5)
    s = f32[4,8] reduce(x, z), dimensions={2}, to_apply=add
    c.1 = f32[4,8] reduce(x, h), dimensions={2}, to_apply=highest
    c.2 = f32[8] reduce(c.1, h), dimensions={0}, to_apply=highest
    ROOT t = (f32[4,8], f32[8]) tuple(s, c.2))");
}

TEST(NestReductions, WhatOneSweepDoesAnywayStays) {
  constexpr absl::string_view kData = R"(
    x = f32[64,128] parameter(0)
    z = f32[] constant(0)
    )";
  ExpectLeftAlone(absl::StrCat(kData, R"(
    rows = f32[64] reduce(x, z), dimensions={1}, to_apply=add
    columns = f32[128] reduce(x, z), dimensions={0}, to_apply=add
    ROOT t = (f32[64], f32[128]) tuple(rows, columns))"));
  ExpectLeftAlone(absl::StrCat(kData, R"(
    rows = f32[64] reduce(x, z), dimensions={1}, to_apply=add
    all = f32[] reduce(x, z), dimensions={0,1}, to_apply=add
    ROOT t = (f32[64], f32[]) tuple(rows, all))"));
}

TEST(NestReductions, OtherDataOtherTimesOtherOrdersAndShortFoldsStay) {
  constexpr absl::string_view kData = R"(
    x = f32[4,8,64] parameter(0)
    z = f32[] constant(0)
    s = f32[4,8] reduce(x, z), dimensions={2}, to_apply=add
    )";
  ExpectLeftAlone(absl::StrCat(kData, R"(
    y = f32[4,8,64] parameter(1)
    c = f32[8] reduce(y, z), dimensions={0,2}, to_apply=add
    ROOT t = (f32[4,8], f32[8]) tuple(s, c))"));
  ExpectLeftAlone(absl::StrCat(kData, R"(
    sb = f32[4,8,64] broadcast(s), dimensions={0,1}
    y = f32[4,8,64] subtract(x, sb)
    c = f32[8] reduce(y, z), dimensions={0,2}, to_apply=add
    ROOT t = (f32[4,8], f32[8]) tuple(s, c))"));
  ExpectLeftAlone(absl::StrCat(kData, R"(
    c = f32[8] reduce(x, z), dimensions={0,2}, to_apply=minus
    ROOT t = (f32[4,8], f32[8]) tuple(s, c))"));
  ExpectLeftAlone(R"(
    x = f32[40,8,16] parameter(0)
    z = f32[] constant(0)
    s = f32[40,8] reduce(x, z), dimensions={2}, to_apply=add
    c = f32[8] reduce(x, z), dimensions={0,2}, to_apply=add
    ROOT t = (f32[40,8], f32[8]) tuple(s, c))");
}

// Rows of 6 x 64 and of 64 x 6: no cut is one of both.
TEST(NestReductions, DimensionsThatDoNotDivideEachOtherStay) {
  ExpectLeftAlone(R"(
    x = f32[6,4,64] parameter(0)
    y = f32[4,6,64] reshape(x)
    z = f32[] constant(0)
    s = f32[6,4] reduce(x, z), dimensions={2}, to_apply=add
    c = f32[6] reduce(y, z), dimensions={0,2}, to_apply=add
    ROOT t = (f32[6,4], f32[6]) tuple(s, c))");
}

}  // namespace
}  // namespace astitch
