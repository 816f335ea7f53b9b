// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Few long rows on a GPU with clusters: blocks of a cluster share a row, and what the row's later
// sweeps need of it stays on chip. Right in every order, without a barrier of the grid; and what
// clusters cannot do is planned without them.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "tests/ladder/device.h"
#include "tests/ladder/golden.h"
#include "tests/test_machine.h"

namespace astitch::testing {
namespace {

constexpr absl::string_view kBodies = R"(HloModule rows
most { a = TYPE[] parameter(0) b = TYPE[] parameter(1) ROOT r = TYPE[] maximum(a, b) }
sum { a = TYPE[] parameter(0) b = TYPE[] parameter(1) ROOT r = TYPE[] add(a, b) }
best {
  a = f32[] parameter(0) i = s32[] parameter(1) b = f32[] parameter(2) j = s32[] parameter(3)
  above = pred[] compare(a, b), direction=GT
  no_number = pred[] compare(a, a), direction=NE
  more = pred[] or(above, no_number)
  same = pred[] compare(a, b), direction=EQ
  first = pred[] compare(i, j), direction=LT
  tie = pred[] and(same, first)
  take = pred[] or(more, tie)
  v = f32[] select(take, a, b)
  n = s32[] select(take, i, j)
  ROOT r = (f32[], s32[]) tuple(v, n)
}
ENTRY e {
  x = TYPE[ROWS,COLUMNS] parameter(0)
  low = TYPE[] constant(-inf)
  zero = TYPE[] constant(0)
)";

// The lines of a softmax up to its quotient %p.
constexpr absl::string_view kSoftmax = R"(
  top = TYPE[ROWS] reduce(x, low), dimensions={1}, to_apply=most
  tops = TYPE[ROWS,COLUMNS] broadcast(top), dimensions={0}
  w = TYPE[ROWS,COLUMNS] exponential(subtract(x, tops))
  total = TYPE[ROWS] reduce(w, zero), dimensions={1}, to_apply=sum
  totals = TYPE[ROWS,COLUMNS] broadcast(total), dimensions={0}
  p = TYPE[ROWS,COLUMNS] divide(w, totals)
)";

struct Case {
  const char* name;
  const char* type;
  int rows, columns;
  std::string body;
  bool clusters = true;
};

std::string HloOf(const Case& c) {
  return absl::StrReplaceAll(
      absl::StrCat(kBodies, c.body, "}\n"),
      {{"TYPE", c.type}, {"ROWS", absl::StrCat(c.rows)}, {"COLUMNS", absl::StrCat(c.columns)}});
}

std::vector<Case> Cases() {
  const std::string softmax(kSoftmax);
  const std::string all = "ROOT r = TYPE[ROWS,COLUMNS] copy(p)\n";
  return {
      {"sums", "f32", 3, 9000,
       "ROOT s = TYPE[ROWS] reduce(x, zero), dimensions={1}, to_apply=sum\n"},
      {"softmax", "f32", 2, 12000, softmax + all},
      {"odd_columns", "f32", 3, 8191, softmax + all},
      {"longer_than_registers", "f32", 2, 120000, softmax + all},
      {"bf16", "bf16", 2, 20000, softmax + all},
      {"f64", "f64", 2, 6000, softmax + all},
      {"statistics_too", "f32", 2, 12000,
       softmax + "l = TYPE[ROWS] log(total)\n"
                 "ROOT r = (TYPE[ROWS,COLUMNS], TYPE[ROWS], TYPE[ROWS]) tuple(p, top, l)\n"},
      {"argmax", "f32", 3, 9000,
       "n = s32[ROWS,COLUMNS] iota(), iota_dimension=1\nfirst = s32[] constant(0)\n"
       "a = (f32[ROWS], s32[ROWS]) reduce(x, n, low, first), dimensions={1}, to_apply=best\n"
       "v = f32[ROWS] get-tuple-element(a), index=0\nk = s32[ROWS] get-tuple-element(a), index=1\n"
       "ROOT r = (s32[ROWS], f32[ROWS]) tuple(k, v)\n"},
      // Other columns of a row are read from memory.
      {"columns_of_other_blocks", "f32", 2, 12000,
       softmax + "v = TYPE[ROWS,COLUMNS] reverse(w), dimensions={1}\n"
                 "ROOT r = TYPE[ROWS,COLUMNS] add(v, p)\n",
       false},
      // The sum of all rows waits for other clusters.
      {"the_sum_of_all", "f32", 2, 12000,
       softmax + "t = TYPE[] reduce(p, zero), dimensions={0,1}, to_apply=sum\n"
                 "ROOT r = (TYPE[ROWS,COLUMNS], TYPE[]) tuple(p, t)\n",
       false},
      // Columns beside which blocks of a cluster would have parts of another length.
      {"two_lengths", "f32", 2, 12000,
       "y = TYPE[ROWS,500] parameter(1)\n" + softmax +
           "s = TYPE[ROWS] reduce(y, zero), dimensions={1}, to_apply=sum\n"
           "ss = TYPE[ROWS,COLUMNS] broadcast(s), dimensions={0}\n"
           "ROOT r = TYPE[ROWS,COLUMNS] add(p, ss)\n",
       false},
  };
}

class Clusters : public ::testing::TestWithParam<Case> {};

TEST_P(Clusters, ShareRowsAndGiveTheInterpretersValues) {
  const std::string hlo = HloOf(GetParam());
  Golden golden;
  golden.target = "h100-4-sm";
  golden.fusion = "stitch";
  golden.hlo = hlo;
  const auto plan = FullPlan(golden);
  ASSERT_TRUE(plan.ok()) << plan.status() << hlo;
  ASSERT_EQ(plan->num_kernels(), 1);
  const auto* kernel = std::get_if<KernelPlan>(&plan->steps[0]);
  ASSERT_NE(kernel, nullptr);
  const bool clusters = std::any_of(kernel->phases.begin(), kernel->phases.end(),
                                    [](const Phase& phase) { return phase.cluster > 1; });
  EXPECT_EQ(clusters, GetParam().clusters);
  const bool waits = std::any_of(kernel->phases.begin(), kernel->phases.end(),
                                 [](const Phase& phase) { return phase.waits_for_blocks(); });
  EXPECT_EQ(kernel->launch.cooperative, waits);
  EXPECT_FALSE(clusters && waits);
  const auto program = CompileProgram(hlo, TestTarget("h100-4-sm"), "stitch");
  ASSERT_TRUE(program.ok()) << program.status();
  for (const simt::Order order :
       {simt::Order::kForward, simt::Order::kReverse, simt::Order::kRandom, simt::Order::kStarve}) {
    SimulatorOptions options;
    options.order = order;
    options.seed = 7;
    options.traffic = false;
    EXPECT_EQ(Fault(*program, RunProgram(*program, options, 2)), "")
        << "order " << static_cast<int>(order);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Clusters, ::testing::ValuesIn(Cases()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace astitch::testing
