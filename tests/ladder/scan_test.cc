// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Cumulative windows of every operation, element type and direction, along rows that threads, warps or
// blocks share and along columns that lanes have one each of: right, without bank conflicts, and in
// work that grows with the elements and not with their square.
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tests/ladder/device.h"

namespace astitch::testing {
namespace {

struct Walk {
  const char* name;
  std::vector<int64_t> dims;
  size_t along;
};
const std::vector<Walk>& Walks() {
  static const auto& walks = *new std::vector<Walk>{
      {"short_rows", {2000, 17}, 1},    {"rows_of_a_warp", {301, 100}, 1},
      {"rows_of_warps", {29, 1100}, 1}, {"few_long_rows", {3, 6001}, 1},
      {"one_row", {12288}, 0},          {"one_odd_row", {9011}, 0},
      {"columns", {300, 130}, 0},       {"few_columns", {1300, 40}, 0},
      {"three_columns", {5000, 3}, 0},  {"many_columns", {16, 21000}, 0},
      {"the_middle", {3, 500, 20}, 1},
  };
  return walks;
}

std::string Hlo(const Walk& walk, const std::string& type, const std::string& op, bool reversed) {
  const bool is_float = type[0] == 'f' || type[0] == 'b';
  const bool lowest = op == "maximum", highest = op == "minimum";
  const std::string init = op == "or"                 ? "false"
                           : op == "multiply"         ? "1"
                           : !(lowest || highest)     ? "0"
                           : is_float                 ? (lowest ? "-inf" : "inf")
                           : lowest && type[0] == 's' ? "-128"
                           : lowest                   ? "0"
                                                      : "127";
  std::vector<std::string> sizes(walk.dims.size(), "1"), pads(walk.dims.size(), "0_0");
  const int64_t extent = walk.dims[walk.along];
  sizes[walk.along] = absl::StrCat(extent);
  pads[walk.along] = reversed ? absl::StrCat("0_", extent - 1) : absl::StrCat(extent - 1, "_0");
  const std::string shape = absl::StrCat(type, "[", absl::StrJoin(walk.dims, ","), "]");
  return absl::StrCat("HloModule scan\nf { a = ", type, "[] parameter(0) b = ", type,
                      "[] parameter(1) ROOT r = ", type, "[] ", op,
                      "(a, b) }\nENTRY e {\n  x = ", shape, " parameter(0)\n  i = ", type,
                      "[] constant(", init, ")\n  ROOT r = ", shape,
                      " reduce-window(x, i), window={size=", absl::StrJoin(sizes, "x"),
                      " pad=", absl::StrJoin(pads, "x"), "}, to_apply=f\n}\n");
}

void ExpectRight(const std::string& hlo, const std::string& target, int64_t elements,
                 simt::Order order) {
  const auto program = CompileProgram(hlo, target, "stitch");
  ASSERT_TRUE(program.ok()) << program.status() << hlo;
  SimulatorOptions options;
  options.order = order;
  options.seed = 5;
  const Outcome outcome = RunProgram(*program, options, 2);
  EXPECT_EQ(Fault(*program, outcome), "") << target << "\n" << hlo;
  int64_t instructions = 0;
  for (const SimulatedStep& step : outcome.log) {
    for (const simt::StageCounts& stage : step.stages) {
      EXPECT_EQ(stage.bank_conflicts, 0) << stage.stage << " on " << target << "\n" << hlo;
      for (int64_t count : stage.warp_instructions) instructions += count;
    }
  }
  // Of a warp; a thread may stand for one element, and half of a warp's lanes may be idle.
  EXPECT_LE(instructions, 10000 + 20 * elements) << target << "\n" << hlo;
}

int64_t ElementsOf(const Walk& walk) {
  int64_t elements = 1;
  for (int64_t extent : walk.dims) elements *= extent;
  return elements;
}

using Fold = std::pair<const char*, const char*>;  // element type, operation
class Scan : public ::testing::TestWithParam<std::tuple<Fold, bool>> {};

TEST_P(Scan, GivesTheInterpretersValues) {
  const auto& [fold, reversed] = GetParam();
  constexpr const char* kTargets[] = {"t4", "a100", "h100", "b200"};
  constexpr simt::Order kOrders[] = {simt::Order::kForward, simt::Order::kReverse,
                                     simt::Order::kRandom, simt::Order::kStarve,
                                     simt::Order::kRandom};
  int number = static_cast<int>(fold.first[1]);
  for (const Walk& walk : Walks()) {
    ++number;
    const bool many = std::string(walk.name) == "many_columns";
    ExpectRight(Hlo(walk, fold.first, fold.second, reversed), kTargets[many ? 0 : number % 4],
                ElementsOf(walk), kOrders[number % 5]);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Scan,
    ::testing::Combine(::testing::Values(Fold{"f32", "add"}, Fold{"f32", "maximum"},
                                         Fold{"f64", "add"}, Fold{"f16", "add"},
                                         Fold{"bf16", "minimum"}, Fold{"f8e5m2", "maximum"},
                                         Fold{"s8", "add"}, Fold{"s32", "multiply"},
                                         Fold{"s64", "add"}, Fold{"u16", "minimum"},
                                         Fold{"pred", "or"}),
                       ::testing::Bool()),
    [](const auto& info) {
      const Fold& fold = std::get<0>(info.param);
      return absl::StrCat(fold.first, "_", fold.second,
                          std::get<1>(info.param) ? "_from_the_end" : "");
    });

// One thread goes through a row.
TEST(ScanInOrder, OfABodyWhoseOrderMatters) {
  for (const Walk& walk : {Walk{"rows", {70, 300}, 1}, Walk{"columns", {90, 70}, 0}}) {
    for (const bool reversed : {false, true}) {
      ExpectRight(Hlo(walk, "f32", "subtract", reversed), "a100", ElementsOf(walk),
                  simt::Order::kRandom);
    }
  }
}

}  // namespace
}  // namespace astitch::testing
