// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What has no kernel cuts its region: the interpreter evaluates it between kernels, the ledger says so,
// and the values are those of the interpreter. What nobody can evaluate is refused by name.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "artifact/executable_image.h"
#include "astitch/compile.h"
#include "base/status.h"
#include "check/differential.h"
#include "check/guarded_run.h"
#include "frontend/hlo_text/parser.h"
#include "interp/interpreter.h"
#include "ir/graph.h"
#include "plan/plan_text.h"
#include "plan/verify.h"
#include "runtime/simt/simulated_device.h"
#include "tensor_io/layout.h"
#include "tests/compile/run_on.h"

namespace astitch {
namespace {

using ::testing::HasSubstr;

struct Kind {
  const char* name;
  const char* lines;  // of the entry, from %x = f32[6,8], %n = s32[6,8] and %i = s32[] on
};

void PrintTo(const Kind& kind, std::ostream* out) { *out << kind.name; }

std::string TextOf(const Kind& kind) {
  return absl::StrCat(R"(HloModule m
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = pred[] compare(a, b), direction=LT }
greater { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = pred[] compare(a, b), direction=GT }
less_with { a = f32[] parameter(0) b = f32[] parameter(1) c = s32[] parameter(2) d = s32[] parameter(3)
  ROOT e = pred[] compare(a, b), direction=LT }
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
short { s = (s32[], f32[6,8]) parameter(0) i = s32[] get-tuple-element(s), index=0
  x = f32[6,8] get-tuple-element(s), index=1 zero = f32[] constant(0)
  t = f32[] reduce(x, zero), dimensions={0,1}, to_apply=sum
  four = s32[] constant(4) a = pred[] compare(i, four), direction=LT
  many = f32[] constant(1000) b = pred[] compare(t, many), direction=LT
  ROOT r = pred[] and(a, b) }
step { s = (s32[], f32[6,8]) parameter(0) i = s32[] get-tuple-element(s), index=0
  x = f32[6,8] get-tuple-element(s), index=1 one = s32[] constant(1) j = s32[] add(i, one)
  y = f32[6,8] add(x, x) ROOT r = (s32[], f32[6,8]) tuple(j, y) }
nested_short { s = ((s32[], f32[6,8]), f32[6,8]) parameter(0) p = (s32[], f32[6,8]) get-tuple-element(s), index=0
  i = s32[] get-tuple-element(p), index=0 x = f32[6,8] get-tuple-element(p), index=1 zero = f32[] constant(0)
  t = f32[] reduce(x, zero), dimensions={0,1}, to_apply=sum n = s32[] convert(t) j = s32[] add(i, n)
  four = s32[] constant(4) ROOT a = pred[] compare(j, four), direction=LT }
nested_step { s = ((s32[], f32[6,8]), f32[6,8]) parameter(0) p = (s32[], f32[6,8]) get-tuple-element(s), index=0
  x = f32[6,8] get-tuple-element(s), index=1 q = (s32[], f32[6,8]) while(p), condition=short, body=step
  i = s32[] get-tuple-element(q), index=0 y = f32[6,8] get-tuple-element(q), index=1
  z = f32[6,8] add(x, y) w = f32[6,8] multiply(y, y) t = (s32[], f32[6,8]) tuple(i, w)
  ROOT r = ((s32[], f32[6,8]), f32[6,8]) tuple(t, z) }
below { x = f32[6,8] parameter(0) z = f32[] constant(0) t = f32[] reduce(x, z), dimensions={0,1}, to_apply=sum
  m = f32[] constant(400) ROOT r = pred[] compare(t, m), direction=LT }
grow { x = f32[6,8] parameter(0) o = f32[] constant(1) b = f32[6,8] broadcast(o), dimensions={} ROOT r = f32[6,8] add(x, b) }
sorted { x = f32[6,8] parameter(0) ROOT r = f32[6,8] sort(x), dimensions={1}, to_apply=less }
pair { p = (f32[6,8], s32[6,8]) parameter(0) x = f32[6,8] get-tuple-element(p), index=0
  n = s32[6,8] get-tuple-element(p), index=1 c = f32[6,8] convert(n) s = f32[6,8] add(x, c)
  ROOT r = f32[6,8] sort(s), dimensions={0}, to_apply=greater }
mapped { a = f32[] parameter(0) v = f32[3] broadcast(a), dimensions={} z = f32[] constant(0)
  ROOT r = f32[] reduce(v, z), dimensions={0}, to_apply=sum }
any_short { s = (s32[], c64[6,8], f32[6,8]) parameter(0) i = s32[] get-tuple-element(s), index=0
  x = f32[6,8] get-tuple-element(s), index=2 zero = f32[] constant(0)
  t = f32[] reduce(x, zero), dimensions={0,1}, to_apply=sum many = f32[] constant(1000)
  a = pred[] compare(t, many), direction=LT four = s32[] constant(4)
  b = pred[] compare(i, four), direction=LT ROOT r = pred[] and(a, b) }
turn { s = (s32[], c64[6,8], f32[6,8]) parameter(0) i = s32[] get-tuple-element(s), index=0
  c = c64[6,8] get-tuple-element(s), index=1 x = f32[6,8] get-tuple-element(s), index=2
  o = s32[] constant(1) j = s32[] add(i, o) m = c64[6,8] multiply(c, c) y = f32[6,8] real(m)
  ROOT r = (s32[], c64[6,8], f32[6,8]) tuple(j, m, y) }
transformed { p = (c64[6,8], c64[]) parameter(0) c = c64[6,8] get-tuple-element(p), index=0
  k = c64[] get-tuple-element(p), index=1 b = c64[6,8] broadcast(k), dimensions={}
  f = c64[6,8] fft(c), fft_type=FFT, fft_length={8} ROOT r = c64[6,8] multiply(f, b) }
transformed_alone { c = c64[6,8] parameter(0) ROOT r = c64[6,8] fft(c), fft_type=IFFT, fft_length={6,8} }
scanned { x = f32[8] parameter(0) c = f32[8] parameter(1) s = f32[8] add(x, c)
  ROOT r = (f32[8], f32[8]) tuple(s, s) }
ENTRY e {
  x0 = f32[6,8] parameter(0)
  n = s32[6,8] parameter(1)
  i = s32[] parameter(2)
  x = f32[6,8] negate(x0)
)",
                      kind.lines, "}\n");
}

// Each between an elementwise operation before it and one behind it, where its results allow.
const Kind kKinds[] = {
    {"Sort", "s = f32[6,8] sort(x), dimensions={1}, to_apply=less\nROOT r = f32[6,8] add(s, x)\n"},
    {"SortOfSeveral",
     "s = (f32[6,8], s32[6,8]) sort(x, n), dimensions={0}, is_stable=true, to_apply=less_with\n"
     "a = f32[6,8] get-tuple-element(s), index=0\nb = s32[6,8] get-tuple-element(s), index=1\n"
     "c = f32[6,8] convert(b)\nROOT r = f32[6,8] add(a, c)\n"},
    {"SortAtTheRoot",
     "ROOT s = (f32[6,8], s32[6,8]) sort(x, n), dimensions={1}, is_stable=true, "
     "to_apply=less_with\n"},
    {"TopK",
     "d = f64[6,8] convert(x)\nt = (f64[6,7], s32[6,7]) topk(d), k=7, largest=true\n"
     "a = f64[6,7] get-tuple-element(t), index=0\nROOT r = f64[6,7] add(a, a)\n"},
    {"TopKAsCustomCall",
     "d = f64[6,8] convert(x)\nt = (f64[6,7], s32[6,7]) custom-call(d), "
     "custom_call_target=\"TopK\"\nROOT b = s32[6,7] get-tuple-element(t), index=1\n"},
    {"While",
     "z = s32[] constant(0)\nt = (s32[], f32[6,8]) tuple(i, x)\n"
     "w = (s32[], f32[6,8]) while(t), condition=short, body=step\n"
     "a = f32[6,8] get-tuple-element(w), index=1\nROOT r = f32[6,8] add(a, x)\n"},
    {"WhileOfWhile",
     "t = (s32[], f32[6,8]) tuple(i, x)\n"
     "w = (s32[], f32[6,8]) while(t), condition=short, body=step\n"
     "ROOT v = (s32[], f32[6,8]) while(w), condition=short, body=step\n"},
    {"WhileOfNestedTuples",
     "t = (s32[], f32[6,8]) tuple(i, x)\nu = ((s32[], f32[6,8]), f32[6,8]) tuple(t, x)\n"
     "w = ((s32[], f32[6,8]), f32[6,8]) while(u), condition=nested_short, body=nested_step\n"
     "p = (s32[], f32[6,8]) get-tuple-element(w), index=0\n"
     "a = f32[6,8] get-tuple-element(p), index=1\nb = f32[6,8] get-tuple-element(w), index=1\n"
     "ROOT r = f32[6,8] add(a, b)\n"},
    {"WhileOfAConstant",
     "t = (s32[], f32[6,8]) constant((1, "
     "{{1,1,1,1,1,1,1,1},{1,1,1,1,1,1,1,1},{1,1,1,1,1,1,1,1},{1,1,1,1,1,1,1,1},{1,1,1,1,1,1,1,1},{"
     "1,1,1,1,1,1,1,1}}))\n"
     "w = (s32[], f32[6,8]) while(t), condition=short, body=step\n"
     "a = f32[6,8] get-tuple-element(w), index=1\nROOT r = f32[6,8] add(a, x)\n"},
    {"WhileOfAnArray",
     "w = f32[6,8] while(x), condition=below, body=grow\nROOT r = f32[6,8] add(w, x)\n"},
    {"Conditional",
     "c = s32[] constant(1)\np = pred[] compare(i, c), direction=LT\n"
     "t = (f32[6,8], s32[6,8]) tuple(x, n)\n"
     "v = f32[6,8] conditional(p, x, t), true_computation=sorted, false_computation=pair\n"
     "ROOT r = f32[6,8] add(v, x)\n"},
    {"ConditionalByIndex",
     "t = (f32[6,8], s32[6,8]) tuple(x, n)\n"
     "v = f32[6,8] conditional(i, x, t, x), branch_computations={sorted, pair, sorted}\n"
     "ROOT r = f32[6,8] add(v, x)\n"},
    {"Cholesky",
     "v = f32[6,6] dot(x, x), lhs_contracting_dims={1}, rhs_contracting_dims={1}\n"
     "d0 = s32[6,6] iota(), iota_dimension=0\nd1 = s32[6,6] iota(), iota_dimension=1\n"
     "d = pred[6,6] compare(d0, d1), direction=EQ\nc = f32[6,6] convert(d)\n"
     "hundred = f32[] constant(100)\nh = f32[6,6] broadcast(hundred), dimensions={}\n"
     "m = f32[6,6] multiply(c, h)\nROOT r = f32[6,6] cholesky(m), lower=true\n"},
    {"TriangularSolve",
     "d0 = s32[6,6] iota(), iota_dimension=0\nd1 = s32[6,6] iota(), iota_dimension=1\n"
     "d = pred[6,6] compare(d0, d1), direction=GE\nm = f32[6,6] convert(d)\n"
     "s = f32[6,8] triangular-solve(m, x), left_side=true, lower=true, unit_diagonal=false, "
     "transpose_a=NO_TRANSPOSE\nROOT r = f32[6,8] add(s, x)\n"},
    {"RngTwice",
     "l = f32[] constant(0)\nh = f32[] constant(1)\n"
     "u = f32[5] rng(l, h), distribution=rng_uniform\nv = f32[7] rng(l, h), "
     "distribution=rng_normal\nw = f32[2] rng(l, h), distribution=rng_uniform\n"
     "ROOT r = (f32[5], f32[7], f32[2]) tuple(u, v, w)\n"},
    {"RandomState",
     "a = u64[2] rng-get-and-update-state(), delta=8\nb = u64[2] rng-get-and-update-state(), "
     "delta=8\n"
     "ROOT r = (u64[2], u64[2]) tuple(a, b)\n"},
    {"Map",
     "m = f32[6,8] map(x), dimensions={0,1}, to_apply=mapped\nROOT r = f32[6,8] add(m, x)\n"},
    {"Scan",
     "z = f32[] constant(0)\nb = f32[8] broadcast(z), dimensions={}\n"
     "s = (f32[6,8], f32[8]) scan(x, b), dimensions={0}, num_carries=1, is_reverse=true, "
     "is_associative=false, to_apply=scanned\n"
     "a = f32[6,8] get-tuple-element(s), index=0\nROOT r = f32[6,8] add(a, x)\n"},
    {"RaggedDot",
     "g = s32[2] constant({2, 4})\nb = f32[2,8] slice(x), slice={[0:2], [0:8]}\n"
     "w = f32[2,8,3] broadcast(b), dimensions={0,1}\n"
     "d = f32[6,3] ragged-dot(x, w, g), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
     "lhs_ragged_dims={0}, rhs_group_dims={0}\nROOT r = f32[6,3] add(d, d)\n"},
    {"ScaledDot",
     "f = f8e4m3fn[6,8] convert(x)\nh = f8e8m0fnu[] constant(2)\nc = f8e8m0fnu[6,1] broadcast(h), "
     "dimensions={}\n"
     "ROOT r = f32[6,6] scaled-dot(f, f, c, c), lhs_contracting_dims={1}, "
     "rhs_contracting_dims={1}\n"},
    {"FftBackAndForth",
     "c = c64[6,5] fft(x), fft_type=RFFT, fft_length={8}\nh = c64[6,5] add(c, c)\n"
     "b = f32[6,8] fft(h), fft_type=IRFFT, fft_length={8}\nROOT r = f32[6,8] add(b, x)\n"},
    {"FftOfAFft",
     "c = c64[6,8] complex(x, x)\nf = c64[6,8] fft(c), fft_type=FFT, fft_length={6,8}\n"
     "ROOT r = c64[6,8] fft(f), fft_type=IFFT, fft_length={8}\n"},
    {"WhileOfComplexNumbers",
     "c = c64[6,8] complex(x, x)\nt = (s32[], c64[6,8], f32[6,8]) tuple(i, c, x)\n"
     "w = (s32[], c64[6,8], f32[6,8]) while(t), condition=any_short, body=turn\n"
     "a = c64[6,8] get-tuple-element(w), index=1\nb = f32[6,8] get-tuple-element(w), index=2\n"
     "d = c64[6,8] add(a, c)\nROOT r = (c64[6,8], f32[6,8], c64[6,8]) tuple(d, b, a)\n"},
    {"CholeskyOfComplexNumbers",
     "d0 = s32[6,6] iota(), iota_dimension=0\n"
     "d1 = s32[6,6] iota(), iota_dimension=1\nd = pred[6,6] compare(d0, d1), direction=EQ\n"
     "c = c64[6,6] convert(d)\nROOT r = c64[6,6] cholesky(c), lower=true\n"},
    {"ConditionalOfComplexNumbers",
     "o = s32[] constant(1)\np = pred[] compare(i, o), direction=LT\nc = c64[6,8] complex(x, x)\n"
     "k = c64[] constant((2, -1))\nt = (c64[6,8], c64[]) tuple(c, k)\n"
     "v = c64[6,8] conditional(p, t, c), true_computation=transformed, "
     "false_computation=transformed_alone\nROOT r = c64[6,8] add(v, c)\n"},
    {"DimensionSize",
     "s = s32[] get-dimension-size(x), dimensions={1}\nROOT r = s32[] add(s, i)\n"},
    {"ConvolutionOfDilatedInput",
     "a = f32[1,6,8] reshape(x)\nk = f32[1,6,8] negate(a)\nt = f32[6,1,8] reshape(k)\n"
     "v = f32[1,6,10] convolution(a, t), window={size=8 pad=1_1 lhs_dilate=2}, "
     "dim_labels=bf0_oi0->bf0, "
     "feature_group_count=6\nROOT r = f32[1,6,10] add(v, v)\n"},
    {"ConvolutionReversed",
     "a = f32[1,6,8] reshape(x)\nt = f32[6,1,8] reshape(x)\n"
     "v = f32[1,6,3] convolution(a, t), window={size=8 pad=1_1 rhs_reversal=1}, "
     "dim_labels=bf0_oi0->bf0, feature_group_count=6\nROOT r = f32[1,6,3] add(v, v)\n"},
    {"ConvolutionOfDoubles",
     "d = f64[6,8] convert(x)\na = f64[1,6,8] reshape(d)\nt = f64[8,6,1] reshape(d)\n"
     "v = f64[1,8,8] convolution(a, t), window={size=1}, dim_labels=bf0_oi0->bf0\n"
     "ROOT r = f64[1,8,8] add(v, v)\n"},
};

class ReferenceTest : public ::testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    absl::StatusOr<GraphPtr> graph = ParseGraph(TextOf(GetParam()));
    ASSERT_TRUE(graph.ok()) << graph.status();
    graph_ = *std::move(graph);
  }
  GraphPtr graph_;
};

TEST_P(ReferenceTest, GivesTheBitsOfTheInterpreter) {
  const std::vector<Literal> inputs = InputsOf(*graph_);
  const auto value = Evaluate(*graph_, AssembleParameters(*graph_, inputs));
  ASSERT_TRUE(value.ok()) << value.status();
  const std::vector<Literal> expected = ArrayLeaves(*value);
  for (const char* target : {"host", "sm_80"}) {
    for (const char* fusion : {"stitch", "none", "xla", "tvm"}) {
      const auto got = RunOn(*graph_, inputs, {.target = target, .fusion = fusion, .threads = 2});
      ASSERT_TRUE(got.ok()) << target << " " << fusion << ": " << got.status();
      EXPECT_TRUE(*got == expected) << target << " " << fusion;
    }
  }
}

TEST_P(ReferenceTest, ThePlanSaysSoAndReadsBack) {
  CompileOptions options;
  options.plan_only = true;
  for (const char* target : {"host", "a100"}) {
    options.target = target;
    const auto compiled = Compile(*graph_, options);
    ASSERT_TRUE(compiled.ok()) << compiled.status();
    const std::string plan = (*compiled)->PlanText();
    EXPECT_THAT(plan, HasSubstr("\nreference %"));
    EXPECT_GE((*compiled)->Summary().reference_calls, 1);
    const absl::StatusOr<PlanTextParts> parts = SplitPlanText(plan);
    ASSERT_TRUE(parts.ok()) << parts.status();
    const auto again = CompilePlan(plan, options);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ((*again)->PlanText(), plan);
    absl::StatusOr<Plan> read = ParsePlan(parts->lines, *ParseHloText(parts->graph));
    ASSERT_TRUE(read.ok()) << read.status();
    const absl::Status verified = VerifyPlan(*read);
    EXPECT_TRUE(verified.ok()) << verified;
  }
}

INSTANTIATE_TEST_SUITE_P(Kinds, ReferenceTest, ::testing::ValuesIn(kKinds),
                         [](const auto& info) { return std::string(info.param.name); });

// ---- one plan and its ledger, looked at

constexpr Kind kSortBetween = {
    "Sort", "s = f32[6,8] sort(x), dimensions={1}, to_apply=less\nROOT r = f32[6,8] add(s, x)\n"};

TEST(Reference, CutsTheRegionWithAReason) {
  const absl::StatusOr<GraphPtr> graph = ParseGraph(TextOf(kSortBetween));
  ASSERT_TRUE(graph.ok()) << graph.status();
  const auto compiled = Compile(**graph, {.target = "a100", .plan_only = true});
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  const PlanSummary summary = (*compiled)->Summary();
  EXPECT_EQ(summary.kernels, 2);
  EXPECT_EQ(summary.reference_calls, 1);
  EXPECT_EQ(summary.library_calls, 0);
  EXPECT_EQ(summary.least_kernels, 2);
  EXPECT_GT(summary.predicted_others_us, 0);
  const std::string ledger = (*compiled)->LedgerText();
  EXPECT_THAT(ledger, ::testing::ContainsRegex("%x +%s +memory +no-kernel +192"));
  EXPECT_THAT(ledger, ::testing::ContainsRegex("%s +%r +memory +no-kernel +192"));
  EXPECT_THAT(ledger, HasSubstr("a kernel for sort"));
  EXPECT_THAT((*compiled)->LedgerJson(), HasSubstr("\"kind\": \"reference\""));
  EXPECT_THAT((*compiled)->ReportHtml(), HasSubstr("reference steps, on the host"));
}

TEST(Reference, APlanWithoutItOrWithAnotherIsRefused) {
  const absl::StatusOr<GraphPtr> graph = ParseGraph(TextOf(kSortBetween));
  ASSERT_TRUE(graph.ok()) << graph.status();
  const CompileOptions options = {.plan_only = true};
  const auto compiled = Compile(**graph, options);
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  const std::string plan = (*compiled)->PlanText();
  const auto with = [&](absl::string_view line) {
    return CompilePlan(absl::StrReplaceAll(plan, {{"reference %s\n", line}}), options).status();
  };
  EXPECT_THAT(std::string(with("reference %x0\n").message()),
              HasSubstr("%x0: expected an operation to evaluate, got none"));
  EXPECT_THAT(std::string(with("copy %x0 output=0\n").message()), HasSubstr("%s"));
  EXPECT_THAT(std::string(with("reference %nosuch\n").message()), HasSubstr("no instruction"));
}

TEST(Reference, AConvolutionThatTheLibraryTakesIsALibraryCall) {
  const absl::StatusOr<GraphPtr> graph = ParseGraph(R"(HloModule m
ENTRY e { x = f32[2,9,9,3] parameter(0) k = f32[3,3,3,4] parameter(1)
  ROOT c = f32[2,9,9,4] convolution(x, k), window={size=3x3 pad=1_1x1_1}, dim_labels=b01f_01io->b01f })");
  ASSERT_TRUE(graph.ok()) << graph.status();
  for (const char* target : {"host", "a100"}) {
    const auto compiled = Compile(**graph, {.target = target, .plan_only = true});
    ASSERT_TRUE(compiled.ok()) << compiled.status();
    EXPECT_EQ((*compiled)->Summary().library_calls, 1) << target;
    EXPECT_EQ((*compiled)->Summary().reference_calls, 0) << target;
  }
}

// ---- what stays an error

struct Refused {
  const char* name;
  const char* lines;
  const char* words;
};

TEST(Reference, WhatNobodyEvaluatesIsRefusedByNameAndPlace) {
  const Refused kRefused[] = {
      {"CustomCall", "ROOT r = f32[6,8] custom-call(x), custom_call_target=\"mystery\"\n",
       "custom-call instruction %r: no kernel, library call or evaluation"},
  };
  for (const Refused& refused : kRefused) {
    const absl::StatusOr<GraphPtr> graph = ParseGraph(TextOf({refused.name, refused.lines}));
    ASSERT_TRUE(graph.ok()) << refused.name << graph.status();
    const auto compiled = Compile(**graph, {.plan_only = true});
    EXPECT_THAT(RenderError(compiled.status(), "g.hlo"), HasSubstr(refused.words));
    EXPECT_THAT(RenderError(compiled.status(), "g.hlo"), ::testing::StartsWith("g.hlo:"));
  }
}

TEST(Reference, WhatALoopCallsIsLookedAtBeforeItRuns) {
  const absl::StatusOr<GraphPtr> graph = ParseGraph(R"(HloModule m
below { x = f32[4] parameter(0) ROOT r = pred[] constant(false) }
odd { x = f32[4] parameter(0) ROOT y = f32[4] custom-call(x), custom_call_target="mystery" }
ENTRY e { x = f32[4] parameter(0) ROOT w = f32[4] while(x), condition=below, body=odd })");
  ASSERT_TRUE(graph.ok()) << graph.status();
  EXPECT_THAT(RenderError(Compile(**graph).status(), "g.hlo"),
              HasSubstr("custom-call instruction %y: no kernel"));
}

TEST(Reference, AFaultAtRunNamesTheStep) {
  const absl::StatusOr<GraphPtr> graph = ParseGraph(R"(HloModule m
below { x = f32[4] parameter(0) ROOT r = pred[] constant(true) }
sum { a = f32[] parameter(0) b = f32[] parameter(1) ROOT s = f32[] add(a, b) }
huge { x = f32[4] parameter(0) b = f32[1000000000,1000,4] broadcast(x), dimensions={2}
  z = f32[] constant(0) ROOT y = f32[4] reduce(b, z), dimensions={0,1}, to_apply=sum }
ENTRY e { x = f32[4] parameter(0) ROOT loop = f32[4] while(x), condition=below, body=huge })");
  ASSERT_TRUE(graph.ok()) << graph.status();
  const auto compiled = Compile(**graph);
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  const auto got =
      RunGuarded(**graph, *(*compiled)->executable(), InputsOf(**graph), Place::kAtEnd);
  EXPECT_TRUE(absl::IsResourceExhausted(got.status())) << got.status();
  EXPECT_THAT(std::string(got.status().message()), HasSubstr("loop"));
}

}  // namespace
}  // namespace astitch
