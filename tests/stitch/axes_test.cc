// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Axes: which dimensions are one loop, and which readers take elements from elsewhere.
#include "stitch/axes.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "frontend/hlo_text/parser.h"

namespace astitch {
namespace {

struct Parsed {
  std::unique_ptr<Graph> graph;
  std::vector<const Instruction*> inputs, values;
};

Parsed Parse(absl::string_view body) {
  Parsed out;
  auto graph =
      ParseHloText(absl::StrCat("HloModule m\nadd_f { a = f32[] parameter(0) b = f32[] "
                                "parameter(1) ROOT r = f32[] add(a, b) }\n"
                                "ENTRY e {\n",
                                body, "\n}\n"));
  EXPECT_TRUE(graph.ok()) << graph.status();
  out.graph = *std::move(graph);
  for (const auto& i : out.graph->entry()->instructions()) {
    if (i->opcode() == Opcode::kParameter) out.inputs.push_back(i.get());
    if (i->opcode() != Opcode::kParameter && i->opcode() != Opcode::kConstant)
      out.values.push_back(i.get());
  }
  return out;
}

const Instruction* At(const Parsed& p, absl::string_view name) {
  return p.graph->entry()->Find(name);
}

TEST(Axes, AReductionAndItsBroadcastBackShareTheRows) {
  const Parsed p = Parse(R"(x = f32[8,16] parameter(0)
    z = f32[] constant(0)
    s = f32[8] reduce(x, z), dimensions={1}, to_apply=add_f
    b = f32[8,16] broadcast(s), dimensions={0}
    ROOT d = f32[8,16] divide(x, b))");
  const Axes axes(p.inputs, p.values);
  EXPECT_EQ(axes.OfDim(At(p, "s"), 0), axes.OfDim(At(p, "d"), 0));
  EXPECT_EQ(axes.Of(At(p, "x")), axes.Of(At(p, "d")));
  EXPECT_TRUE(axes.Aligned(At(p, "d"), 0));
}

TEST(Axes, AReshapeSplitsAnAxisIntoCommonFactors) {
  const Parsed p = Parse(R"(x = f32[4,6,10] parameter(0)
    n = f32[4,6,10] negate(x)
    r = f32[24,2,5] reshape(n)
    ROOT e = f32[24,2,5] exponential(r))");
  const Axes axes(p.inputs, p.values);
  EXPECT_EQ(axes.OfDim(At(p, "r"), 0).size(), 2u);
  EXPECT_EQ(axes.OfDim(At(p, "n"), 2).size(), 2u);
  EXPECT_EQ(axes.Of(At(p, "n")), axes.Of(At(p, "e")));
}

TEST(Axes, WhatWouldMeetItselfIsRefused) {
  const Parsed p = Parse(R"(x = f32[8,8] parameter(0)
    n = f32[8,8] negate(x)
    t = f32[8,8] transpose(n), dimensions={1,0}
    ROOT a = f32[8,8] add(n, t))");
  const Axes axes(p.inputs, p.values);
  EXPECT_TRUE(axes.Aligned(At(p, "a"), 0));
  EXPECT_FALSE(axes.Aligned(At(p, "a"), 1));
}

TEST(Axes, AShiftThatComesBackIsNotTheSamePosition) {
  const Parsed p = Parse(R"(x = f32[8,4] parameter(0)
    n = f32[8,4] negate(x)
    v = f32[8,4] reverse(n), dimensions={0}
    ROOT a = f32[8,4] add(n, v))");
  const Axes axes(p.inputs, p.values);
  EXPECT_FALSE(axes.Aligned(At(p, "v"), 0));
}

TEST(Axes, AShiftOfColumnsLeavesTheRowsAlone) {
  const Parsed p = Parse(R"(x = f32[8,4] parameter(0)
    n = f32[8,4] negate(x)
    s = f32[8,2] slice(n), slice={[0:8], [2:4]}
    ROOT e = f32[8,2] exponential(s))");
  const Axes axes(p.inputs, p.values);
  EXPECT_EQ(axes.OfDim(At(p, "n"), 0), axes.OfDim(At(p, "e"), 0));
  EXPECT_NE(axes.OfDim(At(p, "n"), 1), axes.OfDim(At(p, "e"), 1));
  EXPECT_TRUE(axes.Aligned(At(p, "s"), 0));
}

TEST(Axes, ExtentsThatShareNoFactorsAreRefused) {
  const Parsed p = Parse(R"(x = f32[6,4] parameter(0)
    n = f32[6,4] negate(x)
    ROOT r = f32[4,6] reshape(n))");
  const Axes axes(p.inputs, p.values);
  EXPECT_FALSE(axes.Aligned(At(p, "r"), 0));
}

}  // namespace
}  // namespace astitch
