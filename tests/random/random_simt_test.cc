// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Random graphs as programs for GPUs, on the simulated device with all its checks, against the
// interpreter.
//
// ASTITCH_RANDOM_SEEDS=FIRST:COUNT looks at other graphs than those of the day's test.
#include "gtest/gtest.h"
#include "tests/random/search.h"

namespace astitch::testing {
namespace {

constexpr int kGraphs = 200;
constexpr int64_t kLargest = 20000;

RandomGraphOptions Options(uint32_t seed) { return OptionsOf(seed, kLargest); }

TEST(RandomSimtTest, DevicesGiveTheInterpretersValues) {
  ExpectNoFault(Seeds(1, kGraphs), Options, SimulatorWays);
}

TEST(RandomSimtTest, EarlierFaultsStayGone) { ExpectEarlierFaultsGone(SimulatorWays(1)); }

}  // namespace
}  // namespace astitch::testing
