// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// decompose: shorthand operations by what they stand for.
#include "tests/passes/pass_test_util.h"

namespace astitch {
namespace {

constexpr char kPass[] = "decompose";

TEST(DecomposeTest, ChangesNothing) {
  ExpectUnchanged(kPass, R"(
    x = f32[4,8] parameter(0)
    i = s32[] parameter(1)
    l = f32[4,8] logistic(x)
    t = (f32[4,2], s32[4,2]) topk(l), k=2
    d = f32[4,1] dynamic-slice(l, i, i), dynamic_slice_sizes={4,1}
    ROOT r = (f32[4,1], (f32[4,2], s32[4,2])) tuple(d, t))");
}

TEST(DecomposeTest, InferenceIsElementwise) {
  ExpectRewrite(kPass, R"(
    x = f32[4,8] parameter(0)
    s = f32[8] parameter(1)
    o = f32[8] parameter(2)
    m = f32[8] parameter(3)
    v = f32[8] parameter(4)
    ROOT b = f32[4,8] batch-norm-inference(x, s, o, m, v), epsilon=0.5, feature_index=1)",
                R"(
    x = f32[4,8] parameter(0)
    s = f32[8] parameter(1)
    o = f32[8] parameter(2)
    m = f32[8] parameter(3)
    v = f32[8] parameter(4)
    broadcast = f32[4,8] broadcast(m), dimensions={1}
    subtract = f32[4,8] subtract(x, broadcast)
    constant = f32[] constant(0.5)
    broadcast.1 = f32[8] broadcast(constant), dimensions={}
    add = f32[8] add(v, broadcast.1)
    rsqrt = f32[8] rsqrt(add)
    multiply = f32[8] multiply(rsqrt, s)
    broadcast.2 = f32[4,8] broadcast(o), dimensions={1}
    broadcast.3 = f32[4,8] broadcast(multiply), dimensions={1}
    multiply.1 = f32[4,8] multiply(subtract, broadcast.3)
    ROOT add.1 = f32[4,8] add(multiply.1, broadcast.2))");
}

TEST(DecomposeTest, TrainingAndGradLeaveReductions) {
  const std::unique_ptr<Graph> graph = ParseModule(R"(
    x = bf16[4,8] parameter(0)
    s = bf16[8] parameter(1)
    o = bf16[8] parameter(2)
    t = (bf16[4,8], bf16[8], bf16[8]) batch-norm-training(x, s, o), epsilon=0.5, feature_index=1
    m = bf16[8] get-tuple-element(t), index=1
    v = bf16[8] get-tuple-element(t), index=2
    ROOT g = (bf16[4,8], bf16[8], bf16[8]) batch-norm-grad(x, s, m, v, x), epsilon=0.5, feature_index=1)");
  ASSERT_TRUE(graph != nullptr);
  ASSERT_TRUE(RunPasses(*graph, {kPass, "simplify-tuples"}).ok());
  int reductions = 0;
  for (const auto& instruction : graph->entry()->instructions()) {
    EXPECT_NE(instruction->opcode(), Opcode::kBatchNormTraining);
    EXPECT_NE(instruction->opcode(), Opcode::kBatchNormGrad);
    if (instruction->opcode() != Opcode::kReduce) continue;
    ++reductions;
    EXPECT_EQ(instruction->shape().element_type(), ElementType::kF32);
  }
  EXPECT_EQ(reductions, 4);
  EXPECT_EQ(graph->computations().back().get(), graph->entry());
}

TEST(DecomposeTest, IndexVectorBecomesScalars) {
  ExpectRewrite(kPass, R"(
    x = f32[4,8] parameter(0)
    i = s32[2] parameter(1)
    ROOT d = f32[2,2] dynamic-slice(x, i), dynamic_slice_sizes={2,2})",
                R"(
    x = f32[4,8] parameter(0)
    i = s32[2] parameter(1)
    slice = s32[1] slice(i), slice={[0:1]}
    reshape = s32[] reshape(slice)
    slice.1 = s32[1] slice(i), slice={[1:2]}
    reshape.1 = s32[] reshape(slice.1)
    ROOT d.1 = f32[2,2] dynamic-slice(x, reshape, reshape.1), dynamic_slice_sizes={2,2})");
}

}  // namespace
}  // namespace astitch
