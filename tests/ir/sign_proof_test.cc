// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Which differences are proved to be never positive, and the near misses that are not.
#include "ir/sign_proof.h"

#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "frontend/hlo_text/parser.h"

namespace astitch {
namespace {

// Whether the root of ENTRY, after the given lines, is known to be never positive. The bodies are
// there to be called.
bool Proved(const std::string& entry, const std::string& maximum = "maximum") {
  const std::string text = absl::StrCat(R"(HloModule m
fold {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT c = f32[] )",
                                        maximum, R"((a, b)
}
rounded {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  c = f32[] maximum(a, b)
  d = bf16[] convert(c)
  ROOT e = f32[] convert(d)
}
ENTRY main {
  x = f32[4,4] parameter(0)
  y = f32[4,4] parameter(1)
  low = f32[] constant(-inf)
)",
                                        entry, "}\n");
  auto graph = ParseHloText(text);
  if (!graph.ok()) {
    ADD_FAILURE() << graph.status();
    return false;
  }
  return IsNeverPositive(*(*graph)->entry()->root());
}

TEST(SignProof, AValueMinusTheMaximumOfItsRow) {
  EXPECT_TRUE(Proved(R"(
  m = f32[4] reduce(x, low), dimensions={1}, to_apply=fold
  b = f32[4,4] broadcast(m), dimensions={0}
  ROOT d = f32[4,4] subtract(x, b))"));
}

TEST(SignProof, AValueMinusTheMaximumOfAll) {
  EXPECT_TRUE(Proved(R"(
  m = f32[] reduce(x, low), dimensions={0,1}, to_apply=fold
  b = f32[4,4] broadcast(m), dimensions={}
  ROOT d = f32[4,4] subtract(x, b))"));
}

TEST(SignProof, MinusAnAbsoluteValue) {
  EXPECT_TRUE(Proved("  a = f32[4,4] abs(x)\n  ROOT n = f32[4,4] negate(a)\n"));
  EXPECT_FALSE(Proved("  ROOT n = f32[4,4] negate(x)\n"));
}

TEST(SignProof, NotTheMaximumOfAnotherRow) {
  EXPECT_FALSE(Proved(R"(
  m = f32[4] reduce(x, low), dimensions={1}, to_apply=fold
  b = f32[4,4] broadcast(m), dimensions={1}
  ROOT d = f32[4,4] subtract(x, b))"));
}

TEST(SignProof, NotTheMaximumOfAnotherValue) {
  EXPECT_FALSE(Proved(R"(
  m = f32[4] reduce(y, low), dimensions={1}, to_apply=fold
  b = f32[4,4] broadcast(m), dimensions={0}
  ROOT d = f32[4,4] subtract(x, b))"));
}

TEST(SignProof, NotTheMaximumMinusTheValue) {
  EXPECT_FALSE(Proved(R"(
  m = f32[4] reduce(x, low), dimensions={1}, to_apply=fold
  b = f32[4,4] broadcast(m), dimensions={0}
  ROOT d = f32[4,4] subtract(b, x))"));
}

TEST(SignProof, NotAnotherFold) {
  constexpr char kMinusFold[] = R"(
  m = f32[4] reduce(x, low), dimensions={1}, to_apply=fold
  b = f32[4,4] broadcast(m), dimensions={0}
  ROOT d = f32[4,4] subtract(x, b))";
  EXPECT_FALSE(Proved(kMinusFold, "minimum"));
  EXPECT_FALSE(Proved(kMinusFold, "add"));
}

// A maximum that is rounded to bf16 may lie below the value.
TEST(SignProof, NotAMaximumThatIsRounded) {
  EXPECT_FALSE(Proved(R"(
  m = f32[4] reduce(x, low), dimensions={1}, to_apply=rounded
  b = f32[4,4] broadcast(m), dimensions={0}
  ROOT d = f32[4,4] subtract(x, b))"));
}

}  // namespace
}  // namespace astitch
