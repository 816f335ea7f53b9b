// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Every operation evaluated element by element, under sweeps of every shape: single columns, lanes
// along columns, lanes along rows, with lanes that cross the boundaries of what is sliced,
// reshaped and concatenated.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "frontend/hlo_text/parser.h"
#include "tests/codegen/elemental_cases.h"
#include "tests/codegen/plan_runner.h"

namespace astitch::testing {
namespace {

class Elemental : public ::testing::TestWithParam<ElementalCase> {};

TEST_P(Elemental, MatchesTheInterpreterUnderEverySweep) {
  const StoreSweep sweeps[] = {{.vector = 1},
                               {.vector = 8, .unroll = 2},
                               {.vector = 4, .rows = true},
                               {.vector = 4, .rows = true, .vector_rows = true}};
  for (const StoreSweep& sweep : sweeps) {
    auto graph = ParseHloText(ElementalText(GetParam()));
    ASSERT_TRUE(graph.ok()) << graph.status().message();
    const Plan plan = StorePlan(*std::move(graph), sweep);
    for (uint64_t seed : {1, 2}) {
      EXPECT_EQ(Check(plan, {.workers = 2, .misalign = seed == 2}, seed), "")
          << "vector " << sweep.vector << " unroll " << sweep.unroll << " rows " << sweep.rows
          << " lanes along rows " << sweep.vector_rows << " seed " << seed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, Elemental, ::testing::ValuesIn(ElementalCases()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace astitch::testing
