// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Random graphs: the host's code against the interpreter, with every fusion and thread count. A
// failure is shrunk and printed as HLO text, ready to become a file of tests/data/random.
//
// ASTITCH_RANDOM_SEEDS=FIRST:COUNT looks at other graphs than those of the day's test.
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/file.h"
#include "frontend/hlo_text/parser.h"
#include "gtest/gtest.h"
#include "ir/hlo_printer.h"
#include "ir/verifier.h"
#include "tests/random/differential.h"
#include "tests/random/random_graph.h"
#include "tests/random/shrink.h"

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

std::string KindOfFault(const std::string& fault) { return fault.substr(0, fault.find(':')); }

std::pair<uint32_t, uint32_t> Seeds() {
  uint32_t first = 1, count = kGraphs;
  if (const char* wanted = std::getenv("ASTITCH_RANDOM_SEEDS")) {
    const std::vector<std::string> parts = absl::StrSplit(wanted, ':');
    if (parts.size() != 2 || !absl::SimpleAtoi(parts[0], &first) ||
        !absl::SimpleAtoi(parts[1], &count)) {
      ADD_FAILURE() << "expected ASTITCH_RANDOM_SEEDS=FIRST:COUNT, got " << wanted;
    }
  }
  return {first, count};
}

TEST(RandomHostTest, HostGivesTheInterpretersValues) {
  const auto [first, count] = Seeds();
  int faults = 0;
  for (uint32_t seed = first; seed < first + count && faults < 8; ++seed) {
    const std::unique_ptr<Graph> graph = MakeRandomGraph(OptionsOf(seed));
    ASSERT_TRUE(VerifyGraph(*graph).ok()) << VerifyGraph(*graph) << ToHloText(*graph);
    const std::string fault = FindFault(*graph);
    if (fault.empty()) continue;
    ++faults;
    const std::string kind = KindOfFault(fault);
    const std::unique_ptr<Graph> smaller = Shrink(
        *graph, [&](const Graph& candidate) { return KindOfFault(FindFault(candidate)) == kind; });
    ADD_FAILURE() << "seed " << seed << ": " << fault << "\nsmaller: " << FindFault(*smaller)
                  << "\n"
                  << ToHloText(*smaller);
  }
}

// What failed once, each made as small as it goes.
TEST(RandomHostTest, EarlierFaultsStayGone) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(ASTITCH_TEST_DATA "/random")) {
    const auto text = ReadFile(entry.path().string());
    ASSERT_TRUE(text.ok()) << text.status();
    const auto graph = ParseHloText(*text);
    ASSERT_TRUE(graph.ok()) << graph.status();
    EXPECT_EQ(FindFault(**graph), "") << entry.path();
    ++files;
  }
  EXPECT_GE(files, 1);
}

}  // namespace
}  // namespace astitch::testing
