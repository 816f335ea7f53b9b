// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Six small models with known results: softmax, layer norm, argmax, a lowered scan, convolution
// with batch norm, an embedding lookup.
#include <cmath>

#include "base/file.h"
#include "ir/number.h"
#include "tests/interp/run_text.h"

namespace astitch {
namespace {

// "f32[2] {1, 2}"
Literal Value(absl::string_view shape, absl::string_view elements) {
  const absl::StatusOr<Literal> value =
      RunText(absl::StrCat("ENTRY e {\n  ROOT c = ", shape, " constant(", elements, ")\n}\n"));
  EXPECT_TRUE(value.ok()) << value.status();
  return value.value_or(Literal());
}

Literal RunExample(absl::string_view name, std::vector<Literal> arguments) {
  const absl::StatusOr<std::string> text =
      ReadFile(absl::StrCat(ASTITCH_TEST_DATA "/hlo/accept/", name, ".hlo"));
  EXPECT_TRUE(text.ok()) << text.status();
  const absl::StatusOr<Literal> result = RunText(text.value_or(""), std::move(arguments));
  EXPECT_TRUE(result.ok()) << result.status();
  return result.value_or(Literal());
}

// Within the six digits to which the results are written down.
void ExpectNear(const Literal& got, const Literal& want) {
  ASSERT_TRUE(got.shape().CompatibleWith(want.shape())) << got.shape() << " " << want.shape();
  const ElementType type = got.shape().element_type();
  for (size_t at = 0; at < got.bytes().size(); at += ByteWidth(type)) {
    const double expected = LoadAsDouble(type, want.bytes().data() + at);
    EXPECT_NEAR(LoadAsDouble(type, got.bytes().data() + at), expected,
                1e-6 + 5e-6 * std::fabs(expected));
  }
}

TEST(Examples, Softmax) {
  const Literal got = RunExample("softmax", {Value("f32[2,4]", "{{1, 2, 3, 4}, {0, 0, 0, 1000}}")});
  ExpectNear(got, Value("f32[2,4]", "{{0.0320586, 0.0871443, 0.236883, 0.643914}, {0, 0, 0, 1}}"));
}

TEST(Examples, LayerNormOfBf16) {
  const Literal got = RunExample(
      "layer_norm", {Value("bf16[2,4]", "{{1,2,3,4},{-1,0.5,0.25,8}}"),
                     Value("bf16[4]", "{1, 1, 0.5, 2}"), Value("bf16[4]", "{0, 0.5, 0, -1}")});
  EXPECT_EQ(got, Value("bf16[2,4]",
                       "{{-1.34375, 0.0527344, 0.223633, 1.67969}, "
                       "{-0.828125, 0.0947266, -0.238281, 2.42188}}"));
}

TEST(Examples, Argmax) {
  const Literal got = RunExample("argmax", {Value("f32[3,5]",
                                                  "{{1, 5, 5, 2, 0}, {1, nan, 9, nan, 3}, "
                                                  "{-inf, -inf, -inf, -inf, -inf}}")});
  EXPECT_EQ(ValueText(got), "{1, 1, 0}");
}

TEST(Examples, ScanByWhile) {
  const Literal got = RunExample(
      "scan_cumsum", {Value("f32[3]", "{10, 20, 30}"),
                      Value("f32[4,3]", "{{1, 2, 3}, {4, 5, 6}, {7, 8, 9}, {10, 11, 12}}")});
  EXPECT_EQ(ValueText(got),
            "( {32, 46, 60}, { { 11, 22, 33 }, { 15, 27, 39 }, { 22, 35, 48 }, { 32, 46, 60 } } )");
}

TEST(Examples, ConvolutionBatchNormRelu) {
  const Literal got =
      RunExample("conv_bn_relu",
                 {Value("f32[1,3,3,1]", "{{{{1}, {2}, {3}}, {{4}, {5}, {6}}, {{7}, {8}, {9}}}}"),
                  Value("f32[3,3,1,2]",
                        "{{{{0, 1}}, {{0, 1}}, {{0, 1}}}, {{{0, 1}}, {{1, 1}}, {{0, 1}}}, "
                        "{{{0, 1}}, {{0, 1}}, {{0, 1}}}}")});
  // The second value is what is left of a cancellation, known to four digits.
  const double identity[] = {0,       0.000124931, 1,       1.99988, 2.99975,
                             3.99962, 4.9995,      5.99938, 6.99925};
  const double box[] = {10.9761, 19.9581, 14.9681, 25.9462, 43.9103,
                        31.9342, 22.9521, 37.9222, 26.9442};
  ASSERT_EQ(got.data<float>().size(), 18u);
  for (int k = 0; k < 9; ++k) {
    EXPECT_NEAR(got.data<float>()[2 * k], identity[k], 1e-5) << k;
    EXPECT_NEAR(got.data<float>()[2 * k + 1], box[k], 1e-4) << k;
  }
}

TEST(Examples, EmbeddingLookup) {
  const Literal got =
      RunExample("embedding_lookup", {Value("f32[5,3]",
                                            "{{0, 1, 2}, {10, 11, 12}, {20, 21, 22}, {30, 31, 32}, "
                                            "{40, 41, 42}}"),
                                      Value("s32[2,2]", "{{0, -1}, {3, 99}}")});
  EXPECT_EQ(ValueText(got),
            "{ { { 0, 1, 2 }, { 40, 41, 42 } }, { { 30, 31, 32 }, { 40, 41, 42 } } }");
}

}  // namespace
}  // namespace astitch
