// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Programs written as calls print as the HLO one would write by hand, and errors name the line of
// the call that made them.
#include "astitch/builder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"

namespace astitch {
namespace {

using ::testing::HasSubstr;

constexpr ElementType kF32 = ElementType::kF32;

std::string TextOf(const absl::StatusOr<GraphPtr>& graph) {
  return graph.ok() ? GraphToText(**graph) : graph.status().ToString();
}

std::string ErrorOf(const absl::StatusOr<GraphPtr>& graph) {
  return graph.ok() ? "no error" : std::string(graph.status().message());
}

TEST(GraphBuilder, SoftmaxPrintsAsHlo) {
  GraphBuilder b("softmax");
  const Op x = b.Parameter(Shape::Array(kF32, {4, 8}), "x");
  const Op max = b.Reduce(x, {1}, ReduceKind::kMaximum);
  const Op exp = b.Exponential(b.Subtract(x, b.BroadcastInDim(max, {4, 8}, {0})));
  const Op sum = b.Reduce(exp, {1}, ReduceKind::kAdd);
  EXPECT_EQ(TextOf(b.Build(b.Divide(exp, b.BroadcastInDim(sum, {4, 8}, {0})))),
            R"(HloModule softmax

maximum_f32 {
  arg0 = f32[] parameter(0)
  arg1 = f32[] parameter(1)
  ROOT maximum = f32[] maximum(arg0, arg1)
}

add_f32 {
  arg0 = f32[] parameter(0)
  arg1 = f32[] parameter(1)
  ROOT add = f32[] add(arg0, arg1)
}

ENTRY main {
  x = f32[4,8]{1,0} parameter(0)
  constant = f32[] constant(-inf)
  reduce = f32[4]{0} reduce(x, constant), dimensions={1}, to_apply=maximum_f32
  broadcast = f32[4,8]{1,0} broadcast(reduce), dimensions={0}
  subtract = f32[4,8]{1,0} subtract(x, broadcast)
  exponential = f32[4,8]{1,0} exponential(subtract)
  constant.1 = f32[] constant(0)
  reduce.1 = f32[4]{0} reduce(exponential, constant.1), dimensions={1}, to_apply=add_f32
  broadcast.1 = f32[4,8]{1,0} broadcast(reduce.1), dimensions={0}
  ROOT divide = f32[4,8]{1,0} divide(exponential, broadcast.1)
}

)");
}

TEST(GraphBuilder, EveryMethodThatIsNamedAfterAnOpcodeMakesThatOpcode) {
  GraphBuilder b("unary");
  std::vector<Op> results;
  const Op x = b.Parameter(Shape::Array(kF32, {3}), "x");
  const Op n = b.Parameter(Shape::Array(ElementType::kS32, {3}), "n");
  results = {b.Abs(x),    b.Tanh(x),     b.RoundNearestEven(x), b.IsFinite(x), b.Not(n),
             b.Popcnt(n), b.Atan2(x, x), b.ShiftLeft(n, n),     b.Mulhi(n, n), b.Le(x, x),
             b.Ne(n, n)};
  const std::string text = TextOf(b.Build(b.Tuple(results)));
  for (absl::string_view line :
       {"f32[3]{0} abs(x)", "f32[3]{0} tanh(x)", "f32[3]{0} round-nearest-even(x)",
        "pred[3]{0} is-finite(x)", "s32[3]{0} not(n)", "s32[3]{0} popcnt(n)",
        "f32[3]{0} atan2(x, x)", "s32[3]{0} shift-left(n, n)", "s32[3]{0} mulhi(n, n)",
        "pred[3]{0} compare(x, x), direction=LE", "pred[3]{0} compare(n, n), direction=NE"}) {
    EXPECT_THAT(text, HasSubstr(std::string(line)));
  }
}

TEST(GraphBuilder, ScalarsMeetArraysByBroadcastAndNothingElseDoes) {
  GraphBuilder b("scalars");
  const Op x = b.Parameter(Shape::Array(kF32, {2, 3}), "x");
  const Op shifted = b.Add(x, b.ScalarLike(x, 1));
  const std::string text = TextOf(b.Build(b.Multiply(b.Constant(2.0f), shifted)));
  EXPECT_THAT(text, HasSubstr("broadcast = f32[2,3]{1,0} broadcast(constant), dimensions={}"));
  EXPECT_THAT(text, HasSubstr("add = f32[2,3]{1,0} add(x, broadcast)"));
  GraphBuilder rows("rows");
  const Op y = rows.Parameter(Shape::Array(kF32, {2, 3}));
  const Op row = rows.Parameter(Shape::Array(kF32, {3}));
  EXPECT_THAT(ErrorOf(rows.Build(rows.Add(y, row))),
              HasSubstr("add: expected dimensions [2,3] for operand 1 of add, got f32[3]"));
}

TEST(GraphBuilder, NeutralElementsOfReductions) {
  const struct {
    ReduceKind kind;
    ElementType type;
    const char* constant;
  } kCases[] = {
      {ReduceKind::kAdd, kF32, "f32[] constant(0)"},
      {ReduceKind::kMultiply, ElementType::kBF16, "bf16[] constant(1)"},
      {ReduceKind::kMaximum, ElementType::kF16, "f16[] constant(-inf)"},
      {ReduceKind::kMaximum, ElementType::kF8E4M3FN, "f8e4m3fn[] constant(-448)"},
      {ReduceKind::kMinimum, ElementType::kS8, "s8[] constant(127)"},
      {ReduceKind::kMaximum, ElementType::kS64, "s64[] constant(-9223372036854775808)"},
      {ReduceKind::kMinimum, ElementType::kU32, "u32[] constant(4294967295)"},
      {ReduceKind::kAnd, ElementType::kPred, "pred[] constant(true)"},
      {ReduceKind::kAnd, ElementType::kS16, "s16[] constant(-1)"},
      {ReduceKind::kOr, ElementType::kU8, "u8[] constant(0)"},
      {ReduceKind::kMultiply, ElementType::kC64, "c64[] constant((1, 0))"},
  };
  for (const auto& c : kCases) {
    GraphBuilder b("neutral");
    const Op x = b.Parameter(Shape::Array(c.type, {5}));
    EXPECT_THAT(TextOf(b.Build(b.Reduce(x, {0}, c.kind))), HasSubstr(c.constant));
  }
}

TEST(GraphBuilder, LoopsBranchesAndCallsCarryTheirBodies) {
  GraphBuilder b("control");
  const Op n = b.Parameter(Shape::Scalar(ElementType::kS32), "n");
  const Op counted = b.While(
      n, [](GraphBuilder& c, Ops s) { return c.Lt(s[0], c.Constant(int32_t{10})); },
      [](GraphBuilder& c, Ops s) { return c.Add(s[0], c.Constant(int32_t{1})); });
  const Op chosen = b.Conditional(
      b.Gt(n, b.Constant(int32_t{3})), counted,
      [](GraphBuilder& c, Ops a) { return c.Negate(a[0]); }, n,
      [](GraphBuilder&, Ops a) { return a[0]; });
  const Op called = b.Call({chosen, n}, [](GraphBuilder& c, Ops a) { return c.Xor(a[0], a[1]); });
  const std::string text = TextOf(b.Build(called));
  EXPECT_THAT(text,
              HasSubstr("while = s32[] while(n), condition=while_condition, body=while_body"));
  EXPECT_THAT(text, HasSubstr("conditional = s32[] conditional(compare, while, n), "
                              "true_computation=branch_0, false_computation=branch_1"));
  EXPECT_THAT(text, HasSubstr("ROOT call = s32[] call(conditional, n), to_apply=called"));
}

TEST(GraphBuilder, MovementAndContractionShapes) {
  GraphBuilder b("shapes");
  const Op x = b.Parameter(Shape::Array(kF32, {2, 3, 4}));
  const Op i = b.Parameter(Shape::Scalar(ElementType::kS32));
  const Op rows = b.Parameter(Shape::Array(ElementType::kS32, {7, 1}));
  const Op zero = b.Constant(0.0f);
  const struct {
    Op op;
    const char* shape;
  } kCases[] = {
      {b.Broadcast(x, {5}), "f32[5,2,3,4]"},
      {b.Reshape(x, {6, 4}), "f32[6,4]"},
      {b.Transpose(x, {2, 0, 1}), "f32[4,2,3]"},
      {b.Reverse(x, {1}), "f32[2,3,4]"},
      {b.Slice(x, {0, 1, 0}, {2, 3, 4}, {1, 1, 3}), "f32[2,2,2]"},
      {b.Slice(x, {0, 1, 0}, {2, 3, 4}), "f32[2,2,4]"},
      {b.DynamicSlice(x, {i, i, i}, {1, 2, 4}), "f32[1,2,4]"},
      {b.DynamicUpdateSlice(x, b.Reshape(zero, {1, 1, 1}), {i, i, i}), "f32[2,3,4]"},
      {b.Pad(x, zero, {{1, 0, 0}, {0, -1, 0}, {0, 0, 2}}), "f32[3,2,10]"},
      {b.Concatenate({x, x}, 1), "f32[2,6,4]"},
      {b.Gather(x, rows, {{1, 2}, {0}, {0}, {}, {}, 1, {1, 3, 4}, false}), "f32[7,3,4]"},
      {b.Dot(x, b.Reshape(x, {4, 6})), "f32[2,3,6]"},
      {b.DotGeneral(x, x, {{0}, {0}, {2}, {2}}), "f32[2,3,3]"},
      {b.DotGeneral(x, x, {{0}, {0}, {2}, {2}}, ElementType::kF64), "f64[2,3,3]"},
      {b.Convolution(x, x, {{{.size = 3}}, "b0f_o0i->b0f", 1, 1}), "f32[2,1,2]"},
      {b.ReduceWindow(x, {{}, {.size = 2}, {.size = 2, .stride = 2}}, ReduceKind::kAdd),
       "f32[2,2,2]"},
      {b.TopK(x, 2), "(f32[2,3,2], s32[2,3,2])"},
      {b.BitcastConvert(x, ElementType::kU8), "u8[2,3,4,4]"},
      {b.Convert(x, ElementType::kBF16), "bf16[2,3,4]"},
      {b.Iota(Shape::Array(ElementType::kS32, {3}), 0), "s32[3]"},
  };
  std::vector<Op> all;
  for (const auto& c : kCases) {
    all.push_back(c.op);
    if (c.op.instruction == nullptr) break;
    EXPECT_EQ(b.ShapeOf(c.op).ToString(false), c.shape);
  }
  EXPECT_EQ(ErrorOf(b.Build(b.Tuple(all))), "no error");
}

TEST(GraphBuilder, OwnBodiesOfReductionsScattersAndSorts) {
  GraphBuilder b("bodies");
  const Op x = b.Parameter(Shape::Array(kF32, {9}));
  const Op i = b.Iota(Shape::Array(ElementType::kS32, {9}), 0);
  const Op argmax = b.Reduce(
      {x, i}, {b.Constant(-1.0f), b.Constant(int32_t{0})}, {0}, [](GraphBuilder& c, Ops p) {
        const Op left = c.Ge(p[0], p[2]);
        return c.Tuple({c.Select(left, p[0], p[2]), c.Select(left, p[1], p[3])});
      });
  const Op sorted =
      b.Sort({x, i}, 0, true, [](GraphBuilder& c, Ops p) { return c.Lt(p[0], p[1]); });
  const Op at = b.ConstantArray<int32_t>({3, 5}, {2, 1});
  const Op scattered =
      b.Scatter(x, at, b.ConstantArray<float>({1, 2}, {2}), {{}, {0}, {0}, {}, {}, 1},
                [](GraphBuilder& c, Ops p) { return c.Add(p[0], p[1]); });
  EXPECT_EQ(b.ShapeOf(argmax).ToString(false), "(f32[], s32[])");
  EXPECT_EQ(b.ShapeOf(sorted).ToString(false), "(f32[9], s32[9])");
  EXPECT_EQ(ErrorOf(b.Build(b.Tuple({argmax, sorted, scattered}))), "no error");
}

TEST(GraphBuilder, TheFirstErrorIsReportedWithItsLine) {
  GraphBuilder b("errors");
  const Op x = b.Parameter(Shape::Array(kF32, {2}), "x");
  const int line = __LINE__ + 1;
  const Op bad = b.Not(x);
  const Op worse = b.Transpose(bad, {5});
  EXPECT_EQ(bad.instruction, nullptr);
  EXPECT_EQ(ErrorOf(b.Build(worse)),
            absl::StrCat(__FILE__, ":", line,
                         ": not: expected pred or integer elements for not, got f32[2]"));
}

TEST(GraphBuilder, MisuseIsAnErrorNotACrash) {
  const auto build = [](auto&& fn) {
    GraphBuilder b("misuse");
    const Op root = fn(b);
    return ErrorOf(b.Build(root));
  };
  EXPECT_THAT(build([](GraphBuilder&) { return Op{}; }), HasSubstr("got an empty Op"));
  EXPECT_THAT(build([](GraphBuilder& b) {
                return b.Reshape(b.Parameter(Shape::Array(kF32, {4})), {-1, -4});
              }),
              HasSubstr("no static size for f32[-1,-4]"));
  EXPECT_THAT(build([](GraphBuilder& b) {
                return b.Broadcast(b.Constant(1.0f), {int64_t{1} << 40, int64_t{1} << 40});
              }),
              HasSubstr("more than 2^63-1 elements"));
  EXPECT_THAT(build([](GraphBuilder& b) { return b.ConstantArray<float>({1, 2}, {3}); }),
              HasSubstr("expected the elements of f32[3], got 8 bytes"));
  EXPECT_THAT(build([](GraphBuilder& b) {
                const Op x = b.Constant(1.0f);
                return b.Call({}, [x](GraphBuilder& c, Ops) { return c.Negate(x); });
              }),
              HasSubstr("expected values of computation %called, got %constant of %main"));
  EXPECT_THAT(build([](GraphBuilder& b) {
                return b.While(
                    b.Constant(1.0f), [](GraphBuilder&, Ops s) { return s[0]; },
                    [](GraphBuilder&, Ops s) { return s[0]; });
              }),
              HasSubstr("expected pred[] from %while_condition, called by while, got f32[]"));
}

TEST(GraphBuilder, TuplesThatDoubleAreStoppedInTime) {
  GraphBuilder b("doubling");
  Op t = b.Constant(1.0f);
  for (int i = 0; i < 60; ++i) t = b.Tuple({t, t});
  EXPECT_THAT(ErrorOf(b.Build(t)), HasSubstr("arrays in a tuple"));
}

TEST(GraphBuilder, CallsAfterBuildAreRefused) {
  GraphBuilder b("late");
  const Op x = b.Parameter(Shape::Scalar(kF32));
  ASSERT_TRUE(b.Build(x).ok());
  EXPECT_EQ(b.Parameter(Shape::Scalar(kF32)).instruction, nullptr);
  EXPECT_THAT(ErrorOf(b.Build(Op{})), HasSubstr("no calls after Build"));
}

TEST(GraphApi, ShapesAreLeavesInOrder) {
  GraphBuilder b("leaves");
  const Op t =
      b.Parameter(Shape::Tuple({Shape::Scalar(kF32), Shape::Array(ElementType::kS8, {2})}));
  const absl::StatusOr<GraphPtr> graph = b.Build(b.Tuple({t, b.GetTupleElement(t, 1)}));
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_THAT(ParameterShapes(**graph),
              ::testing::ElementsAre(Shape::Scalar(kF32), Shape::Array(ElementType::kS8, {2})));
  EXPECT_EQ(ResultShapes(**graph).size(), 3u);
}

}  // namespace
}  // namespace astitch
