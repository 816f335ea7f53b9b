// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Random graphs as programs for GPUs, on the simulated device with all its checks, against the
// interpreter.
//
// ASTITCH_RANDOM_SEEDS=FIRST:COUNT looks at other graphs than those of every commit.
#include "gtest/gtest.h"
#include "tests/random/ci_graphs.h"
#include "tests/random/search.h"

namespace astitch::testing {
namespace {

RandomGraphOptions Options(uint32_t seed) { return OptionsOf(seed, kSimulatorGraphs.largest); }

TEST(RandomSimtTest, DevicesGiveTheInterpretersValues) {
  ExpectNoFault(Seeds(kSimulatorGraphs.first, kSimulatorGraphs.count), Options, SimulatorWaysOf);
}

TEST(RandomSimtTest, EarlierFaultsStayGone) { ExpectEarlierFaultsGone(SimulatorWays(1)); }

}  // namespace
}  // namespace astitch::testing
