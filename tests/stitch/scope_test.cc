// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Scope: regions between library calls, never in a cycle, in an order that respects every
// dependence.
#include "stitch/scope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "frontend/hlo_text/parser.h"

namespace astitch {
namespace {

// One line a step: "dot d" or the names of a region's values, outputs marked with *.
std::vector<std::string> Describe(absl::string_view body, Fusion fusion = Fusion::kStitch,
                                  absl::string_view machine = "a100") {
  auto graph =
      ParseHloText(absl::StrCat("HloModule m\nadd_f { a = f32[] parameter(0) b = f32[] "
                                "parameter(1) ROOT r = f32[] add(a, b) }\n"
                                "add_two { a = f32[] parameter(0) b = f32[] parameter(1) "
                                "c = f32[] parameter(2) d = f32[] parameter(3) "
                                "e = f32[] add(a, c) f = f32[] add(b, d) "
                                "ROOT r = (f32[], f32[]) tuple(e, f) }\n"
                                "ENTRY e {\n",
                                body, "\n}\n"));
  EXPECT_TRUE(graph.ok()) << graph.status();
  const auto steps = FindScope(**graph, fusion, nullptr, FindMachine(machine).value());
  if (!steps.ok()) return {std::string(steps.status().message())};
  std::vector<std::string> out;
  for (const ScopeStep& step : *steps) {
    if (step.library != nullptr) {
      out.push_back(absl::StrCat("dot ", step.library->name()));
      continue;
    }
    std::string line;
    for (const Instruction* value : step.region.values) {
      const auto& outputs = step.region.outputs;
      const bool output = std::find(outputs.begin(), outputs.end(), value) != outputs.end();
      absl::StrAppend(&line, line.empty() ? "" : " ", value->name(), output ? "*" : "");
    }
    out.push_back(line);
  }
  return out;
}

constexpr absl::string_view kTwoDots = R"(x = f32[4,4] parameter(0)
    a = f32[4,4] exponential(x)
    d = f32[4,4] dot(a, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    b = f32[4,4] add(a, d)
    e = f32[4,4] dot(b, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    ROOT c = f32[4,4] multiply(b, e))";

TEST(Scope, LibraryCallsCutRegionsByRank) {
  EXPECT_THAT(Describe(kTwoDots), testing::ElementsAre("a*", "dot d", "b*", "dot e", "c*"));
}

TEST(Scope, APathThroughALibraryCallNeverEndsInTheSameRegion) {
  // a and c are neighbours, but c waits for the dot that waits for a: one region of both would wait
  // for itself.
  const auto steps = Describe(R"(x = f32[4,4] parameter(0)
    a = f32[4,4] exponential(x)
    d = f32[4,4] dot(a, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    ROOT c = f32[4,4] add(a, d))");
  EXPECT_THAT(steps, testing::ElementsAre("a*", "dot d", "c*"));
}

TEST(Scope, ProductsOfProductsHaveOneRank) {
  // Nothing has to run between d and e: what reads either of them is one kernel.
  const auto steps = Describe(R"(x = f32[128,128] parameter(0)
    d = f32[128,128] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    a = f32[128,128] exponential(d)
    e = f32[128,128] dot(d, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    b = f32[128,128] tanh(e)
    ROOT t = (f32[128,128], f32[128,128]) tuple(a, b))");
  EXPECT_THAT(steps, testing::ElementsAre("dot d", "dot e", "a* b*"));
}

TEST(Scope, WhatOnlyLaterRanksReadMovesThere) {
  const auto steps = Describe(R"(x = f32[4,4] parameter(0)
    s = f32[4] parameter(1)
    b = f32[4,4] broadcast(s), dimensions={1}
    d = f32[4,4] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    ROOT c = f32[4,4] add(d, b))");
  EXPECT_THAT(steps, testing::ElementsAre("dot d", "b c*"));
}

// Its element is read only by rank 1; the reduction, in rank 0 with the scatter's operand, may not
// follow it there.
TEST(Scope, AnElementOfAReductionStaysWithIt) {
  const auto steps = Describe(R"(x = f32[4,4] parameter(0)
    z = f32[] constant(0)
    s = f32[4] parameter(1)
    n = f32[4] negate(s)
    nn = f32[4,4] broadcast(n), dimensions={0}
    r = (f32[4], f32[4]) reduce(x, nn, z, z), dimensions={1}, to_apply=add_two
    g = f32[4] get-tuple-element(r), index=0
    d = f32[4] dot(x, n), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    ROOT c = f32[4] add(g, d))");
  EXPECT_THAT(steps, testing::ElementsAre("n* nn r g*", "dot d", "c*"));
}

TEST(Scope, IndependentRegionsOfARankShareALaunch) {
  const auto steps = Describe(R"(x = f32[4] parameter(0)
    y = f32[8] parameter(1)
    a = f32[4] negate(x)
    b = f32[8] negate(y)
    ROOT t = (f32[4], f32[8]) tuple(a, b))");
  EXPECT_THAT(steps, testing::ElementsAre("a* b*"));
}

// s + 1 is read before and behind the dot: two kernels compute it, none stores it. The exponential is
// worth a store.
TEST(Scope, WhatIsCheapIsComputedAgainBehindALibraryCall) {
  const auto steps = Describe(R"(x = f32[4,4] parameter(0)
    one = f32[] constant(1)
    ones = f32[4,4] broadcast(one), dimensions={}
    b = f32[4,4] add(x, ones)
    p = f32[4,4] exponential(b)
    d = f32[4,4] dot(p, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    q = f32[4,4] multiply(b, d)
    ROOT r = f32[4,4] multiply(p, q))");
  EXPECT_THAT(steps, testing::ElementsAre("ones b p*", "dot d", "ones b q r*"));
}

// A hyperbolic tangent takes 25 operations: less than half of what a V100 can do while it stores an element
// and loads it again, and more than half of what an A100 can, whose memory is faster.
TEST(Scope, WhatIsCheapIsAQuestionToTheMachine) {
  constexpr absl::string_view kTwice = R"(x = f32[512,96] parameter(0)
    w = f32[96,96] parameter(1)
    t = f32[512,96] tanh(x)
    n = f32[512,96] subtract(t, x)
    d = f32[512,96] dot(n, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    ROOT r = f32[512,96] add(t, d))";
  EXPECT_THAT(Describe(kTwice, Fusion::kStitch, "v100"),
              testing::ElementsAre("t n*", "dot d", "t r*"));
  EXPECT_THAT(Describe(kTwice, Fusion::kStitch, "a100"),
              testing::ElementsAre("t* n*", "dot d", "r*"));
}

// A third of an array is no more to read than what is taken of it: nobody copies that for a later kernel.
TEST(Scope, WhatIsTakenOfAnArrayIsTakenBehindALibraryCall) {
  const auto steps = Describe(R"(x = f32[512,96] parameter(0)
    w = f32[96,32] parameter(1)
    e = f32[512,96] exponential(x)
    s = f32[512,32] slice(x), slice={[0:512],[32:64]}
    n = f32[512,32] negate(s)
    d = f32[512,32] dot(e, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    ROOT r = f32[512,32] add(d, n))");
  EXPECT_THAT(steps, testing::ElementsAre("e*", "dot d", "s n r*"));
}

// A chain longer than a kernel may be is cut, and every part waits for the one before.
TEST(Scope, AKernelHasBoundedlyManyOperations) {
  std::string body = "x0 = f32[4] parameter(0)\n";
  for (int i = 1; i <= 9000; ++i)
    absl::StrAppend(&body, i == 9000 ? "ROOT " : "", "x", i, " = f32[4] negate(x", i - 1, ")\n");
  const auto steps = Describe(body);
  ASSERT_EQ(steps.size(), 3);
  EXPECT_EQ(steps[0].substr(0, 6), "x1 x2 ");
  EXPECT_EQ(steps[2].substr(steps[2].size() - 6), "x9000*");
}

TEST(Scope, AReductionCountsAsManyOperations) {
  // 200 of them, each followed by one operation.
  std::string body =
      "x = f32[64,8] parameter(0)\nz = f32[] constant(0)\nv0 = f32[64,8] exponential(x)";
  for (int i = 1; i <= 200; ++i) {
    const std::string v = absl::StrCat("v", i - 1);
    absl::StrAppend(&body, "\nr", i, " = f32[64] reduce(", v,
                    ", z), dimensions={1}, to_apply=add_f\nb", i, " = f32[64,8] broadcast(r", i,
                    "), dimensions={0}\nv", i, " = f32[64,8] subtract(", v, ", b", i, ")");
  }
  absl::StrAppend(&body, "\nROOT o = f32[64,8] negate(v200)");
  EXPECT_EQ(Describe(body).size(), 2u);
}

TEST(Scope, UnfusedOperationsAreKernelsAndBroadcastsAreViews) {
  const auto steps = Describe(R"(x = f32[4,8] parameter(0)
    s = f32[4] parameter(1)
    b = f32[4,8] broadcast(s), dimensions={0}
    a = f32[4,8] add(x, b)
    ROOT n = f32[4,8] multiply(a, b))",
                              Fusion::kNone);
  EXPECT_THAT(steps, testing::ElementsAre("b a*", "b n*"));
}

// A producer of two kernels, an expensive one before a broadcast, and what follows a reduction.
constexpr absl::string_view kBaselines = R"(x = f32[4,8] parameter(0)
    s = f32[4] parameter(1)
    z = f32[] constant(0)
    n = f32[4,8] negate(x)
    e = f32[4] exponential(s)
    b = f32[4,8] broadcast(e), dimensions={0}
    a = f32[4,8] add(n, b)
    r = f32[4] reduce(a, z), dimensions={1}, to_apply=add_f
    c = f32[4,8] broadcast(r), dimensions={0}
    ROOT m = f32[4,8] multiply(n, c))";

TEST(Scope, XlaPutsLightProducersIntoAllReadersAndStoresWhatABroadcastRepeats) {
  EXPECT_THAT(Describe(kBaselines, Fusion::kXla), testing::ElementsAre("e*", "n b a r*", "n c m*"));
}

TEST(Scope, TvmStoresWhatTwoKernelsReadAndRepeatsWhatABroadcastRepeats) {
  EXPECT_THAT(Describe(kBaselines, Fusion::kTvm), testing::ElementsAre("n*", "e b a r*", "c m*"));
}

TEST(Scope, StitchingKeepsThemTogether) {
  EXPECT_THAT(Describe(kBaselines), testing::ElementsAre("n e b a r c m*"));
}

// r and t fold the same; d would wait for both sides of itself.
TEST(Scope, XlaPutsSiblingsOfOneKindSideBySideUnlessACycleCloses) {
  constexpr absl::string_view kSiblings = R"(x = f32[4,8] parameter(0)
    z = f32[] constant(0)
    r = f32[4] reduce(x, z), dimensions={1}, to_apply=add_f
    n = f32[4,8] exponential(x)
    t = f32[4] reduce(n, z), dimensions={1}, to_apply=add_f
    u = f32[8] reduce(x, z), dimensions={0}, to_apply=add_f
    ROOT all = (f32[4], f32[4], f32[8]) tuple(r, t, u))";
  EXPECT_THAT(Describe(kSiblings, Fusion::kXla), testing::ElementsAre("r* n t*", "u*"));
  constexpr absl::string_view kCycle = R"(x = f32[4,4] parameter(0)
    a = f32[4,4] exponential(x)
    d = f32[4,4] dot(a, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    c = f32[4,4] multiply(a, d)
    ROOT t = (f32[4,4], f32[4,4]) tuple(a, c))";
  EXPECT_THAT(Describe(kCycle, Fusion::kXla), testing::ElementsAre("a*", "dot d", "c*"));
}

TEST(Scope, WhatNothingRunsIsRefusedByNameAndPlace) {
  const auto steps = Describe(R"(x = f32[4] parameter(0)
    ROOT s = f32[4] custom-call(x), custom_call_target="mystery")");
  EXPECT_THAT(steps, testing::ElementsAre(testing::HasSubstr("custom-call instruction %s")));
  const auto tuple = Describe(R"(x = f32[4] parameter(0)
    zero = f32[] constant(0)
    ROOT s = (f32[], f32[]) reduce(x, x, zero, zero), dimensions={0}, to_apply=add_two)");
  EXPECT_THAT(tuple, testing::ElementsAre(testing::HasSubstr("reduce instruction %s")));
}

}  // namespace
}  // namespace astitch
