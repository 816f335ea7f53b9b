// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The whole pipeline behind one call: values, plans read back to the same code, layouts of the
// caller, dots of every kind, and errors that name their place.
#include "astitch/compile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "artifact/executable_image.h"
#include "base/file.h"
#include "interp/interpreter.h"
#include "ir/graph.h"
#include "ir/number.h"
#include "tensor_io/layout.h"

namespace astitch {
namespace {

constexpr absl::string_view kSoftmax = R"(HloModule softmax
max_f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }
add_f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY main {
  x = f32[64,100] parameter(0)
  low = f32[] constant(-inf)
  zero = f32[] constant(0)
  m = f32[64] reduce(x, low), dimensions={1}, to_apply=max_f
  mb = f32[64,100] broadcast(m), dimensions={0}
  e = f32[64,100] exponential(subtract(x, mb))
  s = f32[64] reduce(e, zero), dimensions={1}, to_apply=add_f
  sb = f32[64,100] broadcast(s), dimensions={0}
  ROOT p = f32[64,100] divide(e, sb)
}
)";

// Small integers over a wide range of positions, so that sums are exact.
Literal Argument(const Shape& shape, int64_t seed) {
  Literal literal(Shape::Array(shape.element_type(), shape.dims()));
  const int width = ByteWidth(shape.element_type());
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    StoreFromDouble(shape.element_type(), literal.mutable_bytes().data() + i * width,
                    static_cast<double>((i * 7 + seed * 5) % 11 - 5));
  }
  return literal;
}

// Runs GRAPH on the host and by the interpreter and compares bits, or within TOLERANCE.
void ExpectAgrees(absl::string_view text, double tolerance, absl::string_view fusion = "stitch") {
  auto graph = ParseGraph(text);
  ASSERT_TRUE(graph.ok()) << graph.status();
  CompileOptions options;
  options.fusion = std::string(fusion);
  auto compiled = Compile(**graph, options);
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  const std::vector<Shape> in = ParameterShapes(**graph), out = ResultShapes(**graph);
  std::vector<Literal> arguments;
  std::vector<std::vector<std::byte>> inputs, outputs;
  std::vector<ConstBuffer> input_buffers;
  std::vector<Buffer> output_buffers;
  for (size_t k = 0; k < in.size(); ++k) {
    arguments.push_back(Argument(in[k], static_cast<int64_t>(k)));
    inputs.push_back(ToPhysical(arguments.back(), in[k]));
  }
  for (const Shape& shape : out) outputs.emplace_back(shape.byte_size());
  for (auto& bytes : inputs)
    input_buffers.push_back({bytes.data(), static_cast<int64_t>(bytes.size())});
  for (auto& bytes : outputs)
    output_buffers.push_back({bytes.data(), static_cast<int64_t>(bytes.size())});
  ASSERT_NE((*compiled)->executable(), nullptr);
  const absl::Status status = (*compiled)->executable()->Run(input_buffers, output_buffers);
  ASSERT_TRUE(status.ok()) << status;
  const auto want = Evaluate(**graph, AssembleParameters(**graph, arguments));
  ASSERT_TRUE(want.ok()) << want.status();
  const Literal got = FromPhysical(out[0], outputs[0]);
  const Literal expected = ArrayLeaves(*want)[0];
  const ElementType type = out[0].element_type();
  for (int64_t i = 0; i < out[0].num_elements(); ++i) {
    const double g = LoadAsDouble(type, got.bytes().data() + i * ByteWidth(type));
    const double w = LoadAsDouble(type, expected.bytes().data() + i * ByteWidth(type));
    ASSERT_LE(std::fabs(g - w), tolerance * std::max(1.0, std::fabs(w))) << "element " << i;
  }
}

TEST(Compile, SoftmaxAgreesWithTheInterpreterHoweverItIsFused) {
  ExpectAgrees(kSoftmax, 2e-6, "stitch");
  ExpectAgrees(kSoftmax, 2e-6, "none");
}

// Heads are read and written through strides, bias, scale and residual are epilogues: two kernels are
// left, the softmax and GELU, which the host does better without the library.
constexpr absl::string_view kProducts = R"(HloModule m
max_f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }
add_f { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
ENTRY e {
  x = f32[2,6,8] parameter(0)
  w = f32[8,8] parameter(1)
  b = f32[8] parameter(2)
  q = f32[2,6,8] dot(x, w), lhs_contracting_dims={2}, rhs_contracting_dims={0}
  bb = f32[2,6,8] broadcast(b), dimensions={2}
  qb = f32[2,6,8] add(q, bb)
  qs = f32[2,6,2,4] reshape(qb)
  h = f32[2,2,6,4] transpose(qs), dimensions={0,2,1,3}
  s = f32[2,2,6,6] dot(h, h), lhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_batch_dims={0,1}, rhs_contracting_dims={3}
  scale = f32[] constant(0.01)
  scales = f32[2,2,6,6] broadcast(scale), dimensions={}
  ss = f32[2,2,6,6] multiply(s, scales)
  ninf = f32[] constant(-inf)
  mx = f32[2,2,6] reduce(ss, ninf), dimensions={3}, to_apply=max_f
  mb = f32[2,2,6,6] broadcast(mx), dimensions={0,1,2}
  d = f32[2,2,6,6] subtract(ss, mb)
  ex = f32[2,2,6,6] exponential(d)
  zero = f32[] constant(0)
  sm = f32[2,2,6] reduce(ex, zero), dimensions={3}, to_apply=add_f
  sb = f32[2,2,6,6] broadcast(sm), dimensions={0,1,2}
  p = f32[2,2,6,6] divide(ex, sb)
  c = f32[2,2,6,4] dot(p, h), lhs_batch_dims={0,1}, lhs_contracting_dims={3}, rhs_batch_dims={0,1}, rhs_contracting_dims={2}
  ct = f32[2,6,2,4] transpose(c), dimensions={0,2,1,3}
  cr = f32[2,6,8] reshape(ct)
  o = f32[2,6,8] dot(cr, w), lhs_contracting_dims={2}, rhs_contracting_dims={0}
  ob = f32[2,6,8] add(o, bb)
  or = f32[2,6,8] add(ob, x)
  k = f32[] constant(0.70710678)
  ks = f32[2,6,8] broadcast(k), dimensions={}
  one = f32[] constant(1)
  ones = f32[2,6,8] broadcast(one), dimensions={}
  half = f32[] constant(0.5)
  halves = f32[2,6,8] broadcast(half), dimensions={}
  arg = f32[2,6,8] multiply(or, ks)
  er = f32[2,6,8] erf(arg)
  e1 = f32[2,6,8] add(er, ones)
  e2 = f32[2,6,8] multiply(e1, halves)
  ROOT g = f32[2,6,8] multiply(e2, or)
})";

TEST(Compile, ProductsDoWhatTheirEpiloguesAndStridesSay) {
  ExpectAgrees(kProducts, 1e-4, "stitch");
  auto graph = ParseGraph(kProducts);
  for (const auto& [fusion, kernels] : {std::pair("stitch", 2), std::pair("xla", 7)}) {
    CompileOptions options;
    options.fusion = fusion;
    auto compiled = Compile(**graph, options);
    ASSERT_TRUE(compiled.ok()) << compiled.status();
    EXPECT_EQ((*compiled)->Summary().kernels, kernels) << (*compiled)->PlanText();
    auto again = CompilePlan((*compiled)->PlanText(), options);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ((*compiled)->PlanText(), (*again)->PlanText());
  }
}

TEST(Compile, APlanReadBackGivesTheSameCode) {
  auto graph = ParseGraph(kSoftmax);
  for (const char* target : {"host", "sm_80"}) {
    CompileOptions options;
    options.target = target;
    options.keep_texts = true;
    auto first = Compile(**graph, options);
    ASSERT_TRUE(first.ok()) << first.status();
    auto second = CompilePlan((*first)->PlanText(), options);
    ASSERT_TRUE(second.ok()) << second.status();
    EXPECT_EQ((*first)->PlanText(), (*second)->PlanText());
    ASSERT_EQ((*first)->Ptx().size(), (*second)->Ptx().size());
    for (size_t k = 0; k < (*first)->Ptx().size(); ++k)
      EXPECT_EQ((*first)->Ptx()[k].text, (*second)->Ptx()[k].text);
    ASSERT_EQ((*first)->Assembly().size(), (*second)->Assembly().size());
    for (size_t k = 0; k < (*first)->Assembly().size(); ++k) {
      EXPECT_EQ((*first)->Assembly()[k].text, (*second)->Assembly()[k].text);
    }
  }
}

TEST(Compile, TheSameGraphGivesTheSamePlanTwice) {
  auto graph = ParseGraph(kSoftmax);
  EXPECT_EQ((*Compile(**graph))->PlanText(), (*Compile(**graph))->PlanText());
}

// Its phase of 300 rows, of 40 columns and of one, is done by each of 4 blocks, four phases of 21 rows
// and twice 300 columns by all of them together.
TEST(Compile, PhasesThatEveryBlockRepeatsCountForEveryBlock) {
  const auto text = ReadFile(ASTITCH_TEST_DATA "/plans-to-break/block.a100.txt");
  ASSERT_TRUE(text.ok()) << text.status();
  const auto compiled = CompilePlan(*text);
  ASSERT_TRUE(compiled.ok()) << compiled.status();
  const auto image = (*compiled)->GpuImage();
  ASSERT_TRUE(image.ok()) << image.status();
  const auto& kernel = std::get<PtxKernelStep>(image->steps.at(0));
  EXPECT_EQ(kernel.points, 4 * 300 * (40 + 1) + 4 * 21 * (300 + 300));
}

TEST(Compile, ArgumentsAndResultsLieAsTheCallerSays) {
  ExpectAgrees(
      R"(HloModule m, entry_computation_layout={(f32[3,5]{0,1}, f32[5,3]{1,0})->f32[3,5]{0,1}}
ENTRY main {
  x = f32[3,5]{0,1} parameter(0)
  y = f32[5,3] parameter(1)
  t = f32[3,5] transpose(y), dimensions={1,0}
  ROOT a = f32[3,5]{0,1} add(x, t)
}
)",
      0);
}

TEST(Compile, ATupleOfTuplesIsFlattened) {
  ExpectAgrees(R"(HloModule m
ENTRY main {
  x = f32[4] parameter(0)
  n = f32[4] negate(x)
  inner = (f32[4]) tuple(n)
  ROOT t = ((f32[4]), f32[4]) tuple(inner, x)
}
)",
               0);
}

TEST(Compile, TupleArgumentsAreTheirLeaves) {
  ExpectAgrees(R"(HloModule m
ENTRY main {
  p = (f32[4], (f32[4], f32[4])) parameter(0)
  q = f32[4] parameter(1)
  a = f32[4] get-tuple-element(p), index=0
  inner = (f32[4], f32[4]) get-tuple-element(p), index=1
  b = f32[4] get-tuple-element(inner), index=1
  s = f32[4] subtract(a, b)
  ROOT r = f32[4] multiply(s, q)
}
)",
               0);
}

struct DotCase {
  const char* name;
  const char* body;
};

class DotTest : public testing::TestWithParam<DotCase> {};

TEST_P(DotTest, AgreesWithTheInterpreter) {
  ExpectAgrees(absl::StrCat("HloModule m\nENTRY main {\n", GetParam().body, "\n}\n"), 1e-5);
}

INSTANTIATE_TEST_SUITE_P(Kinds, DotTest,
                         testing::Values(DotCase{"matrix", R"(a = f32[5,7] parameter(0)
          b = f32[7,3] parameter(1)
          ROOT d = f32[5,3] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0})"},
                                         DotCase{"transposed_batch", R"(a = f32[2,7,5] parameter(0)
          b = f32[2,3,7] parameter(1)
          ROOT d = f32[2,5,3] dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={1}, rhs_contracting_dims={2})"},
                                         DotCase{"doubles", R"(a = f64[5,7] parameter(0)
          b = f64[7,3] parameter(1)
          ROOT d = f64[5,3] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0})"},
                                         DotCase{"integers", R"(a = s32[4,6] parameter(0)
          b = s32[6,4] parameter(1)
          ROOT d = s32[4,4] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0})"},
                                         DotCase{"free_dims_apart", R"(a = f32[4,6,5] parameter(0)
          b = f32[6,3] parameter(1)
          ROOT d = f32[4,5,3] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0})"},
                                         DotCase{"two_contracted", R"(a = f32[4,6,5] parameter(0)
          b = f32[5,6,3] parameter(1)
          ROOT d = f32[4,3] dot(a, b), lhs_contracting_dims={1,2}, rhs_contracting_dims={1,0})"},
                                         DotCase{"outer_product", R"(a = f32[4] parameter(0)
          b = f32[3] parameter(1)
          ROOT d = f32[4,3] dot(a, b), lhs_contracting_dims={}, rhs_contracting_dims={})"},
                                         DotCase{"vectors", R"(a = f32[33] parameter(0)
          b = f32[33] parameter(1)
          ROOT d = f32[] dot(a, b), lhs_contracting_dims={0}, rhs_contracting_dims={0})"},
                                         DotCase{"nothing_to_sum", R"(a = f32[4,0] parameter(0)
          b = f32[0,3] parameter(1)
          ROOT d = f32[4,3] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0})"},
                                         DotCase{"wider_result", R"(a = bf16[5,8] parameter(0)
          b = bf16[8,3] parameter(1)
          ROOT d = f32[5,3] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0})"}),
                         [](const testing::TestParamInfo<DotCase>& info) {
                           return info.param.name;
                         });

TEST(Compile, FaultsAreNamed) {
  auto graph = ParseGraph(kSoftmax);
  const auto message = [&](CompileOptions options) {
    return std::string(Compile(**graph, options).status().message());
  };
  CompileOptions options;
  options.target = "sm_81";
  EXPECT_THAT(message(options), testing::HasSubstr("unknown target sm_81"));
  options.target = "@/nowhere.json";
  EXPECT_THAT(message(options), testing::HasSubstr("/nowhere.json"));
  options.target = "host";
  options.fusion = "everything";
  EXPECT_THAT(message(options),
              testing::HasSubstr("expected fusion stitch, tvm, xla, none, got everything"));
}

TEST(Compile, ElidedConstantsAndOperationsThatNothingRunsAreNamed) {
  const auto message = [](absl::string_view body) {
    auto graph = ParseGraph(absl::StrCat("HloModule m\nENTRY main {\n", body, "\n}\n"));
    EXPECT_TRUE(graph.ok()) << graph.status();
    return std::string(Compile(**graph).status().message());
  };
  EXPECT_THAT(
      message("x = f32[20] parameter(0)\nc = f32[20] constant({...})\nROOT a = f32[20] add(x, c)"),
      testing::AllOf(testing::HasSubstr("%c"), testing::HasSubstr("elided")));
  EXPECT_THAT(
      message(
          "x = f32[20] parameter(0)\nROOT s = f32[20] custom-call(x), custom_call_target=\"odd\""),
      testing::AllOf(testing::HasSubstr("4:"), testing::HasSubstr("%s")));
}

}  // namespace
}  // namespace astitch
