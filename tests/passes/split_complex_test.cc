// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// split-complex: the same values, and no complex number but where one comes from or goes to.
#include "passes/split_complex.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "ir/verifier.h"
#include "tensor_io/compare.h"
#include "tests/passes/value_test_util.h"

namespace astitch {
namespace {

// Complex numbers that are neither taken apart nor just put together.
std::string WholeComplex(const Graph& graph) {
  std::string found;
  for (const auto& i : graph.entry()->instructions()) {
    const bool boundary = i->opcode() == Opcode::kComplex || i->opcode() == Opcode::kParameter ||
                          i->opcode() == Opcode::kTuple;
    const bool whole = std::any_of(i->operands().begin(), i->operands().end(), [](const auto* o) {
      return o->shape().IsArray() && IsComplex(o->shape().element_type());
    });
    if (!boundary && (whole || (i->shape().IsArray() && IsComplex(i->shape().element_type()))))
      absl::StrAppend(&found, i->name(), " ");
  }
  return found;
}

// Runs the pass; "" when the value stays what it was, within TOLERANCE.
void ExpectSplit(absl::string_view text, const Tolerance& tolerance = {}) {
  SCOPED_TRACE(std::string(text));
  const std::unique_ptr<Graph> graph = ParseModule(text);
  ASSERT_TRUE(graph != nullptr);
  const auto before = Evaluate(*graph, {});
  ASSERT_TRUE(before.ok()) << before.status();
  const absl::StatusOr<bool> changed = RunPasses(*graph, {"split-complex", "dce"});
  ASSERT_TRUE(changed.ok()) << changed.status();
  EXPECT_TRUE(*changed);
  EXPECT_EQ(WholeComplex(*graph), "") << ToHloText(*graph);
  const auto after = Evaluate(*graph, {});
  ASSERT_TRUE(after.ok()) << after.status();
  EXPECT_EQ(Compare(*after, *before, tolerance).Describe(), "")
      << LiteralText(*after) << " not " << LiteralText(*before);
  EXPECT_FALSE(SplitComplex().Run(*graph).value()) << "nothing is left to do";
}

// ---- functions

// Quadrants, axes with both signs of zero, near and far from where functions have their cuts and poles.
constexpr absl::string_view kPoints =
    "(3, 4), (-3, 4), (-3, -4), (3, -4), (0.25, 0.5), (-0.5, 0.25), (0.5, -1e-9), (1e-9, 2e-9), "
    "(1, 1e-8), (-1, -1e-8), (-1e-8, 1), (-2, 0), (-2, -0), (2, 0), (2, -0), (-0.5, 0), (-0.5, "
    "-0), "
    "(0, 2), (-0, 2), (0, -2), (-0, -2), (0, 0.5), (-0, 0.5)";
constexpr int kNumPoints = 23;
// Whose squares are no numbers of the type.
constexpr absl::string_view kFar =
    "(1e200, 1e200), (-1e200, 1), (1e-200, -1e-200), (-1e-200, 1e-200), (1, 1e-200)";
constexpr int kNumFar = 5;
constexpr absl::string_view kUnbounded =
    "(inf, 1), (-inf, 1), (1, inf), (-1, -inf), (nan, 1), (0, 0)";
constexpr int kNumUnbounded = 6;

void ExpectFunction(absl::string_view opcode, absl::string_view points, int count,
                    absl::string_view type = "c128") {
  ExpectSplit(absl::StrCat("HloModule m\nENTRY e { z = c128[", count, "] constant({", points,
                           "})\nROOT r = ", type, "[", count, "] ", opcode, "(z) }\n"),
              {1e-13, 1e-15});
}

void ExpectBinary(absl::string_view opcode, absl::string_view z, absl::string_view w, int count) {
  ExpectSplit(absl::StrCat("HloModule m\nENTRY e { z = c128[", count, "] constant({", z,
                           "})\nw = c128[", count, "] constant({", w, "})\nROOT r = c128[", count,
                           "] ", opcode, "(z, w) }\n"),
              {1e-13, 1e-15});
}

TEST(SplitComplex, FunctionsHaveTheirPrincipalValues) {
  for (const char* opcode :
       {"acos",  "acosh",        "asin",     "asinh",       "atan",
        "atanh", "cosh",         "cosine",   "exponential", "exponential-minus-one",
        "log",   "log-plus-one", "logistic", "negate",      "rsqrt",
        "sign",  "sine",         "sinh",     "sqrt",        "tan",
        "tanh"}) {
    ExpectFunction(opcode, kPoints, kNumPoints);
  }
  for (const char* opcode : {"abs", "real", "imag"})
    ExpectFunction(opcode, kPoints, kNumPoints, "f64");
}

TEST(SplitComplex, NothingOverflowsThatNeedNot) {
  for (const char* opcode :
       {"acos", "acosh", "asin", "asinh", "log", "log-plus-one", "rsqrt", "sign", "sqrt"}) {
    ExpectFunction(opcode, kFar, kNumFar);
  }
  ExpectFunction("abs", kFar, kNumFar, "f64");
  for (const char* opcode : {"rsqrt", "sign", "sqrt"})
    ExpectFunction(opcode, "(1.7e308, 1.7e308), (-1.7e308, 1.7e308)", 2);
  ExpectFunction("atanh", "(1, 1e-200), (-1, -1e-200), (0, 1.7e308), (1.7e308, 1.7e308)", 4);
  ExpectFunction("atan", "(1e-200, 1), (1.7e308, 0), (0, 1.7e308)", 3);
  ExpectBinary("atan2", "(1e200, 1e200), (1e-200, 1e-200)", "(2e200, -1e200), (2e-200, -1e-200)",
               2);
}

TEST(SplitComplex, NothingCancelsNextToAPole) {
  ExpectFunction("logistic", "(1e-10, -3.1415926535897931), (0, 3.1415), (1e-3, 9.4248)", 3);
}

TEST(SplitComplex, InfinitiesAndZeros) {
  for (const char* opcode : {"exponential", "log", "sqrt", "tanh"})
    ExpectFunction(opcode, "(inf, 1), (-inf, 1), (nan, 1), (0, 0)", 4);
  ExpectFunction("sqrt", kUnbounded, kNumUnbounded);
  ExpectFunction("log", kUnbounded, kNumUnbounded);
  ExpectFunction("rsqrt", "(inf, 1), (-inf, 1), (1, inf), (nan, 1)", 4);
  ExpectFunction("exponential", "(inf, 0), (-inf, 0), (1000, 0), (1000, -0), (710, 1.57)", 5);
  ExpectFunction("sign", "(0, 0), (-0, 0), (0, -0)", 3);
  for (const char* opcode : {"acos", "acosh", "asin", "asinh", "atan", "atanh"})
    ExpectFunction(opcode, "(inf, 1), (-inf, -1), (2, inf), (-2, -inf), (inf, inf), (-inf, inf)",
                   6);
  ExpectFunction("abs", kUnbounded, kNumUnbounded, "f64");
  ExpectFunction("abs", "(inf, nan), (nan, -inf), (nan, 0), (-inf, inf)", 4, "f64");
}

TEST(SplitComplex, Arithmetic) {
  constexpr absl::string_view kZ =
      "(3, 4), (-3, 4), (0.5, -2), (0, 1), (2, 0), (-1, -1e-3), (-0.5, 1e3)";
  constexpr absl::string_view kW =
      "(1, 2), (2, -1), (-0.25, 0.125), (0, 2), (0.5, 0), (1e-3, 4), (1.5, -0.5)";
  for (const char* opcode : {"add", "subtract", "multiply", "divide", "power", "atan2"})
    ExpectBinary(opcode, kZ, kW, 7);
  ExpectBinary("divide", "(1e200, 1e200), (1e-200, 3e-200), (1, 1e300)",
               "(2e200, -1e200), (1e-200, 1e-200), (1e300, 1e300)", 3);
  ExpectBinary("divide",
               "(1, -2), (0, 0), (inf, 1), (-inf, inf), (1, 2), (-1, 3), (nan, 1), (inf, 0)",
               "(0, 0), (0, 0), (2, 3), (-1, 1), (inf, 2), (-inf, inf), (1, 1), (inf, 0)", 8);
  ExpectBinary("power", "(0, 0), (0, 0), (0, 0)", "(0, 0), (2, 1), (-1, 0)", 3);
}

TEST(SplitComplex, ByARealNumberPartByPart) {
  const std::unique_ptr<Graph> graph = ParseModule(R"(HloModule m
ENTRY e { z = c64[3] parameter(0) d = f32[3] parameter(1) w = c64[3] convert(d)
  ROOT r = c64[3] divide(z, w) })");
  ASSERT_TRUE(graph != nullptr);
  ASSERT_TRUE(RunPasses(*graph, {"split-complex", "dce"}).ok());
  int divisions = 0;
  for (const auto& i : graph->entry()->instructions()) {
    divisions += i->opcode() == Opcode::kDivide ? 1 : 0;
    EXPECT_NE(i->opcode(), Opcode::kSelect);
  }
  EXPECT_EQ(divisions, 2);
}

// ---- the rest, exact

constexpr absl::string_view kStart = R"(HloModule m
add { a = c128[] parameter(0) b = c128[] parameter(1) ROOT r = c128[] add(a, b) }
mul { a = c128[] parameter(0) b = c128[] parameter(1) ROOT r = c128[] multiply(a, b) }
last { a = c128[] parameter(0) ROOT b = c128[] parameter(1) }
larger { a = c128[] parameter(0) b = c128[] parameter(1) x = f64[] real(a) y = f64[] real(b)
  g = pred[] compare(x, y), direction=GE ROOT r = c128[] select(g, a, b) }
both { a = c128[] parameter(0) n = s32[] parameter(1) b = c128[] parameter(2) k = s32[] parameter(3)
  p = c128[] multiply(a, b) m = s32[] add(n, k) ROOT t = (c128[], s32[]) tuple(p, m) }
by_imag { a = c128[] parameter(0) b = c128[] parameter(1) n = s32[] parameter(2) k = s32[] parameter(3)
  x = f64[] imag(a) y = f64[] imag(b) ROOT r = pred[] compare(x, y), direction=LT }
ENTRY e {
  z = c128[2,3] constant({ { (1, 2), (-3, 4), (5, -6) }, { (0, 1), (2, 2), (-1, 0) } })
  w = c128[2,3] constant({ { (2, -1), (0, 3), (1, 1) }, { (4, 0), (-2, 1), (3, -5) } })
  zero = c128[] constant((0, 0))
  one = c128[] constant((1, 0))
  i = s32[] constant(1)
  o = s32[] constant(0)
)";

struct Case {
  const char* name;
  const char* lines;
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

class SplitComplexCase : public ::testing::TestWithParam<Case> {};

TEST_P(SplitComplexCase, GivesTheSame) {
  ExpectSplit(absl::StrCat(kStart, GetParam().lines, "}\n"));
}

constexpr Case kCases[] = {
    {"Broadcast", "ROOT r = c128[2,3,2] broadcast(z), dimensions={0,1}\n"},
    {"Reshape", "ROOT r = c128[3,2] reshape(z)\n"},
    {"Transpose", "ROOT r = c128[3,2] transpose(z), dimensions={1,0}\n"},
    {"Slice", "ROOT r = c128[2,2] slice(z), slice={[0:2],[0:3:2]}\n"},
    {"Reverse", "ROOT r = c128[2,3] reverse(z), dimensions={1}\n"},
    {"Copy", "ROOT r = c128[2,3] copy(z)\n"},
    {"Pad", "ROOT r = c128[4,7] pad(z, one), padding=1_1x0_2_1\n"},
    {"Concatenate", "ROOT r = c128[2,6] concatenate(z, w), dimensions={1}\n"},
    {"DynamicSlice", "ROOT r = c128[1,2] dynamic-slice(z, i, i), dynamic_slice_sizes={1,2}\n"},
    {"DynamicUpdateSlice",
     "u = c128[1,2] slice(w), slice={[0:1],[0:2]}\n"
     "ROOT r = c128[2,3] dynamic-update-slice(z, u, i, o)\n"},
    {"Gather",
     "n = s32[3] constant({1, 0, 1})\nROOT r = c128[3,3] gather(z, n), offset_dims={1}, "
     "collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, slice_sizes={1,3}\n"},
    {"Select",
     "p = pred[2,3] constant({ { 1, 0, 1 }, { 0, 0, 1 } })\nROOT r = c128[2,3] select(p, z, w)\n"},
    {"Compare",
     "ones = c128[2,3] broadcast(one), dimensions={}\n"
     "s = c128[2,3] multiply(z, ones)\np = pred[2,3] compare(z, s), direction=EQ\n"
     "q = pred[2,3] compare(z, w), direction=NE\nROOT r = pred[2,3] and(p, q)\n"},
    {"ConvertReal", "n = s32[4] iota(), iota_dimension=0\nROOT r = c128[4] convert(n)\n"},
    {"ConvertComplex", "c = c64[2,3] convert(z)\nROOT r = c128[2,3] convert(c)\n"},
    {"Iota", "ROOT r = c128[2,3] iota(), iota_dimension=1\n"},
    {"OfReals",
     "x = f64[2,3] real(z)\na = f64[2,3] real(x)\nb = f64[2,3] imag(x)\n"
     "ROOT r = c128[2,3] complex(b, a)\n"},
    {"Dot", "ROOT r = c128[2,2] dot(z, w), lhs_contracting_dims={1}, rhs_contracting_dims={1}\n"},
    {"Convolution",
     "a = c128[1,2,3] reshape(z)\nk = c128[1,2,2] slice(a), slice={[0:1],[0:2],[1:3]}\n"
     "ROOT r = c128[1,1,2] convolution(a, k), window={size=2}, dim_labels=bf0_oi0->bf0\n"},
    {"Sum", "ROOT r = c128[2] reduce(z, one), dimensions={1}, to_apply=add\n"},
    {"Last", "ROOT r = c128[2] reduce(z, one), dimensions={1}, to_apply=last\n"},
    {"Product", "ROOT r = c128[3] reduce(z, one), dimensions={0}, to_apply=mul\n"},
    {"Larger", "ROOT r = c128[2] reduce(z, one), dimensions={1}, to_apply=larger\n"},
    {"WindowSum", "ROOT r = c128[2,2] reduce-window(z, zero), window={size=1x2}, to_apply=add\n"},
    {"WindowProduct",
     "ROOT r = c128[2,2] reduce-window(z, one), window={size=1x2}, to_apply=mul\n"},
    {"ScatterAdd",
     "n = s32[2] constant({1, 1})\nROOT r = c128[2,3] scatter(z, n, w), update_window_dims={1}, "
     "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
     "to_apply=add\n"},
    {"ScatterProduct",
     "n = s32[2] constant({1, 0})\nROOT r = c128[2,3] scatter(z, n, w), update_window_dims={1}, "
     "inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
     "to_apply=mul\n"},
    {"Several",
     "n = s32[2,3] iota(), iota_dimension=1\n"
     "t = (c128[2], s32[2]) reduce(z, n, one, o), dimensions={1}, to_apply=both\n"
     "a = c128[2] get-tuple-element(t), index=0\nb = s32[2] get-tuple-element(t), index=1\n"
     "c = c128[2] convert(b)\nROOT r = c128[2] add(a, c)\n"},
    {"Sort",
     "n = s32[2,3] iota(), iota_dimension=1\n"
     "t = (c128[2,3], s32[2,3]) sort(z, n), dimensions={1}, is_stable=true, to_apply=by_imag\n"
     "a = c128[2,3] get-tuple-element(t), index=0\nb = s32[2,3] get-tuple-element(t), index=1\n"
     "c = c128[2,3] convert(b)\nROOT r = c128[2,3] add(a, c)\n"},
};

INSTANTIATE_TEST_SUITE_P(Operations, SplitComplexCase, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(SplitComplex, WhatItDoesNotKnowStays) {
  const std::unique_ptr<Graph> graph = ParseModule(R"(HloModule m
ENTRY e { x = f32[8] parameter(0) f = c64[5] fft(x), fft_type=RFFT, fft_length={8}
  ROOT r = c64[5] multiply(f, f) })");
  ASSERT_TRUE(graph != nullptr);
  EXPECT_TRUE(RunPasses(*graph, {"split-complex", "dce"}).value());
  EXPECT_TRUE(VerifyGraph(*graph).ok()) << VerifyGraph(*graph);
  EXPECT_THAT(ToHloText(*graph), ::testing::HasSubstr("real(f)"));
  EXPECT_FALSE(SplitComplex().Run(*graph).value());
}

}  // namespace
}  // namespace astitch
