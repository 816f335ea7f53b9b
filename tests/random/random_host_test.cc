// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Random graphs on the host against the interpreter, with every fusion and thread count.
//
// ASTITCH_RANDOM_SEEDS=FIRST:COUNT looks at other graphs than those of every commit.
#include "gtest/gtest.h"
#include "tests/random/ci_graphs.h"
#include "tests/random/search.h"

namespace astitch::testing {
namespace {

RandomGraphOptions Options(uint32_t seed) { return OptionsOf(seed, kHostGraphs.largest); }

TEST(RandomHostTest, HostGivesTheInterpretersValues) {
  ExpectNoFault(Seeds(kHostGraphs.first, kHostGraphs.count), Options, HostWays);
}

TEST(RandomHostTest, EarlierFaultsStayGone) {
  for (uint32_t seed = 0; seed < 3; ++seed) ExpectEarlierFaultsGone(HostWays(seed));
}

}  // namespace
}  // namespace astitch::testing
