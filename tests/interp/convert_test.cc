// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Conversions between element types.
#include "tests/interp/run_text.h"

namespace astitch {
namespace {

TEST(Convert, FloatsToIntegersTruncateAndSaturate) {
  ExpectAll({
      {"s32[7] convert(f32[7] constant({nan, 3e9, -3e9, 2.9, -2.9, inf, -inf}))",
       "{0, 2147483647, -2147483648, 2, -2, 2147483647, -2147483648}"},
      {"u8[4] convert(f32[4] constant({-1, 300, nan, 254.9}))", "{0, 255, 0, 254}"},
      {"s4[3] convert(f32[3] constant({100, -100, nan}))", "{7, -8, 0}"},
      {"s64[1] convert(f32[1] constant({1e20}))", "{9223372036854775807}"},
      {"u64[2] convert(f32[2] constant({1e20, -1}))", "{18446744073709551615, 0}"},
      {"pred[3] convert(f32[3] constant({nan, -0, 0.5}))", "{1, 0, 1}"},
  });
}

TEST(Convert, IntegersExtendByTheirOwnSignAndWrap) {
  ExpectAll({
      {"s8[2] convert(s32[2] constant({300, -129}))", "{44, 127}"},
      {"u32[1] convert(s32[1] constant({-1}))", "{4294967295}"},
      {"u32[1] convert(s8[1] constant({-1}))", "{4294967295}"},
      {"s32[1] convert(u8[1] constant({255}))", "{255}"},
      {"s32[2] convert(pred[2] constant({1, 0}))", "{1, 0}"},
      {"pred[2] convert(s32[2] constant({256, 0}))", "{1, 0}"},
      {"s64[1] convert(u64[1] constant({18446744073709551615}))", "{-1}"},
  });
}

TEST(Convert, IntegersToFloatsRoundOnce) {
  ExpectAll({
      {"f16[1] convert(s32[1] constant({70000}))", "{inf}"},
      {"f32[1] convert(s32[1] constant({16777217}))", "{16777216}"},
      // Just above the tie between two f32: by way of f64 it would become the tie.
      {"f32[1] convert(s64[1] constant({4611686293305294849}))", "{4.61168657e+18}"},
      {"f32[1] convert(u64[1] constant({18446744073709551615}))", "{1.84467441e+19}"},
      {"f64[1] convert(u64[1] constant({18446744073709551615}))", "{1.8446744073709552e+19}"},
  });
}

TEST(Convert, FloatsToFloatsRoundToNearestEven) {
  ExpectAll({
      {"bf16[4] convert(f32[4] constant({1.00390625, 1.01171875, 0.1, 3.4e38}))",
       "{1, 1.016, 0.1001, inf}"},
      {"f8e4m3fn[4] convert(f32[4] constant({464, 465, -500, inf}))", "{448, nan, nan, nan}"},
      {"f8e5m2[2] convert(f32[2] constant({60000, 61440}))", "{5.7e+04, inf}"},
      {"f8e8m0fnu[4] convert(f32[4] constant({3, 0.1, -1, 0}))", "{4, 0.12, nan, nan}"},
      {"f4e2m1fn[4] convert(f32[4] constant({7, 0.25, 0.75, -0.3}))", "{6, 0, 1, -0.5}"},
      // Above the tie in f64, a tie in f32.
      {"bf16[1] convert(f64[1] constant({1.00390625000001}))", "{1.008}"},
      {"f16[1] convert(f64[1] constant({5.960464477539063e-08}))", "{5.9605e-08}"},
  });
}

TEST(Convert, ReducePrecisionWorksOnBits) {
  ExpectAll({
      {"f32[6] reduce-precision(f32[6] constant({65519, 65520, 1e-8, -1e-8, 6.1e-05, "
       "6.103515625e-05})), exponent_bits=5, mantissa_bits=10",
       "{65504, inf, 0, -0, 0, 6.10351562e-05}"},
      {"f32[2] reduce-precision(f32[2] constant({3.14159265, 1e-40})), exponent_bits=8, "
       "mantissa_bits=7",
       "{3.140625, 9.18355e-41}"},
      {"f32[1] reduce-precision(f32[1] constant({0.1})), exponent_bits=5, mantissa_bits=2",
       "{0.09375}"},
      {"f32[2] reduce-precision(f32[2] constant({nan, -inf})), exponent_bits=4, mantissa_bits=0",
       "{nan, -inf}"},
  });
}

TEST(Convert, StochasticConvertComparesTheFraction) {
  ExpectAll({
      {"s8[5] stochastic-convert(f32[5] constant({1.5, 1.5, -1.5, 300, nan}), u32[5] constant({0, "
       "2147483648, 2147483647, 0, 0}))",
       "{2, 1, -2, 127, 0}"},
  });
}

TEST(Convert, BitcastConvertSplitsLowPartFirst) {
  ExpectAll({
      {"u8[4] bitcast-convert(u32[] constant(67305985))", "{1, 2, 3, 4}"},
      {"u32[] bitcast-convert(u8[4] constant({1, 2, 3, 4}))", "67305985"},
      {"s4[2] bitcast-convert(u8[] constant(127))", "{-1, 7}"},
      {"u8[] bitcast-convert(s4[2] constant({-1, 7}))", "127"},
      {"s32[1] bitcast-convert(f32[1] constant({1}))", "{1065353216}"},
      {"u4[1] bitcast-convert(s4[1] constant({-1}))", "{15}"},
      {"s16[1] bitcast-convert(bf16[1] constant({-2}))", "{-16384}"},
  });
}

}  // namespace
}  // namespace astitch
