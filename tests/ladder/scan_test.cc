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

// ---- beside other operations

struct Stitched {
  const char* name;
  const char* type;
  const char* body;
};

// Of bodies whose values the interpreter's order of sums does not change.
const std::vector<Stitched>& StitchedScans() {
  static const auto& all = *new std::vector<Stitched>{
      {"between_sweeps", "f32", R"(
  x = f32[70,300] parameter(0)
  m = f32[70] reduce(x, lowest), dimensions={1}, to_apply=max
  ms = f32[70,300] broadcast(m), dimensions={0}
  d = f32[70,300] subtract(x, ms)
  e = f32[70,300] exponential(d)
  s = f32[70] reduce(e, zero), dimensions={1}, to_apply=sum
  ss = f32[70,300] broadcast(s), dimensions={0}
  p = f32[70,300] divide(e, ss)
  c = f32[70,300] reduce-window(p, zero), window={size=1x300 pad=0_0x299_0}, to_apply=sum
  h = f32[] constant(0.5)
  hs = f32[70,300] broadcast(h), dimensions={}
  k = pred[70,300] compare(c, hs), direction=LT
  z = f32[70,300] broadcast(zero), dimensions={}
  ROOT o = f32[70,300] select(k, p, z))"},
      {"from_both_ends", "f32", R"(
  x = f32[7,33,40] parameter(0)
  c = f32[7,33,40] reduce-window(x, zero), window={size=1x33x1 pad=0_0x32_0x0_0}, to_apply=sum
  d = f32[7,33,40] reduce-window(x, zero), window={size=1x33x1 pad=0_0x0_32x0_0}, to_apply=sum
  s = f32[7,33,40] add(c, d)
  m = f32[7,40] reduce(s, lowest), dimensions={1}, to_apply=max
  ROOT o = (f32[7,33,40], f32[7,40]) tuple(s, m))"},
      {"of_parts_with_readers", "s32", R"(
  x = s32[70001] parameter(0)
  n = s32[70001] negate(x)
  c = s32[70001] reduce-window(n, zero), window={size=70001 pad=70000_0}, to_apply=sum
  t = s32[70001] multiply(c, x)
  m = s32[] reduce(t, lowest), dimensions={0}, to_apply=max
  ROOT o = (s32[70001], s32[]) tuple(t, m))"},
      {"of_parts_one_behind_the_other", "s32", R"(
  x = s32[65536] parameter(0)
  a = s32[65536] reduce-window(x, zero), window={size=65536 pad=0_65535}, to_apply=sum
  b = s32[65536] reduce-window(a, lowest), window={size=65536 pad=65535_0}, to_apply=max
  r = s32[65536] reverse(b), dimensions={0}
  c = s32[65536] reduce-window(b, zero), window={size=65536 pad=65535_0}, to_apply=sum
  d = s32[65536] reduce-window(c, zero), window={size=65536 pad=65535_0}, to_apply=sum
  ROOT o = (s32[65536], s32[65536], s32[65536]) tuple(d, a, r))"},
      {"of_few_rows_in_parts", "s32", R"(
  x = s32[3,36000] parameter(0)
  a = s32[3,36000] reduce-window(x, zero), window={size=1x36000 pad=0_0x35999_0}, to_apply=sum
  r = s32[3,36000] reverse(a), dimensions={0}
  b = s32[3,36000] reduce-window(r, zero), window={size=1x36000 pad=0_0x0_35999}, to_apply=sum
  c = s32[3,36000] reduce-window(b, lowest), window={size=1x36000 pad=0_0x35999_0}, to_apply=max
  ROOT o = (s32[3,36000], s32[3,36000]) tuple(r, c))"},
      {"along_rows_and_along_columns", "s32", R"(
  x = s32[90,200] parameter(0)
  a = s32[90,200] reduce-window(x, zero), window={size=1x200 pad=0_0x199_0}, to_apply=sum
  b = s32[90,200] reduce-window(a, zero), window={size=90x1 pad=89_0x0_0}, to_apply=sum
  ROOT o = s32[90,200] add(a, b))"},
      {"of_a_dimension_that_is_split_elsewhere", "s32", R"(
  x = s32[40,96] parameter(0)
  a = s32[40,96] reduce-window(x, zero), window={size=1x96 pad=0_0x95_0}, to_apply=sum
  t = s32[40,8,12] reshape(a)
  m = s32[40,8] reduce(t, lowest), dimensions={2}, to_apply=max
  ms = s32[40,8,12] broadcast(m), dimensions={0,1}
  ROOT o = s32[40,8,12] subtract(ms, t))"},
  };
  return all;
}

class StitchedScan : public ::testing::TestWithParam<size_t> {};

TEST_P(StitchedScan, GivesTheInterpretersValues) {
  const Stitched& scan = StitchedScans()[GetParam()];
  const std::string type = scan.type, lowest = type[0] == 'f' ? "-inf" : "-2147483648";
  std::string hlo = "HloModule scans\n";
  for (const auto& [name, op] : {std::pair("sum", "add"), std::pair("max", "maximum")})
    absl::StrAppend(&hlo, name, " { a = ", type, "[] parameter(0) b = ", type,
                    "[] parameter(1) ROOT r = ", type, "[] ", op, "(a, b) }\n");
  absl::StrAppend(&hlo, "ENTRY e {\n  zero = ", type, "[] constant(0)\n  lowest = ", type,
                  "[] constant(", lowest, ")", scan.body, "\n}\n");
  for (const char* target : {"t4", "a100", "h100"}) {
    for (const simt::Order order :
         {simt::Order::kReverse, simt::Order::kRandom, simt::Order::kStarve}) {
      const auto program = CompileProgram(hlo, target, "stitch");
      ASSERT_TRUE(program.ok()) << program.status() << hlo;
      SimulatorOptions options;
      options.order = order;
      options.seed = 7;
      EXPECT_EQ(Fault(*program, RunProgram(*program, options, 2)), "") << target << "\n" << hlo;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, StitchedScan, ::testing::Range<size_t>(0, StitchedScans().size()),
                         [](const auto& info) { return StitchedScans()[info.param].name; });

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
