// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Encodings round once to nearest even and saturate as hlo-text 5.3 says; every code of a narrow
// type reads back.
#include "ir/number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace astitch {
namespace {

double Round(ElementType type, double value) { return DecodeFloat(type, EncodeFloat(type, value)); }
const double kInf = std::numeric_limits<double>::infinity();

TEST(Number, EveryCodeOfANarrowTypeReadsBack) {
#define ASTITCH_X(enumerator, word, bits, kind)                                 \
  if (IsFloat(ElementType::enumerator) && bits <= 16) {                         \
    for (uint64_t code = 0; code >> (bits & 31) == 0; ++code) {                 \
      const double value = DecodeFloat(ElementType::enumerator, code);          \
      if (!std::isnan(value)) {                                                 \
        EXPECT_EQ(EncodeFloat(ElementType::enumerator, value), code) << word;   \
      } else {                                                                  \
        EXPECT_TRUE(std::isnan(Round(ElementType::enumerator, value))) << word; \
      }                                                                         \
    }                                                                           \
  }
  ASTITCH_ELEMENT_TYPES(ASTITCH_X)
#undef ASTITCH_X
}

TEST(Number, KnownRoundings) {
  EXPECT_EQ(Round(ElementType::kF16, 65519), 65504);
  EXPECT_EQ(Round(ElementType::kF16, 65520), kInf);
  EXPECT_EQ(Round(ElementType::kBF16, 1.00390625), 1);
  EXPECT_EQ(Round(ElementType::kBF16, 1.01171875), 1.015625);
  EXPECT_EQ(Round(ElementType::kBF16, 3.4e38), kInf);
  EXPECT_EQ(Round(ElementType::kF8E4M3FN, 464), 448);
  EXPECT_TRUE(std::isnan(Round(ElementType::kF8E4M3FN, 465)));
  EXPECT_TRUE(std::isnan(Round(ElementType::kF8E4M3FN, kInf)));
  EXPECT_EQ(Round(ElementType::kF8E5M2, 60000), 57344);
  EXPECT_EQ(Round(ElementType::kF8E5M2, 61440), kInf);
  EXPECT_EQ(Round(ElementType::kF8E8M0FNU, 3), 4);
  EXPECT_EQ(Round(ElementType::kF8E8M0FNU, 0.1), 0.125);
  EXPECT_TRUE(std::isnan(Round(ElementType::kF8E8M0FNU, -1)));
  EXPECT_EQ(Round(ElementType::kF4E2M1FN, 7), 6);
  EXPECT_EQ(Round(ElementType::kF4E2M1FN, .25), 0);
  EXPECT_EQ(Round(ElementType::kF4E2M1FN, .75), 1);
  EXPECT_EQ(Round(ElementType::kF4E2M1FN, -0.3), -0.5);
}

TEST(Number, FloatToIntegerSaturates) {
  EXPECT_EQ(SaturateToInteger(ElementType::kS32, std::nan("")), 0);
  EXPECT_EQ(SaturateToInteger(ElementType::kS32, 3e9), 2147483647);
  EXPECT_EQ(SaturateToInteger(ElementType::kS32, -2.9), -2);
  EXPECT_EQ(SaturateToInteger(ElementType::kU8, -1), 0);
  EXPECT_EQ(SaturateToInteger(ElementType::kS4, 100), 7);
  EXPECT_EQ(SaturateToInteger(ElementType::kS64, 1e20), std::numeric_limits<int64_t>::max());
  EXPECT_EQ(static_cast<uint64_t>(SaturateToInteger(ElementType::kU64, 1e20)),
            std::numeric_limits<uint64_t>::max());
  EXPECT_EQ(SaturateToInteger(ElementType::kPred, std::nan("")), 1);
}

TEST(Number, IntegersWrap) {
  EXPECT_EQ(WrapInteger(ElementType::kS8, 300), 44);
  EXPECT_EQ(WrapInteger(ElementType::kS8, -129), 127);
  EXPECT_EQ(WrapInteger(ElementType::kS4, 8), -8);
  EXPECT_EQ(WrapInteger(ElementType::kU4, -1), 15);
  EXPECT_EQ(WrapInteger(ElementType::kU32, -1), 4294967295);
}

}  // namespace
}  // namespace astitch
