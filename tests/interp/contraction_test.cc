// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// dot and its relatives, convolution, the batch-norm family, linear algebra.
#include "tests/interp/run_text.h"

namespace astitch {
namespace {

TEST(Dot, EveryTypeAccumulatesInItsOwnWay) {
  ExpectAll({
      {"pred[] dot(pred[2] constant({1, 0}), pred[2] constant({1, 1})), lhs_contracting_dims={0}, "
       "rhs_contracting_dims={0}",
       "true"},
      {"s8[] dot(s8[2] constant({127, 127}), s8[2] constant({127, 127})), "
       "lhs_contracting_dims={0}, rhs_contracting_dims={0}",
       "2"},
      {"s32[] dot(s8[2] constant({127, 127}), s8[2] constant({127, 127})), "
       "lhs_contracting_dims={0}, rhs_contracting_dims={0}",
       "32258"},
      {"f32[] dot(bf16[2] constant({256, 1}), bf16[2] constant({1, 1})), "
       "lhs_contracting_dims={0}, rhs_contracting_dims={0}",
       "257"},
      {"f32[] dot(f32[3] constant({16777216, 1, 1}), f32[3] constant({1, 1, 1})), "
       "lhs_contracting_dims={0}, rhs_contracting_dims={0}",
       "16777218"},
      {"f32[2] dot(f32[2,0] constant({{}, {}}), f32[0] constant({})), lhs_contracting_dims={1}, "
       "rhs_contracting_dims={0}",
       "{0, 0}"},
  });
}

TEST(Dot, DimensionsGoWhereTheListsSay) {
  ExpectAll({
      {"s32[2,2] dot(s32[2,3] constant({{1, 2, 3}, {4, 5, 6}}), s32[3,2] constant({{1, 0}, {0, 1}, "
       "{1, 1}})), lhs_contracting_dims={1}, rhs_contracting_dims={0}",
       "{ { 4, 5 }, { 10, 11 } }"},
      // batch {1} of lhs with {0} of rhs; lhs free 0, rhs free 2
      {"s32[2,1,2] dot(s32[1,2,2] constant({{{1, 2}, {3, 4}}}), s32[2,2,2] constant({{{1, 0}, {0, "
       "1}}, {{1, 1}, {1, 2}}})), lhs_batch_dims={1}, lhs_contracting_dims={2}, "
       "rhs_batch_dims={0}, rhs_contracting_dims={1}",
       "{ { { 1, 2 } }, { { 7, 11 } } }"},
      {"s32[2,2] dot(s32[2] constant({1, 2}), s32[2] constant({3, 4})), lhs_contracting_dims={}, "
       "rhs_contracting_dims={}",
       "{ { 3, 4 }, { 6, 8 } }"},
      {"s32[] dot(s32[2,2] constant({{1, 2}, {3, 4}}), s32[2,2] constant({{1, 10}, {100, 1000}})), "
       "lhs_contracting_dims={0,1}, rhs_contracting_dims={1,0}",
       "4231"},
  });
}

TEST(Dot, TilesAndEdgesAgree) {
  // 6 x 7 times 7 x 6 has a 4 x 4 tile and edges on both sides; with B of ones each row is its sum.
  const absl::StatusOr<Literal> result = RunText(R"(
ENTRY e {
  i = f32[42] iota(), iota_dimension=0
  a = f32[6,7] reshape(i)
  one = f32[] constant(1)
  b = f32[7,6] broadcast(one), dimensions={}
  ROOT r = f32[6,6] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}
})");
  ASSERT_TRUE(result.ok()) << result.status();
  for (int row = 0; row < 6; ++row) {
    for (int column = 0; column < 6; ++column) {
      EXPECT_EQ(result->data<float>()[row * 6 + column], 49 * row + 21);
    }
  }
}

TEST(Dot, ScalesApplyToTheirBlocks) {
  ExpectAll({
      {"f32[1,1] scaled-dot(f8e4m3fn[1,4] constant({{1, 2, 3, 4}}), f8e4m3fn[4,1] constant({{1}, "
       "{1}, {1}, {1}}), f8e8m0fnu[1,2] constant({{2, 4}}), f8e8m0fnu[1,1] constant({{0.5}})), "
       "lhs_contracting_dims={1}, rhs_contracting_dims={0}",
       "{ {17} }"},
  });
}

TEST(RaggedDot, GroupsOfRowsMeetTheirOwnMatrix) {
  EXPECT_EQ(ValueText(RunText(R"(
ENTRY e {
  a = f32[4,2] constant({{1, 2}, {3, 4}, {5, 6}, {7, 8}})
  b = f32[2,2,1] constant({{{1}, {1}}, {{10}, {100}}})
  g = s32[2] constant({1, 2})
  ROOT r = f32[4,1] ragged-dot(a, b, g), lhs_contracting_dims={1}, rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}
})")),
            "{ {3}, {430}, {650}, {0} }");
}

TEST(RaggedDot, ContractingGroupsAreSeparateDots) {
  EXPECT_EQ(ValueText(RunText(R"(
ENTRY e {
  a = f32[1,4] constant({{1, 2, 3, 4}})
  b = f32[4,1] constant({{1}, {10}, {100}, {1000}})
  g = s32[2] constant({1, 2})
  ROOT r = f32[2,1,1] ragged-dot(a, b, g), lhs_contracting_dims={1}, rhs_contracting_dims={0}, lhs_ragged_dims={1}, rhs_group_dims={}
})")),
            "{ { {1} }, { {320} } }");
}

TEST(Convolution, IsCrossCorrelationUnlessReversed) {
  const auto run = [](absl::string_view window, int size) {
    return RunOne(absl::StrCat("s32[1,1,", size,
                               "] convolution(s32[1,1,4] constant({{{1, 2, 3, "
                               "4}}}), s32[1,1,2] constant({{{1, 10}}})), window={size=2 ",
                               window, "}, dim_labels=bf0_oi0->bf0"));
  };
  EXPECT_EQ(run("", 3), "{ { { 21, 32, 43 } } }");
  EXPECT_EQ(run("rhs_reversal=1", 3), "{ { { 12, 23, 34 } } }");
  EXPECT_EQ(run("pad=1_0", 4), "{ { { 10, 21, 32, 43 } } }");
  EXPECT_EQ(run("stride=2", 2), "{ { { 21, 43 } } }");
  EXPECT_EQ(run("rhs_dilate=2", 2), "{ { { 31, 42 } } }");
  EXPECT_EQ(run("lhs_dilate=2", 6), "{ { { 1, 20, 2, 30, 3, 40 } } }");
  EXPECT_EQ(run("pad=-1_0", 2), "{ { { 32, 43 } } }");
}

TEST(Convolution, FeatureAndBatchGroups) {
  // Two feature groups of one input and one output feature each.
  EXPECT_EQ(RunOne("s32[1,1,2] convolution(s32[1,1,2] constant({{{3, 5}}}), s32[1,1,2] "
                   "constant({{{10, 100}}})), window={size=1}, dim_labels=b0f_0io->b0f, "
                   "feature_group_count=2"),
            "{ { { 30, 500 } } }");
  // Two batch groups: output feature f reads batch f.
  EXPECT_EQ(RunOne("s32[1,1,2] convolution(s32[2,1,1] constant({{{3}}, {{5}}}), s32[1,1,2] "
                   "constant({{{10, 100}}})), window={size=1}, dim_labels=b0f_0io->b0f, "
                   "batch_group_count=2"),
            "{ { { 30, 500 } } }");
}

TEST(BatchNorm, TrainingNormalisesOverAllButTheFeature) {
  EXPECT_EQ(RunOne("(f32[4,1], f32[1], f32[1]) batch-norm-training(f32[4,1] constant({{1}, {3}, "
                   "{1}, {3}}), f32[1] constant({2}), f32[1] constant({10})), epsilon=0, "
                   "feature_index=1"),
            "( { {8}, {12}, {8}, {12} }, {2}, {1} )");
  EXPECT_EQ(RunOne("f32[2,2] batch-norm-inference(f32[2,2] constant({{1, 2}, {3, 4}}), f32[2] "
                   "constant({1, 2}), f32[2] constant({0, 1}), f32[2] constant({1, 2}), f32[2] "
                   "constant({4, 1})), epsilon=0, feature_index=1"),
            "{ { 0, 1 }, { 1, 5 } }");
}

TEST(BatchNorm, GradientFollowsTheDefinition) {
  EXPECT_EQ(RunOne("(f32[4,1], f32[1], f32[1]) batch-norm-grad(f32[4,1] constant({{-1}, {1}, {-1}, "
                   "{1}}), f32[1] constant({1}), f32[1] constant({0}), f32[1] constant({1}), "
                   "f32[4,1] constant({{1}, {2}, {3}, {4}})), epsilon=0, feature_index=1"),
            "( { {-1}, {-1}, {1}, {1} }, {2}, {10} )");
}

TEST(LinearAlgebra, CholeskyReadsOneTriangle) {
  EXPECT_EQ(RunOne("f32[2,2] cholesky(f32[2,2] constant({{4, 99}, {2, 5}})), lower=true"),
            "{ { 2, 0 }, { 1, 2 } }");
  EXPECT_EQ(RunOne("f32[2,2] cholesky(f32[2,2] constant({{4, 2}, {99, 5}})), lower=false"),
            "{ { 2, 1 }, { 0, 2 } }");
  EXPECT_EQ(RunOne("f32[1,1] cholesky(f32[1,1] constant({{-1}})), lower=true"), "{ {nan} }");
}

TEST(LinearAlgebra, TriangularSolveFromEitherSide) {
  const auto run = [](absl::string_view attributes) {
    return RunOne(
        absl::StrCat("f32[2,2] triangular-solve(f32[2,2] constant({{2, 4}, {1, 5}}), "
                     "f32[2,2] constant({{2, 4}, {11, 12}})), ",
                     attributes));
  };
  // [2 0; 1 5] X = b
  EXPECT_EQ(run("left_side=true, lower=true, transpose_a=NO_TRANSPOSE"), "{ { 1, 2 }, { 2, 2 } }");
  // X [2 0; 1 5] = b
  EXPECT_EQ(run("lower=true, transpose_a=NO_TRANSPOSE"), "{ { 0.6, 0.8 }, { 4.3, 2.4 } }");
  // [2 1; 0 5] X = b
  EXPECT_EQ(run("left_side=true, lower=true, transpose_a=TRANSPOSE"),
            "{ { -0.1, 0.8 }, { 2.2, 2.4 } }");
  // [1 4; 0 1] X = b
  EXPECT_EQ(run("left_side=true, unit_diagonal=true, transpose_a=NO_TRANSPOSE"),
            "{ { -42, -44 }, { 11, 12 } }");
}

}  // namespace
}  // namespace astitch
