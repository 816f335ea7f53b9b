// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Shapes print as HLO does and never overflow silently.
#include "astitch/shape.h"

#include <gtest/gtest.h>

namespace astitch {
namespace {

TEST(Shape, PrintsAsHlo) {
  EXPECT_EQ(Shape::Array(ElementType::kF32, {2, 3}).ToString(), "f32[2,3]{1,0}");
  EXPECT_EQ(Shape::Scalar(ElementType::kPred).ToString(), "pred[]");
  EXPECT_EQ(Shape::Tuple({Shape::Token(), Shape::Array(ElementType::kBF16, {0})}).ToString(),
            "(token[], bf16[0]{0})");
  EXPECT_EQ(Shape::Array(ElementType::kF32, {2, 3}, {{0, 1}, "S(1)"}).ToString(),
            "f32[2,3]{0,1:S(1)}");
}

TEST(Shape, LayoutsCountForEqualityButNotForCompatibility) {
  const Shape row = Shape::Array(ElementType::kF32, {2, 3});
  const Shape column = Shape::Array(ElementType::kF32, {2, 3}, {{0, 1}, ""});
  EXPECT_FALSE(row == column);
  EXPECT_TRUE(row.CompatibleWith(column));
}

TEST(Shape, HugeSizesAreErrorsNotWrapArounds) {
  const int64_t big = int64_t{1} << 40;
  EXPECT_FALSE(Shape::Array(ElementType::kS8, {big, big}).CheckedNumElements().ok());
  EXPECT_FALSE(Shape::Array(ElementType::kF64, {int64_t{1} << 61}).CheckedByteSize().ok());
  EXPECT_EQ(Shape::Array(ElementType::kF64, {big, 0}).CheckedByteSize().value(), 0);
}

TEST(ElementType, EveryWordReadsBack) {
#define ASTITCH_X(enumerator, word, bits, kind) \
  EXPECT_EQ(ElementTypeFromString(word), ElementType::enumerator);
  ASTITCH_ELEMENT_TYPES(ASTITCH_X)
#undef ASTITCH_X
  EXPECT_FALSE(ElementTypeFromString("i32").has_value());
}

}  // namespace
}  // namespace astitch
