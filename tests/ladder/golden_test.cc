// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Every golden plan of a GPU has a reduced graph of the same stages and homes, whose program runs
// right on the simulated device, in every order, and moves the bytes that its plan states.
#include "tests/ladder/golden.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/checked_math.h"
#include "tests/ladder/device.h"

namespace astitch::testing {
namespace {

class OnDevice : public ::testing::TestWithParam<Golden> {};

TEST_P(OnDevice, TheReducedGraphHasTheSameStagesAndHomes) {
  ASSERT_NE(GetParam().reduced, "") << "no line 'reduced' in " << GetParam().name;
  const auto full = PlanOf(GetParam(), GetParam().hlo);
  const auto reduced = PlanOf(GetParam(), GetParam().reduced);
  ASSERT_TRUE(full.ok()) << full.status();
  ASSERT_TRUE(reduced.ok()) << reduced.status();
  EXPECT_EQ(Structure(*full), Structure(*reduced));
}

TEST_P(OnDevice, RunsRightInEveryOrderTwiceInARow) {
  const auto program = CompileProgram(GetParam().reduced, GetParam().target, GetParam().fusion);
  ASSERT_TRUE(program.ok()) << program.status();
  for (const simt::Order order :
       {simt::Order::kForward, simt::Order::kReverse, simt::Order::kRandom, simt::Order::kStarve}) {
    SimulatorOptions options;
    options.order = order;
    options.seed = 11;
    EXPECT_EQ(Fault(*program, RunProgram(*program, options, 2)), "")
        << "order " << static_cast<int>(order);
  }
}

INSTANTIATE_TEST_SUITE_P(Goldens, OnDevice, ::testing::ValuesIn(GpuGoldens()),
                         [](const auto& info) {
                           std::string name = info.param.name;
                           std::replace_if(
                               name.begin(), name.end(), [](char c) { return !isalnum(c); }, '_');
                           return name;
                         });

}  // namespace
}  // namespace astitch::testing
