// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Elementwise corner cases, one instruction a row.
#include "tests/interp/run_text.h"

namespace astitch {
namespace {

TEST(Elementwise, IntegerDivisionNeverTraps) {
  ExpectAll({
      {"s32[4] divide(s32[4] constant({7, -2147483648, -7, 7}), s32[4] constant({0, -1, 2, -2}))",
       "{-1, -2147483648, -3, -3}"},
      {"u32[2] divide(u32[2] constant({7, 4294967295}), u32[2] constant({0, 2}))",
       "{4294967295, 2147483647}"},
      {"u8[1] divide(u8[1] constant({7}), u8[1] constant({0}))", "{255}"},
      {"s64[1] divide(s64[1] constant({-9223372036854775808}), s64[1] constant({-1}))",
       "{-9223372036854775808}"},
      {"u64[1] divide(u64[1] constant({18446744073709551615}), u64[1] constant({2}))",
       "{9223372036854775807}"},
      {"s32[4] remainder(s32[4] constant({7, -7, 7, -2147483648}), s32[4] constant({0, 3, -3, "
       "-1}))",
       "{7, -1, 1, 0}"},
  });
}

TEST(Elementwise, FloatRemainderKeepsTheDividendsSign) {
  ExpectAll({
      {"f32[6] remainder(f32[6] constant({-7.5, 7.5, 1, 1, -4, inf}), f32[6] constant({2, -2, 0, "
       "inf, 2, 1}))",
       "{-1.5, 1.5, nan, 1, -0, nan}"},
  });
}

TEST(Elementwise, ShiftsPastTheWidthLoseEverything) {
  ExpectAll({
      {"s32[3] shift-left(s32[3] constant({1, 1, 1}), s32[3] constant({31, 32, -1}))",
       "{-2147483648, 0, 0}"},
      {"s32[4] shift-right-arithmetic(s32[4] constant({-8, -8, 8, -8}), s32[4] constant({1, 40, "
       "40, "
       "-1}))",
       "{-4, -1, 0, -1}"},
      {"s32[2] shift-right-logical(s32[2] constant({-8, -1}), s32[2] constant({1, 32}))",
       "{2147483644, 0}"},
      {"s8[2] shift-right-logical(s8[2] constant({-8, -128}), s8[2] constant({1, 7}))", "{124, 1}"},
      {"u8[2] shift-right-arithmetic(u8[2] constant({128, 128}), u8[2] constant({1, 9}))",
       "{192, 255}"},
      {"u64[1] shift-left(u64[1] constant({1}), u64[1] constant({63}))", "{9223372036854775808}"},
  });
}

TEST(Elementwise, IntegersWrapAtTheirWidth) {
  ExpectAll({
      {"s8[1] add(s8[1] constant({127}), s8[1] constant({1}))", "{-128}"},
      {"s4[1] add(s4[1] constant({7}), s4[1] constant({1}))", "{-8}"},
      {"u4[1] subtract(u4[1] constant({0}), u4[1] constant({1}))", "{15}"},
      {"s1[1] add(s1[1] constant({-1}), s1[1] constant({-1}))", "{0}"},
      {"s32[1] abs(s32[1] constant({-2147483648}))", "{-2147483648}"},
      {"s32[1] negate(s32[1] constant({-2147483648}))", "{-2147483648}"},
      {"u8[1] negate(u8[1] constant({1}))", "{255}"},
      {"s32[3] power(s32[3] constant({3, 2, 1}), s32[3] constant({4, -1, -5}))", "{81, 0, 1}"},
      {"s32[2] power(s32[2] constant({-1, -1}), s32[2] constant({-3, -4}))", "{-1, 1}"},
      {"s32[1] power(s32[1] constant({2}), s32[1] constant({64}))", "{0}"},
      {"s32[3] mulhi(s32[3] constant({-2147483648, 65536, -7}), s32[3] constant({2, 65536, "
       "1073741824}))",
       "{-1, 1, -2}"},
      {"u32[1] mulhi(u32[1] constant({4294967295}), u32[1] constant({4294967295}))",
       "{4294967294}"},
      {"s8[1] mulhi(s8[1] constant({100}), s8[1] constant({100}))", "{39}"},
      {"u64[1] mulhi(u64[1] constant({18446744073709551615}), u64[1] "
       "constant({18446744073709551615}))",
       "{18446744073709551614}"},
  });
}

TEST(Elementwise, PredAddsAsOrAndMultipliesAsAnd) {
  ExpectAll({
      {"pred[3] add(pred[3] constant({1, 1, 0}), pred[3] constant({1, 0, 0}))", "{1, 1, 0}"},
      {"pred[2] multiply(pred[2] constant({1, 1}), pred[2] constant({0, 1}))", "{0, 1}"},
      {"pred[2] maximum(pred[2] constant({1, 0}), pred[2] constant({0, 0}))", "{1, 0}"},
      {"pred[2] minimum(pred[2] constant({1, 1}), pred[2] constant({0, 1}))", "{0, 1}"},
      {"pred[2] xor(pred[2] constant({1, 1}), pred[2] constant({0, 1}))", "{1, 0}"},
      {"pred[2] not(pred[2] constant({1, 0}))", "{0, 1}"},
      {"pred[2] compare(pred[2] constant({0, 1}), pred[2] constant({1, 1})), direction=LT",
       "{1, 0}"},
  });
}

TEST(Elementwise, BitCountsUseTheTypesWidth) {
  ExpectAll({
      {"s8[1] popcnt(s8[1] constant({-1}))", "{8}"},
      {"u8[1] count-leading-zeros(u8[1] constant({1}))", "{7}"},
      {"s32[2] count-leading-zeros(s32[2] constant({0, -1}))", "{32, 0}"},
      {"s8[1] not(s8[1] constant({0}))", "{-1}"},
      {"u4[1] not(u4[1] constant({3}))", "{12}"},
  });
}

TEST(Elementwise, SignAndRoundingKeepZeros) {
  ExpectAll({
      {"f32[4] sign(f32[4] constant({-0, nan, -3.5, 2}))", "{-0, nan, -1, 1}"},
      {"s32[3] sign(s32[3] constant({-7, 0, 9}))", "{-1, 0, 1}"},
      {"f32[4] round-nearest-afz(f32[4] constant({2.5, -2.5, 0.5, -0.2}))", "{3, -3, 1, -0}"},
      {"f32[3] round-nearest-even(f32[3] constant({2.5, 3.5, -0.4}))", "{2, 4, -0}"},
      {"f32[1] ceil(f32[1] constant({-0.3}))", "{-0}"},
      {"f32[2] negate(f32[2] constant({0, -0}))", "{-0, 0}"},
      {"f32[2] abs(f32[2] constant({-0, -inf}))", "{0, inf}"},
      {"f32[2] add(f32[2] constant({-0, -0}), f32[2] constant({0, -0}))", "{0, -0}"},
      {"f32[1] imag(f32[1] constant({3}))", "{0}"},
  });
}

TEST(Elementwise, MaximumMinimumAndClampLetNanThrough) {
  ExpectAll({
      {"f32[4] maximum(f32[4] constant({nan, 1, -0, 0}), f32[4] constant({1, nan, 0, -0}))",
       "{nan, nan, 0, 0}"},
      {"f32[4] minimum(f32[4] constant({1, nan, -0, 0}), f32[4] constant({nan, 1, 0, -0}))",
       "{nan, nan, -0, -0}"},
      {"f32[4] clamp(f32[4] constant({0, 2, nan, 0}), f32[4] constant({nan, 5, 0, 7}), f32[4] "
       "constant({1, 1, 1, nan}))",
       "{nan, 1, nan, nan}"},
      {"s32[2] clamp(s32[] constant(-1), s32[2] constant({-5, 9}), s32[] constant(3))", "{-1, 3}"},
      {"u8[2] clamp(u8[] constant(10), u8[2] constant({5, 250}), u8[] constant(200))", "{10, 200}"},
      {"f32[3] select(pred[3] constant({1, 0, 1}), f32[3] constant({1, nan, 3}), f32[3] "
       "constant({nan, 5, nan}))",
       "{1, 5, 3}"},
      {"f32[2] select(pred[] constant(false), f32[2] constant({1, 2}), f32[2] constant({3, 4}))",
       "{3, 4}"},
  });
}

TEST(Elementwise, CompareKnowsTwoFloatOrders) {
  ExpectAll({
      {"pred[2] compare(f32[2] constant({-0, 1}), f32[2] constant({0, nan})), direction=LT",
       "{0, 0}"},
      {"pred[1] compare(f32[1] constant({-0}), f32[1] constant({0})), direction=LT, "
       "type=TOTALORDER",
       "{1}"},
      {"pred[1] compare(f32[1] constant({-0}), f32[1] constant({0})), direction=EQ", "{1}"},
      {"pred[1] compare(f32[1] constant({-0}), f32[1] constant({0})), direction=EQ, "
       "type=TOTALORDER",
       "{0}"},
      {"pred[2] compare(f32[2] constant({nan, nan}), f32[2] constant({inf, nan})), direction=GT",
       "{0, 0}"},
      {"pred[2] compare(f32[2] constant({nan, nan}), f32[2] constant({inf, nan})), direction=GE, "
       "type=TOTALORDER",
       "{1, 1}"},
      {"pred[1] compare(f32[1] constant({nan}), f32[1] constant({nan})), direction=NE", "{1}"},
      {"pred[5] compare(bf16[5] constant({-nan, -inf, -1, 1, inf}), bf16[5] constant({-inf, -1, "
       "-0, "
       "inf, nan})), direction=LT, type=TOTALORDER",
       "{1, 1, 1, 1, 1}"},
      {"pred[1] compare(u64[1] constant({18446744073709551615}), u64[1] constant({1})), "
       "direction=GT",
       "{1}"},
      {"pred[1] compare(s8[1] constant({-1}), s8[1] constant({1})), direction=GT", "{0}"},
  });
}

TEST(Elementwise, TranscendentalsAtTheirEdges) {
  ExpectAll({
      {"f32[4] power(f32[4] constant({0, nan, 1, -8}), f32[4] constant({0, 0, nan, 0.333333333}))",
       "{1, 1, 1, nan}"},
      {"f32[1] cbrt(f32[1] constant({-8}))", "{-2}"},
      {"f32[4] rsqrt(f32[4] constant({0, -0, inf, -1}))", "{inf, -inf, 0, nan}"},
      {"f32[2] sqrt(f32[2] constant({-0, -1}))", "{-0, nan}"},
      {"f32[3] log(f32[3] constant({-1, 0, inf}))", "{nan, -inf, inf}"},
      {"f32[2] exponential-minus-one(f32[2] constant({1e-05, -0}))", "{1.00000498e-05, -0}"},
      {"f32[2] log-plus-one(f32[2] constant({1e-07, -1}))", "{9.99999941e-08, -inf}"},
      {"f32[3] atan2(f32[3] constant({0, -0, 0}), f32[3] constant({-1, -1, 0}))",
       "{3.14159274, -3.14159274, 0}"},
      {"f32[4] logistic(f32[4] constant({-1000, 1000, -inf, inf}))", "{0, 1, 0, 1}"},
      {"f32[2] exponential(f32[2] constant({-inf, 1000}))", "{0, inf}"},
      {"pred[3] is-finite(f32[3] constant({inf, nan, 3.4e38}))", "{0, 0, 1}"},
      {"f32[3] erf(f32[3] constant({-inf, inf, 0.5}))", "{-1, 1, 0.520499885}"},
      {"f64[1] sine(f64[1] constant({1e22}))", "{-0.85220084976718879}"},
      {"f64[1] exponential(f64[1] constant({1}))", "{2.7182818284590451}"},
      {"f16[2] tanh(f16[2] constant({0.5, -100}))", "{0.46216, -1}"},
  });
}

TEST(Elementwise, EveryInstructionRoundsOnce) {
  EXPECT_EQ(ValueText(RunText(R"(
ENTRY e {
  a = bf16[] constant(256)
  b = bf16[] constant(1)
  c = bf16[] add(a, b)
  ROOT d = bf16[] add(c, b)
})")),
            "256");  // 257 does not exist between 256 and 258, twice
  ExpectAll({
      {"f16[1] multiply(f16[1] constant({300}), f16[1] constant({300}))", "{inf}"},
      {"f8e4m3fn[1] add(f8e4m3fn[1] constant({448}), f8e4m3fn[1] constant({448}))", "{nan}"},
      {"f32[1] add(f32[1] constant({16777216}), f32[1] constant({1}))", "{16777216}"},
  });
}

TEST(Elementwise, BlocksAndTailsAreTheSame) {
  const absl::StatusOr<Literal> result = RunText(R"(
ENTRY e {
  i = s32[2500] iota(), iota_dimension=0
  ROOT r = s32[2500] multiply(i, i)
})");
  ASSERT_TRUE(result.ok()) << result.status();
  for (int32_t k : {0, 1, 1023, 1024, 2047, 2048, 2499}) {
    EXPECT_EQ(result->data<int32_t>()[k], k * k);
  }
}

}  // namespace
}  // namespace astitch
