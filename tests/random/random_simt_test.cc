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

// Small, but of several blocks now and then.
RandomGraphOptions OptionsOf(uint32_t seed) {
  RandomGraphOptions options;
  options.seed = seed;
  options.operations = 3 + static_cast<int>(seed * 7 % 28);
  options.max_elements = seed % 8 == 0 ? 20000 : seed % 2 == 0 ? 4096 : 600;
  return options;
}

TEST(RandomSimtTest, DevicesGiveTheInterpretersValues) {
  ExpectNoFault(Seeds(1, kGraphs), OptionsOf, SimulatorWays);
}

TEST(RandomSimtTest, EarlierFaultsStayGone) { ExpectEarlierFaultsGone(SimulatorWays(1)); }

}  // namespace
}  // namespace astitch::testing
