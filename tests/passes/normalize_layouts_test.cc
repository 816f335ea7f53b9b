// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// normalize-layouts: row-major inside, bitcasts by what they mean.
#include "tests/passes/pass_test_util.h"

namespace astitch {
namespace {

constexpr char kPass[] = "normalize-layouts";

TEST(NormalizeLayoutsTest, ChangesNothing) {
  ExpectUnchanged(kPass, R"(
    x = f32[2,3]{1,0} parameter(0)
    ROOT t = f32[3,2]{1,0} transpose(x), dimensions={1,0})");
}

TEST(NormalizeLayoutsTest, HeaderKeepsTheCallersLayout) {
  ExpectRewrite(kPass, R"(
    HloModule m, entry_computation_layout={(f32[2,3]{0,1})->f32[2,3]{0,1}}
    ENTRY main {
      x = f32[2,3]{0,1} parameter(0)
      ROOT n = f32[2,3]{0,1} negate(x)
    })",
                R"(
    HloModule m, entry_computation_layout={(f32[2,3]{0,1})->f32[2,3]{0,1}}
    ENTRY main {
      x = f32[2,3]{1,0} parameter(0)
      ROOT n = f32[2,3]{1,0} negate(x)
    })");
}

TEST(NormalizeLayoutsTest, RowMajorBitcastIsAReshape) {
  ExpectRewrite(kPass, R"(
    x = f32[2,6]{1,0} parameter(0)
    ROOT b = f32[3,4]{1,0} bitcast(x))",
                R"(
    x = f32[2,6]{1,0} parameter(0)
    ROOT reshape = f32[3,4]{1,0} reshape(x))");
}

TEST(NormalizeLayoutsTest, BitcastBetweenLayoutsIsATranspose) {
  ExpectRewrite(kPass, R"(
    x = f32[2,3]{0,1} parameter(0)
    ROOT b = f32[3,2]{1,0} bitcast(x))",
                R"(
    x = f32[2,3]{1,0} parameter(0)
    ROOT transpose = f32[3,2]{1,0} transpose(x), dimensions={1,0})");
}

TEST(NormalizeLayoutsTest, ChainOfBitcastsUsesTheLayoutsAsWritten) {
  ExpectRewrite(kPass, R"(
    x = f32[2,3,4]{2,1,0} parameter(0)
    a = f32[4,2,3]{0,2,1} bitcast(x)
    ROOT b = f32[24]{0} bitcast(a))",
                R"(
    x = f32[2,3,4]{2,1,0} parameter(0)
    transpose.1 = f32[4,2,3]{2,1,0} transpose(x), dimensions={2,0,1}
    transpose = f32[2,3,4]{2,1,0} transpose(transpose.1), dimensions={1,2,0}
    ROOT reshape = f32[24]{0} reshape(transpose))");
}

TEST(NormalizeLayoutsTest, BitcastToAnotherTypeConverts) {
  ExpectRewrite(kPass, R"(
    x = u32[3] parameter(0)
    a = f32[3] bitcast(x)
    b = u16[6] bitcast(a)
    c = u16[2] slice(b), slice={[0:2]}
    ROOT d = u32[1] bitcast(c))",
                R"(
    x = u32[3] parameter(0)
    bitcast-convert.2 = f32[3] bitcast-convert(x)
    bitcast-convert.1 = u16[3,2] bitcast-convert(bitcast-convert.2)
    reshape.1 = u16[6] reshape(bitcast-convert.1)
    c = u16[2] slice(reshape.1), slice={[0:2]}
    reshape = u16[1,2] reshape(c)
    ROOT bitcast-convert = u32[1] bitcast-convert(reshape))");
}

TEST(NormalizeLayoutsTest, TiledBitcastIsRefused) {
  const std::unique_ptr<Graph> graph = ParseModule(R"(
    x = f32[8,128]{1,0:T(8,128)} parameter(0)
    ROOT b = f32[1024]{0} bitcast(x))");
  ASSERT_TRUE(graph != nullptr);
  const absl::Status status = RunPasses(*graph, {kPass}).status();
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("in pass normalize-layouts"));
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("plain layouts"));
}

}  // namespace
}  // namespace astitch
