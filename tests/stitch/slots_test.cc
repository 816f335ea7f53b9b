// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Slots share the bytes of the tile as far as their lives allow; what has no room even so is computed
// again or moves to scratch, whichever is predicted to be faster.
#include "stitch/slots.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "stitch/machine.h"
#include "tests/stitch/planned.h"

namespace astitch {
namespace {

// LINKS times: each row divided by its sum, after an exponential of a hyperbolic tangent.
std::string Chain(int links, int64_t rows, int64_t columns) {
  const std::string row = absl::StrCat("f32[", rows, "]");
  const std::string all = absl::StrCat("f32[", rows, ",", columns, "]");
  std::string body = absl::StrCat("  v = ", all, " parameter(0)\n"), value = "v";
  for (int i = 0; i < links; ++i) {
    absl::StrAppend(&body, "  t", i, " = ", all, " tanh(", value, ")\n");
    absl::StrAppend(&body, "  e", i, " = ", all, " exponential(t", i, ")\n");
    absl::StrAppend(&body, "  sum", i, " = ", row, " reduce(e", i,
                    ", zero), dimensions={1}, to_apply=add_f\n");
    absl::StrAppend(&body, "  sums", i, " = ", all, " broadcast(sum", i, "), dimensions={0}\n");
    absl::StrAppend(&body, "  d", i, " = ", all, " divide(e", i, ", sums", i, ")\n");
    value = absl::StrCat("d", i);
  }
  return absl::StrCat(body, "  ROOT out = ", all, " negate(", value, ")");
}

const KernelPlan& OnlyKernel(const Plan& plan) {
  EXPECT_EQ(plan.steps.size(), 1);
  return std::get<KernelPlan>(plan.steps[0]);
}

TEST(Slots, OfALongChainNeedTheBytesOfTwo) {
  const Plan plan = PlanOf(Chain(8, 512, 20000), FindMachine("a100").value());
  const KernelPlan& kernel = OnlyKernel(plan);
  EXPECT_EQ(kernel.launch.shared_bytes, 2 * 80000);
  EXPECT_EQ(kernel.launch.scratch_bytes, 0);
  EXPECT_EQ(kernel.traffic.total(), kernel.traffic.bound);
  int slots = 0;
  for (const Placement& place : kernel.placements) slots += place.home == Home::kRegional;
  EXPECT_EQ(slots, 8) << "only what is divided later is kept";
}

// A warp has rows of its own; nobody waits for other warps.
TEST(Slots, KeepTheirBytesWhereNoBarrierOfTheBlockComesBetween) {
  const Plan plan = PlanOf(Chain(4, 4096, 256), FindMachine("a100").value());
  const KernelPlan& kernel = OnlyKernel(plan);
  int64_t bytes = 0;
  for (const Placement& place : kernel.placements)
    bytes += place.home == Home::kRegional ? place.bytes : 0;
  EXPECT_GT(bytes, 0);
  EXPECT_EQ(kernel.launch.shared_bytes, bytes);
  for (const Stage& stage : kernel.phases[0].stages) EXPECT_LT(stage.barrier, StageBarrier::kBlock);
}

TEST(Slots, OfWorkersAreSharedWithoutABarrier) {
  MachineModel host;
  host.kind = MachineModel::Kind::kHost;
  host.workers = 2;
  const Plan plan = PlanOf(Chain(8, 512, 1024), host);
  const KernelPlan& kernel = OnlyKernel(plan);
  int64_t bytes = 0;
  for (const Placement& place : kernel.placements)
    bytes += place.home == Home::kRegional ? place.bytes : 0;
  EXPECT_LT(3 * kernel.launch.shared_bytes, bytes);
}

// Rows of 120,000 bytes: one of them fits a block, and what has to be there for the next sweep is two.
TEST(Slots, WithoutRoomMoveToScratchWhereThatIsMuchFaster) {
  const Plan plan = PlanOf(Chain(6, 512, 30000), FindMachine("a100").value());
  const KernelPlan& kernel = OnlyKernel(plan);
  int moved = 0;
  for (const Placement& place : kernel.placements) moved += place.home == Home::kGlobal;
  EXPECT_GT(moved, 0);
  EXPECT_EQ(kernel.phases.size(), 1) << "each block reads what it has written";
}

}  // namespace
}  // namespace astitch
