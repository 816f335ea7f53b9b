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
constexpr int64_t kLargest = 100000;

RandomGraphOptions Options(uint32_t seed) { return OptionsOf(seed, kLargest); }

TEST(RandomHostTest, HostGivesTheInterpretersValues) {
  ExpectNoFault(Seeds(1, kGraphs), Options, HostWays);
}

TEST(RandomHostTest, EarlierFaultsStayGone) {
  for (uint32_t seed = 0; seed < 3; ++seed) ExpectEarlierFaultsGone(HostWays(seed));
}

}  // namespace
}  // namespace astitch::testing
