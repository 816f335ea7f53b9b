// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Every element type on the simulated device: an elementwise kernel that goes to all other types and
// back, a reduction of rows, one of columns and one of everything, as the planner maps them.
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "frontend/hlo_text/parser.h"
#include "stitch/machine.h"
#include "stitch/planner.h"
#include "tests/codegen/simulated_runner.h"

namespace astitch::testing {
namespace {

struct TypeCase {
  const char* type;
  const char* fold;  // of its reductions
  const char* init;
};

const TypeCase kTypes[] = {
    {"pred", "or", "false"},
    {"s8", "add", "0"},
    {"s16", "add", "0"},
    {"s32", "add", "3"},
    {"s64", "maximum", "-9"},
    {"u8", "add", "0"},
    {"u16", "maximum", "0"},
    {"u32", "add", "1"},
    {"u64", "minimum", "99"},
    {"f16", "add", "0"},
    {"bf16", "add", "0"},
    {"f32", "multiply", "1"},
    {"f64", "add", "0.5"},
    {"f8e4m3fn", "maximum", "-448"},
    {"f8e5m2", "maximum", "-57344"},
    {"s4", "maximum", "-8"},
    {"u4", "maximum", "0"},
    {"f8e4m3", "maximum", "-240"},
    {"f8e4m3fnuz", "maximum", "-240"},
    {"f8e5m2fnuz", "maximum", "-240"},
    {"f8e4m3b11fnuz", "maximum", "-30"},
    {"f8e3m4", "maximum", "-15"},
};
void PrintTo(const TypeCase& c, std::ostream* out) { *out << c.type; }

// T: the type. FOLD, INIT: of the reduction; DIMS, KEPT: what it folds and what is left.
constexpr char kReduce[] = R"(HloModule m
fold { a = T[] parameter(0)  b = T[] parameter(1)  ROOT r = T[] FOLD(a, b) }
ENTRY e { x = T[23,70] parameter(0)  init = T[] constant(INIT)
  s = T[KEPT] reduce(x, init), dimensions={DIMS}, to_apply=fold
  b = T[23,70] broadcast(s), dimensions={BDIMS}
  c = T[23,70] FOLD(x, b)
  ROOT t = (T[KEPT], T[23,70]) tuple(s, c) })";

std::string Elementwise(const std::string& type) {
  std::string out = absl::StrCat("HloModule m\nENTRY e {\n  x = ", type,
                                 "[900] parameter(0)\n  y = ", type, "[900] parameter(1)\n");
  const bool pred = type == "pred";
  for (const char* op : {pred ? "or" : "add", pred ? "and" : "multiply", "maximum", "minimum"})
    absl::StrAppend(&out, "  ", op, " = ", type, "[900] ", op, "(x, y)\n");
  std::string results = "add, multiply, maximum, minimum", shapes;
  if (pred) results = "or, and, maximum, minimum";
  for (int i = 0; i < 4; ++i) absl::StrAppend(&shapes, i == 0 ? "" : ", ", type, "[900]");
  for (const TypeCase& other : kTypes) {
    absl::StrAppend(&out, "  to_", other.type, " = ", other.type, "[900] convert(x)\n");
    absl::StrAppend(&results, ", to_", other.type);
    absl::StrAppend(&shapes, ", ", other.type, "[900]");
  }
  return absl::StrCat(out, "  ROOT t = (", shapes, ") tuple(", results, ") }");
}

std::string CheckOn(const std::string& hlo, const char* name) {
  const auto machine = FindMachine(name);
  if (!machine.ok()) return std::string(machine.status().message());
  auto graph = ParseHloText(hlo);
  if (!graph.ok()) return absl::StrCat(graph.status().message(), "\n", hlo);
  const auto plan = MakePlan(*std::move(graph), *machine, {});
  if (!plan.ok()) return std::string(plan.status().message());
  return CheckSimulated(*plan, {.sm = machine->sm, .order = simt::Order::kRandom});
}

class SimulatedTypes : public ::testing::TestWithParam<TypeCase> {};

TEST_P(SimulatedTypes, ComputeAndConvert) {
  for (const char* name : {"sm_75", "sm_80", "sm_90", "sm_100"})
    EXPECT_EQ(CheckOn(Elementwise(GetParam().type), name), "") << name;
}

TEST_P(SimulatedTypes, Reduce) {
  for (const auto& [kept, dims, broadcast] :
       {std::tuple("23", "1", "0"), std::tuple("70", "0", "1"), std::tuple("", "0,1", "")}) {
    const std::string hlo =
        absl::StrReplaceAll(kReduce, {{"FOLD", GetParam().fold},
                                      {"INIT", GetParam().init},
                                      {"BDIMS", broadcast},
                                      {"DIMS", dims},
                                      {"KEPT", kept},
                                      {"T[", absl::StrCat(GetParam().type, "[")}});
    for (const char* name : {"sm_75", "sm_80", "sm_90", "sm_100"})
      EXPECT_EQ(CheckOn(hlo, name), "") << name << ", over " << dims;
  }
}

INSTANTIATE_TEST_SUITE_P(All, SimulatedTypes, ::testing::ValuesIn(kTypes),
                         [](const auto& info) { return std::string(info.param.type); });

}  // namespace
}  // namespace astitch::testing
