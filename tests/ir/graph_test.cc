// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The graph keeps names unique, users exact and orders valid, at any depth.
#include "ir/graph.h"

#include <gtest/gtest.h>

namespace astitch {
namespace {

const Shape kScalar = Shape::Scalar(ElementType::kF32);

TEST(Graph, NamesAreMadeUnique) {
  Graph graph("g");
  Computation* c = graph.AddComputation("main");
  Instruction* a = c->Add(Opcode::kParameter, kScalar, {}, ParameterAttributes{0}, "x");
  Instruction* b = c->Add(Opcode::kNegate, kScalar, {a}, {}, "x");
  EXPECT_EQ(b->name(), "x.1");
  EXPECT_EQ(c->Find("x.1"), b);
}

TEST(Graph, UsersAreUniqueAndFollowReplacements) {
  Graph graph("g");
  Computation* c = graph.AddComputation("main");
  Instruction* a = c->Add(Opcode::kParameter, kScalar, {}, ParameterAttributes{0});
  Instruction* square = c->Add(Opcode::kMultiply, kScalar, {a, a});
  EXPECT_EQ(a->users().size(), 1u);
  Instruction* negated = c->AddBefore(square, Opcode::kNegate, kScalar, {a});
  square->ReplaceOperand(0, negated);
  EXPECT_EQ(a->users().size(), 2u);
  square->ReplaceOperand(1, negated);
  ASSERT_EQ(a->users().size(), 1u);
  EXPECT_EQ(a->users()[0], negated);
}

TEST(Graph, ChainsOfAHundredThousandAreWalkedAndCopied) {
  Graph graph("g");
  Computation* c = graph.AddComputation("main");
  Instruction* last = c->Add(Opcode::kParameter, kScalar, {}, ParameterAttributes{0});
  for (int i = 0; i < 100000; ++i) last = c->Add(Opcode::kNegate, kScalar, {last});
  c->set_root(last);
  graph.set_entry(c);
  EXPECT_EQ(c->post_order().back(), last);
  EXPECT_EQ(graph.Clone()->entry()->size(), 100001);
}

}  // namespace
}  // namespace astitch
