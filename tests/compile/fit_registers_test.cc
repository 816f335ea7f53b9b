// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Kernels that need more registers than the planner assumed, by an assembler that is told what it
// finds.
#include "compile/fit_registers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "frontend/hlo_text/parser.h"
#include "passes/pass_runner.h"
#include "plan/plan_text.h"
#include "stitch/planner.h"

namespace astitch {
namespace {

using ::testing::HasSubstr;

// Two kernels, since a product lies between them. Rows of the second are kept in registers.
constexpr absl::string_view kGraph = R"(HloModule two
add_f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY main {
  x = f32[2048,512] parameter(0)
  w = f32[512,8192] parameter(1)
  y = f32[2048,512] tanh(x)
  d = f32[2048,8192] dot(y, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  zero = f32[] constant(0)
  s = f32[2048] reduce(d, zero), dimensions={1}, to_apply=add_f
  sb = f32[2048,8192] broadcast(s), dimensions={0}
  ROOT p = f32[2048,8192] divide(d, sb)
}
)";

class FitRegistersTest : public ::testing::Test {
 protected:
  absl::StatusOr<Plan> PlanWith(const std::vector<int64_t>& more) {
    asked_.push_back(more);
    auto graph = ParseHloText(std::string(kGraph));
    if (!graph.ok()) return graph.status();
    if (auto status = RunPasses(**graph, StandardPipeline()).status(); !status.ok()) return status;
    PlannerOptions options;
    options.more_registers = more;
    return MakePlan(*std::move(graph), machine_, options);
  }

  // Of a kernel whose text names it: the cap of its registers.
  static int CapOf(const std::string& ptx) {
    const size_t at = ptx.find(".maxnreg ");
    int cap = 0;
    EXPECT_TRUE(
        absl::SimpleAtoi(ptx.substr(at + 9, ptx.find_first_of("\n ;", at + 9) - at - 9), &cap));
    return cap;
  }

  // Fits PLAN where kernel 1 needs so many registers.
  absl::StatusOr<Plan> Fit(int needed) {
    auto plan = PlanWith({});
    if (!plan.ok()) return plan.status();
    asked_.clear();
    return FitRegisters(
        *std::move(plan), machine_, {.sm = machine_.sm},
        [this](const std::vector<int64_t>& more) { return PlanWith(more); },
        [&](const std::string& ptx) -> absl::StatusOr<AssembledKernel> {
          if (!absl::StrContains(ptx, "k1_")) return AssembledKernel{32, 0, 0};
          const int cap = CapOf(ptx);
          return AssembledKernel{std::min(needed, cap), 4 * std::max(needed - cap, 0), 0};
        });
  }

  static const KernelPlan& Kernel(const Plan& plan, int number) {
    for (const PlanStep& step : plan.steps) {
      const auto* kernel = std::get_if<KernelPlan>(&step);
      if (kernel != nullptr && number-- == 0) return *kernel;
    }
    ADD_FAILURE() << "no such kernel";
    return std::get<KernelPlan>(plan.steps[0]);
  }

  MachineModel machine_ = FindMachine("a100").value();
  std::vector<std::vector<int64_t>> asked_;
};

TEST_F(FitRegistersTest, PlansThatFitStayAsTheyAre) {
  const auto before = PlanWith({});
  const auto after = Fit(32);
  ASSERT_TRUE(before.ok() && after.ok()) << after.status();
  EXPECT_TRUE(PlansEqual(*before, *after));
  EXPECT_TRUE(asked_.empty());
}

TEST_F(FitRegistersTest, AKernelThatSpillsGetsMoreRegistersAndSaysSo) {
  const auto before = PlanWith({});
  ASSERT_TRUE(before.ok()) << before.status();
  const int cap = Kernel(*before, 1).launch.registers;
  const auto after = Fit(cap + 10);
  ASSERT_TRUE(after.ok()) << after.status();
  EXPECT_GE(Kernel(*after, 1).launch.registers, cap + 10);
  EXPECT_LE(Kernel(*after, 1).launch.blocks_per_sm, Kernel(*before, 1).launch.blocks_per_sm);
  EXPECT_EQ(Kernel(*after, 0).launch, Kernel(*before, 0).launch) << "it needed nothing";
  ASSERT_FALSE(after->ledger.empty());
  const LedgerEntry& told = after->ledger.back();
  EXPECT_EQ(told.producer->name(), "p");
  EXPECT_EQ(told.consumer, nullptr);
  EXPECT_EQ(told.reason, "assembler-needs-more");
  EXPECT_THAT(
      told.detail,
      HasSubstr(
          "40 bytes of a thread spilled and 0 planned blocks of a multiprocessor did not fit, "
          "now 0 bytes"));
  EXPECT_EQ(after->ledger.size(), before->ledger.size() + 1);
}

TEST_F(FitRegistersTest, TheFewestRegistersThatDoAreTaken) {
  const int cap = Kernel(*PlanWith({}), 1).launch.registers;
  ASSERT_TRUE(Fit(cap + 1).ok());
  // The last plan is the one that is kept; all that were tried before gave less.
  ASSERT_FALSE(asked_.empty());
  for (size_t n = 0; n + 1 < asked_.size(); ++n) EXPECT_LE(asked_[n][1], asked_.back()[1]);
  for (const std::vector<int64_t>& more : asked_) EXPECT_EQ(more[0], 0) << "kernel 0 fits";
}

TEST_F(FitRegistersTest, WhatNothingHelpsIsLeftAsPlanned) {
  const auto before = PlanWith({});
  // More than a thread can have: a spill whatever the plan, of the same size.
  absl::StatusOr<Plan> plan = PlanWith({});
  const auto after = FitRegisters(
      *std::move(plan), machine_, {.sm = machine_.sm},
      [this](const std::vector<int64_t>& more) { return PlanWith(more); },
      [](const std::string&) -> absl::StatusOr<AssembledKernel> {
        return AssembledKernel{32, 8, 0};
      });
  ASSERT_TRUE(before.ok() && after.ok()) << after.status();
  EXPECT_TRUE(PlansEqual(*before, *after));
}

TEST_F(FitRegistersTest, BlocksThatSharedMemoryKeepsOutAreSeen) {
  const auto before = PlanWith({});
  absl::StatusOr<Plan> plan = PlanWith({});
  const auto after = FitRegisters(
      *std::move(plan), machine_, {.sm = machine_.sm},
      [this](const std::vector<int64_t>& more) { return PlanWith(more); },
      [this](const std::string& ptx) -> absl::StatusOr<AssembledKernel> {
        const bool second = absl::StrContains(ptx, "k1_");
        return AssembledKernel{32, 0, second ? machine_.shared_bytes_per_sm / 2 : 0};
      });
  ASSERT_TRUE(before.ok() && after.ok()) << after.status();
  ASSERT_GT(Kernel(*before, 1).launch.blocks_per_sm, 1);
  EXPECT_LT(Kernel(*after, 1).launch.blocks_per_sm, Kernel(*before, 1).launch.blocks_per_sm);
  EXPECT_THAT(after->ledger.back().detail,
              HasSubstr("planned blocks of a multiprocessor did not fit, now 0"));
}

TEST_F(FitRegistersTest, TheAssemblersErrorsComeBack) {
  absl::StatusOr<Plan> plan = PlanWith({});
  const auto after = FitRegisters(
      *std::move(plan), machine_, {.sm = machine_.sm},
      [this](const std::vector<int64_t>& more) { return PlanWith(more); },
      [](const std::string&) -> absl::StatusOr<AssembledKernel> {
        return absl::InternalError("no such instruction");
      });
  EXPECT_EQ(after.status().message(), "no such instruction");
}

}  // namespace
}  // namespace astitch
