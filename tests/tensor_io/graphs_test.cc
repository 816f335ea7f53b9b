// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What touches graphs: layouts of buffers and elided constants.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tensor_io/elided.h"
#include "tensor_io/layout.h"
#include "tensor_io/spec.h"

namespace astitch {
namespace {

using testing::HasSubstr;

TEST(Layout, ElementsLieMinorDimensionFirst) {
  const Literal value = ParseValues(ParseShapeWord("2x3xs8").value(), "1,2,3,4,5,6").value();
  const Shape column_major = Shape::Array(ElementType::kS8, {2, 3}, Layout{{0, 1}, ""});
  const std::vector<std::byte> bytes = ToPhysical(value, column_major);
  const std::vector<int> wanted = {1, 4, 2, 5, 3, 6};
  for (size_t i = 0; i < wanted.size(); ++i) EXPECT_EQ(static_cast<int>(bytes[i]), wanted[i]);
  EXPECT_EQ(FromPhysical(column_major, bytes), value);
}

TEST(Layout, EveryOrderOfThreeDimensionsComesBack) {
  Literal value(Shape::Array(ElementType::kF16, {2, 3, 5}));
  for (size_t i = 0; i < value.bytes().size(); ++i) value.mutable_bytes()[i] = std::byte(i);
  std::vector<int64_t> order = {0, 1, 2};
  do {
    const Shape shape = Shape::Array(ElementType::kF16, {2, 3, 5}, Layout{order, ""});
    EXPECT_EQ(FromPhysical(shape, ToPhysical(value, shape)), value);
  } while (std::next_permutation(order.begin(), order.end()));
}

TEST(Layout, DimensionsOfOneDoNotMatter) {
  EXPECT_TRUE(IsDenseRowMajor(Shape::Array(ElementType::kF32, {4, 1}, Layout{{0, 1}, ""})));
  EXPECT_FALSE(IsDenseRowMajor(Shape::Array(ElementType::kF32, {4, 2}, Layout{{0, 1}, ""})));
  EXPECT_TRUE(IsDenseRowMajor(Shape::Scalar(ElementType::kF32)));
}

TEST(Layout, TupleParametersAreFlattenedInOrder) {
  Graph graph("g");
  Computation* entry = graph.AddComputation("e");
  const Shape f32 = Shape::Array(ElementType::kF32, {2});
  const Shape tuple = Shape::Tuple({f32, Shape::Token(), Shape::Tuple({f32})});
  Instruction* p = entry->Add(Opcode::kParameter, tuple, {}, ParameterAttributes{0}, "p");
  entry->set_root(p);
  graph.set_entry(entry);
  EXPECT_EQ(EntryInputShapes(graph).size(), 2u);
  EXPECT_EQ(EntryOutputShapes(graph).size(), 2u);
  const std::vector<Literal> values = AssembleParameters(graph, {Literal(f32), Literal(f32)});
  ASSERT_EQ(values.size(), 1u);
  EXPECT_TRUE(values[0].shape().CompatibleWith(tuple));
  EXPECT_EQ(ArrayLeaves(values[0]).size(), 2u);
}

Graph& WithElided(Graph& graph) {
  Computation* entry = graph.AddComputation("e");
  const Shape f32 = Shape::Array(ElementType::kF32, {3});
  const Shape s32 = Shape::Array(ElementType::kS32, {3});
  Instruction* a =
      entry->Add(Opcode::kConstant, f32, {}, ConstantAttributes{Literal::Elided(f32)}, "a");
  Instruction* b =
      entry->Add(Opcode::kConstant, s32, {}, ConstantAttributes{Literal::Elided(s32)}, "b");
  a->set_position({7, 3});
  entry->set_root(entry->Add(Opcode::kTuple, Shape::Tuple({f32, s32}), {a, b}));
  graph.set_entry(entry);
  return graph;
}

TEST(Elided, RefusingNamesAllOfThem) {
  Graph graph("g");
  const absl::Status status = FillElidedConstants(WithElided(graph), ElidedPolicy{});
  EXPECT_THAT(std::string(status.message()), HasSubstr("2 constants %a, %b"));
  EXPECT_EQ(GetDiagnostics(status).at(0).position, (TextPosition{7, 3}));
}

TEST(Elided, PoliciesFillThem) {
  for (const char* policy : {"zeros", "ones", "random:4"}) {
    Graph graph("g");
    ASSERT_TRUE(FillElidedConstants(WithElided(graph), ParseElidedPolicy(policy).value()).ok());
    const Literal& value = graph.entry()->Find("a")->literal();
    ASSERT_FALSE(value.is_elided());
    const float last = value.data<float>()[2];
    EXPECT_EQ(std::string(policy) == "zeros", last == 0.0f);
    EXPECT_EQ(std::string(policy) == "ones", last == 1.0f);
    EXPECT_TRUE(FillElidedConstants(graph, ElidedPolicy{}).ok());
  }
  for (const char* bad : {"zero", "random", "random:x", "random:-1"}) {
    EXPECT_FALSE(ParseElidedPolicy(bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace astitch
