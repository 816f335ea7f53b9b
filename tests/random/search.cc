// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/random/search.h"

#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <iostream>
#include <string>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/file.h"
#include "check/error_bounds.h"
#include "check/shrink.h"
#include "frontend/hlo_text/parser.h"
#include "gtest/gtest.h"
#include "ir/hlo_printer.h"
#include "ir/verifier.h"

namespace astitch::testing {
namespace {

std::string KindOfFault(const std::string& fault) { return fault.substr(0, fault.find(':')); }

constexpr int64_t kFewElements = 16000;

// The focus of graph NUMBER of those that have one: every type meets every sweep.
Focus FocusOf(uint32_t number) {
  // The narrowest floats twice: of half of their sums nothing is known, and those are not made.
  constexpr ElementType kTypes[] = {
      ElementType::kPred,     ElementType::kS8,       ElementType::kS16,    ElementType::kS32,
      ElementType::kS64,      ElementType::kU8,       ElementType::kU16,    ElementType::kU32,
      ElementType::kU64,      ElementType::kF16,      ElementType::kBF16,   ElementType::kF32,
      ElementType::kF64,      ElementType::kF8E4M3FN, ElementType::kF8E5M2, ElementType::kF8E4M3FN,
      ElementType::kF8E4M3FN, ElementType::kF8E5M2};
  // Columns and split rows most often: the planner finds them the least.
  constexpr Sweep kSweeps[] = {Sweep::kRows,           Sweep::kColumns, Sweep::kSplitRows,
                               Sweep::kFlat,           Sweep::kColumns, Sweep::kSplitRows,
                               Sweep::kLanesAlongRows, Sweep::kColumns, Sweep::kSplitRows,
                               Sweep::kTurned,         Sweep::kTurned,  Sweep::kLanesAlongRows};
  const uint32_t types = std::size(kTypes), sweeps = std::size(kSweeps);
  // Of each every second time; of the last, where slots are rarest, always.
  const uint32_t sweep = number / types % sweeps;
  const bool dear = number / (types * sweeps) % 2 == 1 || sweep + 1 == sweeps;
  return {kTypes[number % types], kSweeps[sweep], dear};
}

}  // namespace

std::pair<uint32_t, uint32_t> Seeds(uint32_t first, uint32_t count) {
  if (const char* wanted = std::getenv("ASTITCH_RANDOM_SEEDS")) {
    const std::vector<std::string> parts = absl::StrSplit(wanted, ':');
    constexpr uint32_t kADay = 100000;
    const bool today = parts[0] == "today";
    if (today) first = static_cast<uint32_t>(std::time(nullptr) / 86400 % 10000) * kADay;
    if (parts.size() != 2 || (!today && !absl::SimpleAtoi(parts[0], &first)) ||
        !absl::SimpleAtoi(parts[1], &count)) {
      ADD_FAILURE() << "expected ASTITCH_RANDOM_SEEDS=FIRST:COUNT, got " << wanted;
    }
  }
  if (const char* wanted = std::getenv("ASTITCH_RANDOM_SHARD")) {
    const std::vector<std::string> parts = absl::StrSplit(wanted, ':');
    uint32_t shard = 0, shards = 0;
    if (parts.size() != 2 || !absl::SimpleAtoi(parts[0], &shard) ||
        !absl::SimpleAtoi(parts[1], &shards) || shard >= shards) {
      ADD_FAILURE() << "expected ASTITCH_RANDOM_SHARD=NUMBER:SHARDS, got " << wanted;
      return {first, 0};
    }
    const uint32_t begin = count * shard / shards, end = count * (shard + 1) / shards;
    return {first + begin, end - begin};
  }
  return {first, count};
}

RandomGraphOptions OptionsOf(uint32_t seed, int64_t largest) {
  RandomGraphOptions options;
  options.seed = seed;
  // Knuth's multiplicative hash: how long a graph is does not go with how large its values are.
  options.operations = 3 + static_cast<int>((seed * 2654435761u >> 16) % 28);
  options.max_elements = seed % 8 == 0 ? largest : seed % 4 == 0 ? 4096 : 1000;
  if (seed % kFocusStride == kFocusStride - 1) {
    options.focus = FocusOf(seed / kFocusStride);
    const bool long_rows = options.focus->sweep == Sweep::kSplitRows;
    options.operations = long_rows ? 3 : 4;
    options.max_elements = long_rows ? 64000 : kFewElements;
  }
  return options;
}

std::vector<Way> SimulatorWaysOf(uint32_t seed) {
  std::vector<Way> ways = SimulatorWays(seed);
  // One more whose phases do not find all in the cache, and go backward or slice by slice.
  constexpr uint32_t kEach = 4;
  if (seed % kEach == 0)
    ways.push_back({.target = "@" ASTITCH_TEST_DATA "/machines/small-l2.json", .seed = seed});
  if (OptionsOf(seed, kFewElements).max_elements <= kFewElements) return ways;
  return {ways[seed / kFocusStride % ways.size()]};
}

void ExpectNoFault(std::pair<uint32_t, uint32_t> seeds,
                   absl::FunctionRef<RandomGraphOptions(uint32_t seed)> options,
                   absl::FunctionRef<std::vector<Way>(uint32_t seed)> ways_of) {
  const auto [first, count] = seeds;
  int faults = 0;
  int64_t results = 0, undecided = 0;
  for (uint32_t seed = first; seed < first + count && faults < 8; ++seed) {
    const std::unique_ptr<Graph> graph = MakeRandomGraph(options(seed));
    ASSERT_TRUE(VerifyGraph(*graph).ok()) << VerifyGraph(*graph) << ToHloText(*graph);
    const std::vector<Way> ways = ways_of(seed);
    for (const ErrorBound& bound : ResultBounds(*graph)) {
      ++results;
      undecided += bound.unknown;
    }
    const std::string fault = FindFault(*graph, ways);
    if (fault.empty()) continue;
    ++faults;
    const std::string kind = KindOfFault(fault);
    const std::unique_ptr<Graph> smaller = Shrink(*graph, [&](const Graph& candidate) {
      return KindOfFault(FindFault(candidate, ways)) == kind;
    });
    ADD_FAILURE() << "seed " << seed << ": " << fault << "\nsmaller: " << FindFault(*smaller, ways)
                  << "\n"
                  << ToHloText(*smaller);
  }
  std::cout << count << " graphs from seed " << first << "; " << undecided << " of " << results
            << " results were run and not compared: they hang on a rounding\n";
  constexpr uint32_t kTelling = 50;  // graphs
  if (count >= kTelling) {
    EXPECT_LT(2 * undecided, results) << "too few results are compared";
  }
}

void ExpectEarlierFaultsGone(absl::Span<const Way> ways) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(ASTITCH_TEST_DATA "/random")) {
    const auto text = ReadFile(entry.path().string());
    ASSERT_TRUE(text.ok()) << text.status();
    const auto graph = ParseHloText(*text);
    ASSERT_TRUE(graph.ok()) << graph.status();
    EXPECT_EQ(FindFault(**graph, ways), "") << entry.path();
    ++files;
  }
  EXPECT_GE(files, 1);
}

}  // namespace astitch::testing
