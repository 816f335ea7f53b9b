// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The least that library calls allow, of plans that reach it and of one that does not.
#include "plan/least.h"

#include <gtest/gtest.h>

#include "frontend/hlo_text/parser.h"
#include "stitch/machine.h"
#include "stitch/planner.h"

namespace astitch {
namespace {

// x, in 64 bytes, goes through an exponential, a product and a sum with its logarithm.
constexpr absl::string_view kGraph = R"(HloModule m
ENTRY e {
  x = f32[4,4] parameter(0)
  a = f32[4,4] exponential(x)
  b = f32[4,4] log(x)
  d = f32[4,4] dot(a, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  e = f32[4,4] tanh(d)
  ROOT c = f32[4,4] multiply(e, b)
})";

Plan PlanOf(Fusion fusion) {
  auto graph = ParseHloText(kGraph);
  auto plan = MakePlan(*std::move(graph), FindMachine("a100").value(), {fusion});
  EXPECT_TRUE(plan.ok()) << plan.status();
  return *std::move(plan);
}

TEST(LeastPlan, IsAKernelBetweenTwoRanksAndWhatCrossesThem) {
  // The logarithm moves behind the product: x and a before it; d, x and c behind it.
  const Plan plan = PlanOf(Fusion::kStitch);
  const LeastPlan least = LeastOf(plan);
  EXPECT_EQ(least.kernels, 2);
  EXPECT_EQ(least.bytes, 5 * 64);
  EXPECT_EQ(plan.num_kernels(), 2);
  EXPECT_EQ(plan.total_traffic().total(), 5 * 64);
}

TEST(LeastPlan, CountsRanksOfAPlanOfManyKernelsAndArraysBetweenThemOnce) {
  // Here the logarithm is before the product, and is carried across.
  const Plan plan = PlanOf(Fusion::kNone);
  EXPECT_EQ(plan.num_kernels(), 4);
  const LeastPlan least = LeastOf(plan);
  EXPECT_EQ(least.kernels, 2);
  EXPECT_EQ(least.bytes, 6 * 64);
}

TEST(LeastPlan, ATranspositionThatAProductReadsThroughIsNoStepBetweenTwoProducts) {
  auto graph = ParseHloText(R"(HloModule m
ENTRY e {
  x = f32[64,64] parameter(0)
  d = f32[64,64] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  t = f32[64,64] transpose(d), dimensions={1,0}
  f = f32[64,64] dot(t, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  a = f32[64,64] exponential(d)
  b = f32[64,64] tanh(f)
  c = f32[64,64] multiply(t, b)
  ROOT r = (f32[64,64], f32[64,64]) tuple(a, c)
})");
  const auto plan = MakePlan(*std::move(graph), FindMachine("a100").value(), {});
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->num_kernels(), 1);
  EXPECT_EQ(LeastOf(*plan).kernels, 1);
}

}  // namespace
}  // namespace astitch
