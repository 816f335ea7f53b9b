// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Looks for random graphs that fail, and shrinks them.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "check/differential.h"
#include "tests/random/random_graph.h"

namespace astitch::testing {

// The first seed and how many: those given, or those of ASTITCH_RANDOM_SEEDS=FIRST:COUNT. FIRST may
// be "today": other graphs every day. Of them only a part, if ASTITCH_RANDOM_SHARD=NUMBER:SHARDS asks
// for it, so that all CPUs have work.
std::pair<uint32_t, uint32_t> Seeds(uint32_t first, uint32_t count);

// Graph SEED of a series: most are small and many, every eighth has values of up to LARGEST elements,
// enough for several workers or blocks, and every other has a focus.
inline constexpr uint32_t kFocusStride = 2;
RandomGraphOptions OptionsOf(uint32_t seed, int64_t largest);

// How graph SEED runs on simulated GPUs: on all four, or on one in turn where its values are large.
std::vector<Way> SimulatorWaysOf(uint32_t seed);

// A test failure for every graph that some way computes otherwise than the interpreter, with the
// smallest graph of the same kind of fault as HLO text, ready to become a file of tests/data/random.
void ExpectNoFault(std::pair<uint32_t, uint32_t> seeds,
                   absl::FunctionRef<RandomGraphOptions(uint32_t seed)> options,
                   absl::FunctionRef<std::vector<Way>(uint32_t seed)> ways);

// The same of the files in tests/data/random: what failed once, each made as small as it goes.
void ExpectEarlierFaultsGone(absl::Span<const Way> ways);

}  // namespace astitch::testing
