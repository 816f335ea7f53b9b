// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Which random graphs are compiled and run on every commit, in one place: the tests that run them
// (random_host_test.cc, random_simt_test.cc) and the one that counts what they reach
// (coverage_test.cc) speak of the same graphs.
//
// Another day's graphs: ASTITCH_RANDOM_SEEDS (search.h). In Debug builds ctest runs a part of them.
#pragma once

#include <cstdint>

namespace astitch::testing {

struct GraphSeries {
  uint32_t first, count;
  int64_t largest;  // elements of a value of every eighth graph
};

// Each runs in three ways on the host.
inline constexpr GraphSeries kHostGraphs = {1, 670, 100000};
// Each runs on four generations of simulated GPUs, those of long rows on one of them in turn.
inline constexpr GraphSeries kSimulatorGraphs = {1, 1000, 20000};

}  // namespace astitch::testing
