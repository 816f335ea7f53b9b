// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// order-ties: argmax as frameworks write it.
#include "ir/fold_order.h"
#include "tests/passes/pass_test_util.h"

namespace astitch {
namespace {

constexpr char kPass[] = "order-ties";

// Of two NaNs the first wins, of two equal values the one with the smaller index.
constexpr char kArgmax[] = R"(
    argmax {
      x = f32[] parameter(0)
      i = s32[] parameter(1)
      y = f32[] parameter(2)
      j = s32[] parameter(3)
      above = pred[] compare(x, y), direction=GT
      odd = pred[] compare(x, x), direction=NE
      wins = pred[] or(above, odd)
      value = f32[] select(wins, x, y)
      equal = pred[] compare(x, y), direction=EQ
      before = pred[] compare(i, j), direction=LT
      tie = pred[] and(equal, before)
      left = pred[] or(wins, tie)
      index = s32[] select(left, i, j)
      ROOT t = (f32[], s32[]) tuple(value, index)
    })";

std::string ArgmaxOver(const std::string& indices, const std::string& first = "0") {
  return absl::StrCat(kArgmax, R"(
    ENTRY main {
      x = f32[4,8] parameter(0)
      i = s32[4,8] )",
                      indices, R"(
      low = f32[] constant(-inf)
      zero = s32[] constant()",
                      first, R"()
      ROOT r = (f32[4], s32[4]) reduce(x, i, low, zero), dimensions={1}, to_apply=argmax
    })");
}

TEST(OrderTiesTest, ArgmaxFoldsInAnyOrderAfterwards) {
  const std::unique_ptr<Graph> graph = ParseModule(ArgmaxOver("iota(), iota_dimension=1"));
  ASSERT_TRUE(graph != nullptr);
  EXPECT_FALSE(FoldsInAnyOrder(*graph->entry()->root()->called()[0]));
  const absl::StatusOr<bool> changed = RunPasses(*graph, {kPass});
  ASSERT_TRUE(changed.ok()) << changed.status();
  EXPECT_TRUE(*changed);
  EXPECT_TRUE(FoldsInAnyOrder(*graph->entry()->root()->called()[0]));
}

TEST(OrderTiesTest, IndicesThatDoNotAscendAlongTheFoldedDimensionStay) {
  ExpectUnchanged(kPass, ArgmaxOver("iota(), iota_dimension=0"));
  ExpectUnchanged(kPass, ArgmaxOver("parameter(1)"));
}

TEST(OrderTiesTest, AStartIndexThatIsNotTheFirstStays) {
  ExpectUnchanged(kPass, ArgmaxOver("iota(), iota_dimension=1", "7"));
}

TEST(OrderTiesTest, ABodyThatKeepsTheLastStays) {
  std::string text = ArgmaxOver("iota(), iota_dimension=1");
  // The second of two equal values wins: no order of the operands makes that symmetric.
  text.replace(text.find("tie = pred[] and(equal, before)"), 31, "tie = pred[] and(equal, above) ");
  text.replace(text.find("left = pred[] or(wins, tie)"), 27, "left = pred[] or(tie, above)");
  text.replace(text.find("value = f32[] select(wins, x, y)"), 32,
               "value = f32[] select(odd, y, x)  ");
  ExpectUnchanged(kPass, text);
}

}  // namespace
}  // namespace astitch
