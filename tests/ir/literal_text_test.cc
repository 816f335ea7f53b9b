// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

#include "ir/literal_text.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "ir/number.h"

namespace astitch {
namespace {

std::string Text(ElementType type, uint64_t bits) {
  std::byte bytes[8];
  StoreBits(type, bytes, bits);
  std::string out;
  AppendElementText(type, bytes, &out);
  return out;
}

std::string Text(ElementType type, double value) { return Text(type, EncodeFloat(type, value)); }

Literal Counting(std::vector<int64_t> dims) {
  Literal literal(Shape::Array(ElementType::kS32, std::move(dims)));
  int32_t next = 1;
  for (int32_t& value : literal.mutable_data<int32_t>()) value = next++;
  return literal;
}

TEST(LiteralText, FloatsHaveTheDigitsTheyNeed) {
  const struct {
    ElementType type;
    double value;
    const char* text;
  } kCases[] = {
      {ElementType::kF32, 1, "1"},
      {ElementType::kF32, 0.1f, "0.1"},
      {ElementType::kF32, 3.14159274f, "3.14159274"},
      {ElementType::kF32, 1e-5f, "1e-05"},
      {ElementType::kF32, 1e6f, "1e+06"},
      {ElementType::kF32, -0.0, "-0"},
      {ElementType::kF32, 16777216, "16777216"},
      {ElementType::kF64, 0.1, "0.1"},
      {ElementType::kF64, 0.1 + 0.2, "0.30000000000000004"},
      {ElementType::kF16, 0.1, "0.099976"},
      {ElementType::kBF16, 0.1, "0.1001"},
      {ElementType::kF8E4M3FN, 0.1, "0.102"},
      {ElementType::kF8E5M2, 57344, "5.7e+04"},
      {ElementType::kF32, std::numeric_limits<double>::infinity(), "inf"},
      {ElementType::kF16, -std::numeric_limits<double>::infinity(), "-inf"},
  };
  for (const auto& c : kCases) EXPECT_EQ(Text(c.type, c.value), c.text) << c.type;
}

TEST(LiteralText, NanShowsItsSignAndAnUnusualPayload) {
  EXPECT_EQ(Text(ElementType::kF32, uint64_t{0x7fc00000}), "nan");
  EXPECT_EQ(Text(ElementType::kF32, uint64_t{0xffc00000}), "-nan");
  EXPECT_EQ(Text(ElementType::kF32, uint64_t{0x7f800001}), "nan(0x1)");
  EXPECT_EQ(Text(ElementType::kF16, uint64_t{0x7fff}), "nan(0x3ff)");
  EXPECT_EQ(Text(ElementType::kF8E4M3FN, uint64_t{0x7f}), "nan");
  EXPECT_EQ(Text(ElementType::kF8E4M3FNUZ, uint64_t{0x80}), "-nan");
  EXPECT_EQ(Text(ElementType::kF8E8M0FNU, uint64_t{0xff}), "nan");
}

TEST(LiteralText, EveryNarrowFloatReadsBack) {
  for (ElementType type :
       {ElementType::kF16, ElementType::kBF16, ElementType::kF8E5M2, ElementType::kF8E4M3,
        ElementType::kF8E4M3FN, ElementType::kF8E4M3B11FNUZ, ElementType::kF8E3M4,
        ElementType::kF8E5M2FNUZ, ElementType::kF8E4M3FNUZ, ElementType::kF4E2M1FN,
        ElementType::kF6E2M3FN, ElementType::kF6E3M2FN, ElementType::kF8E8M0FNU}) {
    for (uint64_t bits = 0; bits < uint64_t{1} << BitWidth(type); ++bits) {
      if (!std::isfinite(DecodeFloat(type, bits))) continue;
      EXPECT_EQ(EncodeFloat(type, std::strtod(Text(type, bits).c_str(), nullptr)), bits)
          << type << " " << Text(type, bits);
    }
  }
}

TEST(LiteralText, IntegersAndPredicates) {
  EXPECT_EQ(Text(ElementType::kS4, uint64_t{0xf8}), "-8");
  EXPECT_EQ(Text(ElementType::kU64, ~uint64_t{0}), "18446744073709551615");
  EXPECT_EQ(Text(ElementType::kS64, uint64_t{1} << 63), "-9223372036854775808");
  Literal scalar(Shape::Scalar(ElementType::kPred));
  EXPECT_EQ(LiteralText(scalar), "false");
  EXPECT_EQ(LiteralText(Literal(Shape::Array(ElementType::kPred, {2}))), "{0, 0}");
}

TEST(LiteralText, BracesFollowTheDimensions) {
  const struct {
    std::vector<int64_t> dims;
    const char* text;
  } kCases[] = {
      {{3}, "{1, 2, 3}"},
      {{1}, "{1}"},
      {{0}, "{}"},
      {{2, 2}, "{ { 1, 2 }, { 3, 4 } }"},
      {{2, 1}, "{ {1}, {2} }"},
      {{2, 0}, "{ {}, {} }"},
      {{0, 3}, "{  }"},
      {{1, 0, 2}, "{ {  } }"},
      {{1, 1, 2}, "{ { { 1, 2 } } }"},
      {{1, 1, 1, 1}, "{ { /*i0=0*/ { /*i1=0*/ {1} } } }"},
      {{2, 0, 3, 1}, "{ { /*i0=0*/ }, { /*i0=1*/ } }"},
  };
  for (const auto& c : kCases) EXPECT_EQ(LiteralText(Counting(c.dims)), c.text);
}

TEST(LiteralText, LargeConstantsAreLeftOutOnRequest) {
  const LiteralTextOptions small = {.large_constants = false};
  EXPECT_EQ(LiteralText(Counting({11}), small), "{...}");
  EXPECT_EQ(LiteralText(Counting({2}), small), "{1, 2}");
  EXPECT_EQ(LiteralText(Literal::Tuple({Counting({2})}), small), "{...}");
  EXPECT_EQ(LiteralText(Literal::Tuple({Counting({2}), Literal::Tuple({})})), "( {1, 2}, (  ) )");
  EXPECT_EQ(LiteralText(Literal::Elided(Shape::Array(ElementType::kF32, {2}))), "{...}");
}

TEST(LiteralText, NegativeZeroHasASpellingThatKeepsItsSignEverywhere) {
  Literal literal(Shape::Array(ElementType::kF32, {2}));
  literal.mutable_data<float>()[1] = -0.0f;
  EXPECT_EQ(LiteralText(literal), "{0, -0}");
  EXPECT_EQ(LiteralText(literal, {.decimal_negative_zero = true}), "{0, -0.0}");
}

}  // namespace
}  // namespace astitch
