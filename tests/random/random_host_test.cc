// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Random graphs on the host against the interpreter, with every fusion and thread count.
//
// ASTITCH_RANDOM_SEEDS=FIRST:COUNT looks at other graphs than those of the day's test.
#include "gtest/gtest.h"
#include "tests/random/search.h"

namespace astitch::testing {
namespace {

constexpr int kGraphs = 100;

// Most graphs are small and many; some are large enough for several workers and tiles.
RandomGraphOptions OptionsOf(uint32_t seed) {
  RandomGraphOptions options;
  options.seed = seed;
  options.operations = 3 + static_cast<int>(seed * 7 % 28);
  options.max_elements = seed % 8 == 0 ? 100000 : seed % 2 == 0 ? 4096 : 600;
  return options;
}

TEST(RandomHostTest, HostGivesTheInterpretersValues) {
  ExpectNoFault(Seeds(1, kGraphs), OptionsOf, [](uint32_t) { return HostWays(); });
}

TEST(RandomHostTest, EarlierFaultsStayGone) { ExpectEarlierFaultsGone(HostWays()); }

}  // namespace
}  // namespace astitch::testing
