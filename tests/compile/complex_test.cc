// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Complex numbers, compiled: the caller hands over and gets complex arrays, kernels compute with their parts,
// and the values are those of the interpreter.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "astitch/compile.h"
#include "base/status.h"
#include "check/differential.h"
#include "interp/interpreter.h"
#include "ir/graph.h"
#include "tensor_io/compare.h"
#include "tensor_io/layout.h"
#include "tests/compile/run_on.h"

namespace astitch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

struct Case {
  const char* name;
  const char* lines;
};

void PrintTo(const Case& one, std::ostream* out) { *out << one.name; }

constexpr absl::string_view kCombiners = R"(HloModule m
add { a = c64[] parameter(0) b = c64[] parameter(1) ROOT r = c64[] add(a, b) }
mul { a = c64[] parameter(0) b = c64[] parameter(1) ROOT r = c64[] multiply(a, b) }
)";

GraphPtr Parsed(absl::string_view text) {
  absl::StatusOr<GraphPtr> graph = ParseGraph(text);
  EXPECT_TRUE(graph.ok()) << RenderError(graph.status(), "graph");
  return graph.ok() ? *std::move(graph) : nullptr;
}

class ComplexTest : public ::testing::TestWithParam<Case> {};

TEST_P(ComplexTest, IsWhatTheInterpreterSays) {
  const GraphPtr graph = Parsed(absl::StrCat(kCombiners, "ENTRY e {\n", GetParam().lines, "}\n"));
  ASSERT_TRUE(graph != nullptr);
  const std::vector<Literal> inputs = InputsOf(*graph);
  const auto value = Evaluate(*graph, AssembleParameters(*graph, inputs));
  ASSERT_TRUE(value.ok()) << value.status();
  const std::vector<Literal> expected = ArrayLeaves(*value);
  for (const char* target : {"host", "sm_80"}) {
    for (const char* fusion : {"stitch", "none", "xla", "tvm"}) {
      SCOPED_TRACE(absl::StrCat(target, " ", fusion));
      const auto got = RunOn(*graph, inputs, {.target = target, .fusion = fusion, .threads = 2});
      ASSERT_TRUE(got.ok()) << RenderError(got.status(), "graph");
      ASSERT_EQ(got->size(), expected.size());
      for (size_t i = 0; i < expected.size(); ++i) {
        const ElementType type = expected[i].shape().element_type();
        EXPECT_EQ(Compare((*got)[i], expected[i], DefaultTolerance(type)).Describe(), "") << i;
      }
    }
  }
}

constexpr Case kCases[] = {
    {"ProductOfParameters",
     "x = c64[6,8] parameter(0)\ny = c64[6,8] parameter(1)\nROOT r = c64[6,8] multiply(x, y)\n"},
    {"ParameterAsResult", "ROOT x = c64[6,8] parameter(0)\n"},
    {"ParameterTwiceInATuple",
     "x = c64[6,8] parameter(0)\ny = c64[6,8] negate(x)\n"
     "ROOT r = (c64[6,8], c64[6,8], c64[6,8]) tuple(x, y, x)\n"},
    {"Constants",
     "x = c64[3] parameter(0)\nc = c64[3] constant({(1, 2), (0, -1), (3, 0)})\n"
     "s = c64[3] add(x, c)\nROOT r = (c64[3], c64[3]) tuple(s, c)\n"},
    {"Scalars",
     "x = c64[] parameter(0)\nc = c64[] constant((0, 1))\nROOT r = c64[] multiply(x, c)\n"},
    {"NoElements", "x = c64[0,4] parameter(0)\nROOT r = c64[0,4] exponential(x)\n"},
    {"Doubles", "x = c128[5] parameter(0)\ne = c128[5] exponential(x)\nROOT r = c128[5] sqrt(e)\n"},
    {"FromAndToReals",
     "x = f32[6,8] parameter(0)\ny = f32[6,8] parameter(1)\nc = c64[6,8] complex(x, y)\n"
     "d = c64[6,8] multiply(c, c)\na = f32[6,8] abs(d)\nb = f32[6,8] imag(d)\n"
     "ROOT r = (f32[6,8], f32[6,8]) tuple(a, b)\n"},
    {"Quotient",
     "x = c64[6,8] parameter(0)\ny = c64[6,8] parameter(1)\nROOT r = c64[6,8] divide(x, y)\n"},
    {"TupleParameter",
     "p = (c64[4], (f32[4], c64[4])) parameter(0)\nx = c64[4] get-tuple-element(p), index=0\n"
     "q = (f32[4], c64[4]) get-tuple-element(p), index=1\n"
     "f = f32[4] get-tuple-element(q), index=0\ny = c64[4] get-tuple-element(q), index=1\n"
     "c = c64[4] convert(f)\na = c64[4] add(c, y)\nROOT r = c64[4] multiply(x, a)\n"},
    {"RowsAndTheirSums",
     "x = c64[7,33] parameter(0)\nz = c64[] constant((0, 0))\no = c64[] constant((1, 0))\n"
     "s = c64[7] reduce(x, z), dimensions={1}, to_apply=add\n"
     "b = c64[7,33] broadcast(s), dimensions={0}\nd = c64[7,33] subtract(x, b)\n"
     "n = c64[7,3] slice(x), slice={[0:7],[0:3]}\n"
     "p = c64[7] reduce(n, o), dimensions={1}, to_apply=mul\n"
     "ROOT r = (c64[7,33], c64[7]) tuple(d, p)\n"},
    {"Dot",
     "x = c64[6,8] parameter(0)\ny = c64[8,5] parameter(1)\n"
     "ROOT r = c64[6,5] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"},
    {"Convolution",
     "x = c64[1,2,9] parameter(0)\nk = c64[3,2,4] parameter(1)\n"
     "ROOT r = c64[1,3,6] convolution(x, k), window={size=4}, dim_labels=bf0_oi0->bf0\n"},
    {"Branches",
     "x = c64[6] parameter(0)\ny = c64[6] parameter(1)\np = pred[6] compare(x, y), direction=EQ\n"
     "q = pred[] parameter(2)\ns = c64[6] select(p, x, y)\nROOT r = c64[6] select(q, s, x)\n"},
    {"SpectrumTimesWeights",
     "x = f32[5,16] parameter(0)\nw = c64[9] parameter(1)\n"
     "f = c64[5,9] fft(x), fft_type=RFFT, fft_length={16}\n"
     "b = c64[5,9] broadcast(w), dimensions={1}\nm = c64[5,9] multiply(f, b)\n"
     "i = f32[5,16] fft(m), fft_type=IRFFT, fft_length={16}\n"
     "ROOT r = (f32[5,16], c64[5,9]) tuple(i, f)\n"},
    {"FftOfAParameter",
     "x = c64[5,6] parameter(0)\nROOT r = c64[5,6] fft(x), fft_type=IFFT, fft_length={5,6}\n"},
};

INSTANTIATE_TEST_SUITE_P(Graphs, ComplexTest, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

// Column by column outside, as the module says.
TEST(Complex, LayoutsOfTheEntryAreKept) {
  const GraphPtr graph = Parsed(
      "HloModule m, entry_computation_layout={(c64[2,3]{0,1})->(c64[2,3]{0,1}, c64[2,3]{1,0})}\n"
      "ENTRY e { x = c64[2,3] parameter(0) y = c64[2,3] negate(x)\n"
      "ROOT r = (c64[2,3], c64[2,3]) tuple(y, y) }\n");
  ASSERT_TRUE(graph != nullptr);
  const auto compiled = Compile(*graph, {});
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  const Executable& executable = *(*compiled)->executable();
  EXPECT_THAT(executable.inputs()[0].minor_to_major, ElementsAre(0, 1));
  std::vector<float> x(12), columns(12), rows(12);
  std::iota(x.begin(), x.end(), 1.0F);
  ASSERT_TRUE(executable.Run({{x.data(), 48}}, {{columns.data(), 48}, {rows.data(), 48}}).ok());
  EXPECT_THAT(columns, ElementsAre(-1, -2, -3, -4, -5, -6, -7, -8, -9, -10, -11, -12));
  EXPECT_THAT(rows, ElementsAre(-1, -2, -5, -6, -9, -10, -3, -4, -7, -8, -11, -12));
}

TEST(Complex, TheCallerSeesComplexArrays) {
  const GraphPtr graph = Parsed(R"(HloModule m
ENTRY e { x = c64[6,8] parameter(0) y = f32[6,8] abs(x)
  ROOT r = (c64[6,8], f32[6,8]) tuple(x, y) })");
  ASSERT_TRUE(graph != nullptr);
  const auto compiled = Compile(*graph, {});
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  const Executable& executable = *(*compiled)->executable();
  ASSERT_EQ(executable.inputs().size(), 1);
  EXPECT_EQ(executable.inputs()[0].element_type, "c64");
  EXPECT_THAT(executable.inputs()[0].dims, ElementsAre(6, 8));
  EXPECT_EQ(executable.inputs()[0].bytes, 6 * 8 * 8);
  EXPECT_EQ(executable.outputs()[0].element_type, "c64");
  EXPECT_EQ(executable.outputs()[1].element_type, "f32");
}

// A rotation by position, as complex products have it: one kernel at the bound of its bytes.
TEST(Complex, ARotationIsOneKernelThatMovesWhatItMust) {
  const GraphPtr graph = Parsed(R"(HloModule m
ENTRY e { x = f32[64,32,128] parameter(0) w = c64[32,64] parameter(1)
  p = f32[64,32,64,2] reshape(x) a = f32[64,32,64,1] slice(p), slice={[0:64],[0:32],[0:64],[0:1]}
  b = f32[64,32,64,1] slice(p), slice={[0:64],[0:32],[0:64],[1:2]}
  re = f32[64,32,64] reshape(a) im = f32[64,32,64] reshape(b) c = c64[64,32,64] complex(re, im)
  v = c64[64,32,64] broadcast(w), dimensions={1,2} m = c64[64,32,64] multiply(c, v)
  mr = f32[64,32,64] real(m) mi = f32[64,32,64] imag(m)
  r1 = f32[64,32,64,1] reshape(mr) i1 = f32[64,32,64,1] reshape(mi)
  q = f32[64,32,64,2] concatenate(r1, i1), dimensions={3} ROOT y = f32[64,32,128] reshape(q) })");
  ASSERT_TRUE(graph != nullptr);
  for (const char* target : {"host", "a100"}) {
    const auto compiled = Compile(*graph, {.target = target, .plan_only = true});
    ASSERT_TRUE(compiled.ok()) << compiled.status();
    const PlanSummary summary = (*compiled)->Summary();
    EXPECT_EQ(summary.kernels, 1) << target;
    EXPECT_EQ(summary.reference_calls, 0) << target;
    EXPECT_EQ(summary.bytes_read + summary.bytes_written, summary.bytes_bound) << target;
  }
  // Pairs are loaded by the vector, not part by part.
  const auto host = Compile(*graph, {.keep_texts = true});
  ASSERT_TRUE(host.ok()) << host.status();
  EXPECT_THAT((*host)->Llvm()[0].text, HasSubstr("x float>, ptr"));
  EXPECT_THAT((*host)->Llvm()[0].text, Not(HasSubstr("load float,")));
}

TEST(Complex, ATransformIsNamedInTheLedger) {
  const GraphPtr graph = Parsed(R"(HloModule m
ENTRY e { x = c64[8] parameter(0) y = c64[8] negate(x)
  ROOT r = c64[8] fft(y), fft_type=FFT, fft_length={8} })");
  ASSERT_TRUE(graph != nullptr);
  const auto compiled = Compile(*graph, {.target = "a100", .plan_only = true});
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  EXPECT_EQ((*compiled)->Summary().reference_calls, 1);
  EXPECT_THAT((*compiled)->LedgerText(), HasSubstr("fft is evaluated by the interpreter"));
}

}  // namespace
}  // namespace astitch
