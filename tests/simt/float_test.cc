// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Float arithmetic and conversions against known answers.
#include <cmath>
#include <limits>

#include "gtest/gtest.h"
#include "tests/simt/instruction.h"

namespace astitch::simt {
namespace {

constexpr uint64_t kInf = 0x7F800000, kNan = 0x7FC00000;
constexpr uint64_t kTiny = 1;  // the smallest f32
constexpr uint64_t kBelowNormal = 0x007FFFFF;
// f16: 1.0, 2.0, ...
constexpr uint64_t kH1 = 0x3C00, kH2 = 0x4000, kH3 = 0x4200, kHNan = 0x7E00, kHInf = 0x7C00;
// bf16
constexpr uint64_t kB1 = 0x3F80, kB2 = 0x4000, kB3 = 0x4040, kBNan = 0x7FC0;

TEST(Float, SumsProductsAndFma) {
  ExpectAll({
      {"add.f32 %d, %a, %b;", 32, {32, 32}, {F(1), F(2)}, F(3)},
      {"add.rn.f32 %d, %a, 0f3F800000;", 32, {32}, {F(2)}, F(3)},
      {"add.f64 %d, %a, %b;", 64, {64, 64}, {D(1), D(2)}, D(3)},
      {"add.rn.f64 %d, %a, %b;", 64, {64, 64}, {D(1), D(0x1p-60)}, D(1)},
      {"add.rn.f16 %d, %a, %b;", 16, {16, 16}, {kH1, kH2}, kH3},
      {"add.f16 %d, %a, %b;", 16, {16, 16}, {0x7BFF, 0x7BFF}, kHInf},
      {"add.rn.f16x2 %d, %a, %b;",
       32,
       {32, 32},
       {Halves(kH1, kH2), Halves(kH2, kH1)},
       Halves(kH3, kH3)},
      {"add.rn.bf16 %d, %a, %b;", 16, {16, 16}, {kB1, kB2}, kB3},
      {"add.rn.bf16x2 %d, %a, %b;",
       32,
       {32, 32},
       {Halves(kB1, kB2), Halves(kB2, kB1)},
       Halves(kB3, kB3)},
      {"add.rn.f32x2 %d, %a, %b;",
       64,
       {64, 64},
       {Words(F(1), F(2)), Words(F(3), F(4))},
       Words(F(4), F(6))},
      {"add.f32x2 %d, %a, %b;",
       64,
       {64, 64},
       {Words(F(1), F(2)), Words(F(3), F(4))},
       Words(F(4), F(6))},
      {"add.rn.f32.f16 %d, %a, %b;", 32, {16, 32}, {kH1, F(0x1p-20f)}, F(1 + 0x1p-20f)},
      {"add.rn.f32.bf16 %d, %a, %b;", 32, {16, 32}, {kB1, F(2)}, F(3)},
      {"sub.f32 %d, %a, %b;", 32, {32, 32}, {F(1), F(2)}, F(-1)},
      {"sub.rn.f32 %d, %a, %b;", 32, {32, 32}, {F(1), F(1)}, F(0)},
      {"sub.rn.f64 %d, %a, %b;", 64, {64, 64}, {D(1), D(2)}, D(-1)},
      {"sub.rn.f16 %d, %a, %b;", 16, {16, 16}, {kH3, kH2}, kH1},
      {"sub.rn.bf16 %d, %a, %b;", 16, {16, 16}, {kB3, kB2}, kB1},
      {"mul.f32 %d, %a, %b;", 32, {32, 32}, {F(3), F(2)}, F(6)},
      {"mul.rn.f32 %d, %a, %b;", 32, {32, 32}, {F(-3), F(2)}, F(-6)},
      {"mul.rn.f64 %d, %a, %b;", 64, {64, 64}, {D(3), D(2)}, D(6)},
      {"mul.rn.f16 %d, %a, %b;", 16, {16, 16}, {kH1, kH3}, kH3},
      {"mul.rn.f16x2 %d, %a, %b;",
       32,
       {32, 32},
       {Halves(kH1, kH2), Halves(kH3, kH1)},
       Halves(kH3, kH2)},
      {"mul.rn.bf16 %d, %a, %b;", 16, {16, 16}, {kB1, kB3}, kB3},
      {"mul.rn.bf16x2 %d, %a, %b;",
       32,
       {32, 32},
       {Halves(kB1, kB2), Halves(kB3, kB1)},
       Halves(kB3, kB2)},
      {"mul.rn.f32x2 %d, %a, %b;",
       64,
       {64, 64},
       {Words(F(1), F(2)), Words(F(3), F(4))},
       Words(F(3), F(8))},
      {"fma.rn.f32 %d, %a, %b, %c;",
       32,
       {32, 32, 32},
       {F(1 + 0x1p-12f), F(1 + 0x1p-12f), F(-1)},
       F(0x1p-11f + 0x1p-24f)},
      {"mad.rn.f32 %d, %a, %b, %c;", 32, {32, 32, 32}, {F(2), F(3), F(1)}, F(7)},
      {"fma.rn.f64 %d, %a, %b, %c;", 64, {64, 64, 64}, {D(2), D(3), D(1)}, D(7)},
      {"fma.rn.f16 %d, %a, %b, %c;", 16, {16, 16, 16}, {kH1, kH2, kH1}, kH3},
      {"fma.rn.f16x2 %d, %a, %b, %c;",
       32,
       {32, 32, 32},
       {Halves(kH1, kH1), Halves(kH2, kH1), Halves(kH1, kH2)},
       Halves(kH3, kH3)},
      {"fma.rn.bf16 %d, %a, %b, %c;", 16, {16, 16, 16}, {kB1, kB2, kB1}, kB3},
      {"fma.rn.bf16x2 %d, %a, %b, %c;",
       32,
       {32, 32, 32},
       {Halves(kB1, kB1), Halves(kB2, kB1), Halves(kB1, kB2)},
       Halves(kB3, kB3)},
      {"fma.rn.f32x2 %d, %a, %b, %c;",
       64,
       {64, 64, 64},
       {Words(F(1), F(2)), Words(F(3), F(4)), Words(F(1), F(1))},
       Words(F(4), F(9))},
      {"fma.rn.relu.f16 %d, %a, %b, %c;", 16, {16, 16, 16}, {0xBC00, kH2, kH1}, 0},
      {"fma.rn.f32.f16 %d, %a, %b, %c;", 32, {16, 16, 32}, {kH2, kH3, F(1)}, F(7)},
  });
}

// 2048 + 1 + 2^-24: rounding the sum to double first, or to f32, would lose the last bit and round
// the tie to even.
TEST(Float, HalfFmaRoundsOnce) {
  // 2049 is a tie between 2048 and 2050 in f16; a product just above it must round up.
  ExpectAll({
      {"fma.rn.f16 %d, %a, %b, %c;", 16, {16, 16, 16}, {0x0001, 0x0001, 0x6801}, 0x6801},
      {"fma.rn.f16 %d, %a, %b, %c;", 16, {16, 16, 16}, {kH1, kH1, 0x6800}, 0x6800},
      {"fma.rn.f16 %d, %a, %b, %c;", 16, {16, 16, 16}, {0x3C01, kH1, 0x6800}, 0x6801},
  });
}

TEST(Float, RoundingModesFlushingAndSaturation) {
  const uint64_t next = F(std::nextafterf(1, 2)), below = F(std::nextafterf(1, 0));
  ExpectAll({
      {"add.rz.f32 %d, %a, %b;", 32, {32, 32}, {F(1), F(0x1p-24f)}, F(1)},
      {"add.rp.f32 %d, %a, %b;", 32, {32, 32}, {F(1), F(0x1p-30f)}, next},
      {"add.rm.f32 %d, %a, %b;", 32, {32, 32}, {F(1), F(-0x1p-30f)}, below},
      {"mul.rz.f32 %d, %a, %b;", 32, {32, 32}, {next, next}, F(1 + 0x1p-22f)},
      {"fma.rp.f32 %d, %a, %b, %c;", 32, {32, 32, 32}, {F(0x1p-20f), F(0x1p-20f), F(1)}, next},
      {"div.rz.f32 %d, %a, %b;", 32, {32, 32}, {F(2), F(3)}, 0x3F2AAAAA},
      {"add.rz.f64 %d, %a, %b;", 64, {64, 64}, {D(1), D(-0x1p-70)}, D(1 - 0x1p-53)},
      {"sqrt.rp.f32 %d, %a;", 32, {32}, {F(2)}, 0x3FB504F4},
      {"rcp.rm.f32 %d, %a;", 32, {32}, {F(3)}, 0x3EAAAAAA},
      {"add.ftz.f32 %d, %a, %b;", 32, {32, 32}, {kTiny, kTiny}, 0},
      {"add.f32 %d, %a, %b;", 32, {32, 32}, {kTiny, kTiny}, 2},
      {"mul.rn.ftz.f32 %d, %a, %b;", 32, {32, 32}, {F(-0x1p-100f), F(0x1p-40f)}, 0x80000000},
      {"mul.ftz.f32 %d, %a, %b;", 32, {32, 32}, {kBelowNormal, F(2)}, 0},
      {"add.sat.f32 %d, %a, %b;", 32, {32, 32}, {F(1), F(2)}, F(1)},
      {"add.sat.f32 %d, %a, %b;", 32, {32, 32}, {kNan, F(2)}, F(0)},
      {"add.ftz.sat.f32 %d, %a, %b;", 32, {32, 32}, {F(-1), F(0.5)}, F(0)},
      {"fma.rn.sat.f16 %d, %a, %b, %c;", 16, {16, 16, 16}, {kH2, kH2, kH1}, kH1},
  });
}

TEST(Float, MinimaMaximaAndSigns) {
  ExpectAll({
      {"min.f32 %d, %a, %b;", 32, {32, 32}, {kNan, F(2)}, F(2)},
      {"max.f32 %d, %a, %b;", 32, {32, 32}, {F(2), kNan}, F(2)},
      {"min.NaN.f32 %d, %a, %b;", 32, {32, 32}, {kNan, F(2)}, kNan},
      {"max.NaN.f32 %d, %a, %b;", 32, {32, 32}, {F(1), F(2)}, F(2)},
      {"min.f32 %d, %a, %b;", 32, {32, 32}, {F(0), 0x80000000}, 0x80000000},
      {"max.f32 %d, %a, %b;", 32, {32, 32}, {F(0), 0x80000000}, F(0)},
      {"max.f32 %d, %a, %b, %c;", 32, {32, 32, 32}, {F(1), F(5), F(2)}, F(5)},
      {"min.f64 %d, %a, %b;", 64, {64, 64}, {D(1), D(2)}, D(1)},
      {"max.f64 %d, %a, %b;", 64, {64, 64}, {D(1), D(2)}, D(2)},
      {"min.f16 %d, %a, %b;", 16, {16, 16}, {kH1, kHNan}, kH1},
      {"max.f16 %d, %a, %b;", 16, {16, 16}, {kH1, kH2}, kH2},
      {"max.NaN.f16 %d, %a, %b;", 16, {16, 16}, {kH1, kHNan}, 0x7FFF},
      {"max.f16x2 %d, %a, %b;",
       32,
       {32, 32},
       {Halves(kH1, kH2), Halves(kH3, kH1)},
       Halves(kH3, kH2)},
      {"min.bf16 %d, %a, %b;", 16, {16, 16}, {kB1, kB2}, kB1},
      {"max.bf16 %d, %a, %b;", 16, {16, 16}, {kB1, kBNan}, kB1},
      {"min.NaN.bf16 %d, %a, %b;", 16, {16, 16}, {kB1, kBNan}, 0x7FFF},
      {"abs.f32 %d, %a;", 32, {32}, {F(-2)}, F(2)},
      {"abs.f64 %d, %a;", 64, {64}, {D(-2)}, D(2)},
      {"abs.f16 %d, %a;", 16, {16}, {0xBC00}, kH1},
      {"abs.bf16 %d, %a;", 16, {16}, {0xBF80}, kB1},
      {"neg.f32 %d, %a;", 32, {32}, {F(0)}, 0x80000000},
      {"neg.f64 %d, %a;", 64, {64}, {D(2)}, D(-2)},
      {"neg.f16 %d, %a;", 16, {16}, {kH1}, 0xBC00},
      {"neg.bf16 %d, %a;", 16, {16}, {kB1}, 0xBF80},
      {"neg.ftz.f32 %d, %a;", 32, {32}, {kTiny}, 0x80000000},
      {"copysign.f32 %d, %a, %b;", 32, {32, 32}, {F(-1), F(3)}, F(-3)},
      {"copysign.f64 %d, %a, %b;", 64, {64, 64}, {D(1), D(-3)}, D(3)},
      {"testp.infinite.f32 %p, %a;", 1, {32}, {kInf}, 1},
      {"testp.finite.f32 %p, %a;", 1, {32}, {kInf}, 0},
      {"testp.number.f32 %p, %a;", 1, {32}, {kNan}, 0},
      {"testp.notanumber.f32 %p, %a;", 1, {32}, {kNan}, 1},
      {"testp.normal.f32 %p, %a;", 1, {32}, {kTiny}, 0},
      {"testp.subnormal.f32 %p, %a;", 1, {32}, {kTiny}, 1},
      {"testp.infinite.f64 %p, %a;", 1, {64}, {D(1)}, 0},
  });
}

TEST(Float, QuotientsRootsAndApproximations) {
  ExpectAll({
      {"div.rn.f32 %d, %a, %b;", 32, {32, 32}, {F(1), F(3)}, 0x3EAAAAAB},
      {"div.approx.f32 %d, %a, %b;", 32, {32, 32}, {F(1), F(4)}, F(0.25)},
      {"div.full.f32 %d, %a, %b;", 32, {32, 32}, {F(1), F(4)}, F(0.25)},
      {"div.approx.ftz.f32 %d, %a, %b;", 32, {32, 32}, {kTiny, F(1)}, 0},
      {"div.rn.f64 %d, %a, %b;", 64, {64, 64}, {D(1), D(4)}, D(0.25)},
      {"sqrt.rn.f32 %d, %a;", 32, {32}, {F(2)}, 0x3FB504F3},
      {"sqrt.approx.f32 %d, %a;", 32, {32}, {F(4)}, F(2)},
      {"sqrt.rn.f64 %d, %a;", 64, {64}, {D(4)}, D(2)},
      {"rcp.rn.f32 %d, %a;", 32, {32}, {F(3)}, 0x3EAAAAAB},
      {"rcp.approx.f32 %d, %a;", 32, {32}, {F(4)}, F(0.25)},
      {"rcp.approx.ftz.f32 %d, %a;", 32, {32}, {kTiny}, kInf},
      {"rcp.rn.f64 %d, %a;", 64, {64}, {D(4)}, D(0.25)},
      {"rcp.approx.ftz.f64 %d, %a;", 64, {64}, {D(4)}, D(0.25)},
      {"rsqrt.approx.f32 %d, %a;", 32, {32}, {F(4)}, F(0.5)},
      {"rsqrt.approx.f64 %d, %a;", 64, {64}, {D(4)}, D(0.5)},
      {"ex2.approx.f32 %d, %a;", 32, {32}, {F(3)}, F(8)},
      {"ex2.approx.f32 %d, %a;", 32, {32}, {F(-149)}, kTiny},
      {"ex2.approx.ftz.f32 %d, %a;", 32, {32}, {F(-149)}, 0},
      {"ex2.approx.f16 %d, %a;", 16, {16}, {kH1}, kH2},
      {"ex2.approx.f16x2 %d, %a;", 32, {32}, {Halves(kH1, 0)}, Halves(kH2, kH1)},
      {"ex2.approx.ftz.bf16 %d, %a;", 16, {16}, {kB1}, kB2},
      {"lg2.approx.f32 %d, %a;", 32, {32}, {F(8)}, F(3)},
      {"lg2.approx.ftz.f32 %d, %a;", 32, {32}, {kTiny}, 0xFF800000},
      {"sin.approx.f32 %d, %a;", 32, {32}, {F(0)}, F(0)},
      {"cos.approx.f32 %d, %a;", 32, {32}, {F(0)}, F(1)},
      {"tanh.approx.f32 %d, %a;", 32, {32}, {F(20)}, F(1)},
      {"tanh.approx.f16 %d, %a;", 16, {16}, {0}, 0},
      {"tanh.approx.bf16 %d, %a;", 16, {16}, {0}, 0},
  });
}

TEST(Float, Comparisons) {
  ExpectAll({
      {"setp.lt.f32 %p, %a, %b;", 1, {32, 32}, {F(1), F(2)}, 1},
      {"setp.ne.f32 %p, %a, %b;", 1, {32, 32}, {kNan, F(2)}, 0},
      {"setp.neu.f32 %p, %a, %b;", 1, {32, 32}, {kNan, F(2)}, 1},
      {"setp.equ.f32 %p, %a, %b;", 1, {32, 32}, {kNan, F(2)}, 1},
      {"setp.ltu.f32 %p, %a, %b;", 1, {32, 32}, {F(3), F(2)}, 0},
      {"setp.leu.f32 %p, %a, %b;", 1, {32, 32}, {F(2), F(2)}, 1},
      {"setp.gtu.f64 %p, %a, %b;", 1, {64, 64}, {D(3), D(2)}, 1},
      {"setp.geu.f64 %p, %a, %b;", 1, {64, 64}, {D(1), D(2)}, 0},
      {"setp.num.f32 %p, %a, %b;", 1, {32, 32}, {F(1), F(2)}, 1},
      {"setp.nan.f32 %p, %a, %b;", 1, {32, 32}, {F(1), kNan}, 1},
      {"setp.eq.f64 %p, %a, %b;", 1, {64, 64}, {D(0), D(-0.0)}, 1},
      {"setp.gt.f16 %p, %a, %b;", 1, {16, 16}, {kH2, kH1}, 1},
      {"setp.nan.f16 %p, %a, %b;", 1, {16, 16}, {kHNan, kH1}, 1},
      {"setp.lt.bf16 %p, %a, %b;", 1, {16, 16}, {kB2, kB1}, 0},
      {"setp.neu.bf16 %p, %a, %b;", 1, {16, 16}, {kBNan, kB1}, 1},
      {"setp.lt.f16x2 %q|%p, %a, %b;", 1, {32, 32}, {Halves(kH1, kH3), Halves(kH2, kH2)}, 0},
      {"setp.lt.f16x2 %p|%q, %a, %b;", 1, {32, 32}, {Halves(kH1, kH3), Halves(kH2, kH2)}, 1},
      {"setp.gt.ftz.f32 %p, %a, %b;", 1, {32, 32}, {kTiny, F(0)}, 0},
      {"setp.lt.and.f32 %p, %a, %b, %c;", 1, {32, 32, 1}, {F(1), F(2), 1}, 1},
  });
}

TEST(Convert, BetweenIntegers) {
  ExpectAll({
      {"cvt.s16.s8 %d, %a;", 16, {16}, {0xFF}, 0xFFFF},
      {"cvt.u16.u8 %d, %a;", 16, {16}, {0x1FF}, 0xFF},
      {"cvt.u16.u32 %d, %a;", 16, {32}, {0x12345678}, 0x5678},
      {"cvt.u32.u16 %d, %a;", 32, {16}, {0xFFFF}, 0xFFFF},
      {"cvt.s32.s16 %d, %a;", 32, {16}, {0xFFFF}, 0xFFFFFFFF},
      {"cvt.s32.s8 %d, %a;", 32, {32}, {0x80}, 0xFFFFFF80},
      {"cvt.u32.u64 %d, %a;", 32, {64}, {0x1122334455667788}, 0x55667788},
      {"cvt.u64.u32 %d, %a;", 64, {32}, {0xFFFFFFFF}, 0xFFFFFFFF},
      {"cvt.s64.s32 %d, %a;", 64, {32}, {0xFFFFFFFF}, ~0ull},
      {"cvt.u64.u16 %d, %a;", 64, {16}, {0xFFFF}, 0xFFFF},
      {"cvt.sat.s8.s32 %d, %a;", 16, {32}, {300}, 127},
      {"cvt.sat.u8.s32 %d, %a;", 16, {32}, {S(-5)}, 0},
      {"cvt.sat.u32.s64 %d, %a;", 32, {64}, {1ull << 40}, 0xFFFFFFFF},
      {"cvt.sat.s32.u32 %d, %a;", 32, {32}, {0xFFFFFFFF}, 0x7FFFFFFF},
  });
}

TEST(Convert, IntegersToFloatsRoundOnce) {
  ExpectAll({
      {"cvt.rn.f32.s32 %d, %a;", 32, {32}, {S(-3)}, F(-3)},
      {"cvt.rn.f32.u32 %d, %a;", 32, {32}, {0xFFFFFFFF}, F(4294967296.0f)},
      {"cvt.rz.f32.u32 %d, %a;", 32, {32}, {0xFFFFFFFF}, F(4294967040.0f)},
      {"cvt.rp.f32.s32 %d, %a;", 32, {32}, {16777217}, F(16777218.0f)},
      {"cvt.rn.f32.s16 %d, %a;", 32, {16}, {0xFFFF}, F(-1)},
      {"cvt.rn.f32.u64 %d, %a;", 32, {64}, {~0ull}, F(18446744073709551616.0f)},
      {"cvt.rn.f32.s64 %d, %a;", 32, {64}, {~0ull}, F(-1)},
      // 2^40 + 2^16 + 1: just above a tie of f32.
      {"cvt.rn.f32.u64 %d, %a;", 32, {64}, {(1ull << 40) + (1 << 16) + 1}, F(0x1p40f + 0x1p17f)},
      {"cvt.rn.f64.s32 %d, %a;", 64, {32}, {S(-3)}, D(-3)},
      {"cvt.rn.f64.u64 %d, %a;", 64, {64}, {~0ull}, D(18446744073709551616.0)},
      {"cvt.rn.f16.s32 %d, %a;", 16, {32}, {2049}, 0x6800},
      {"cvt.rn.f16.u64 %d, %a;", 16, {64}, {3}, kH3},
      {"cvt.rn.f16.u16 %d, %a;", 16, {16}, {65535}, kHInf},
      {"cvt.rn.bf16.s32 %d, %a;", 16, {32}, {3}, kB3},
      {"cvt.rn.bf16.u64 %d, %a;", 16, {64}, {(1ull << 60) + (1ull << 52) + 1}, 0x5D81},
  });
}

TEST(Convert, FloatsToIntegersSaturate) {
  ExpectAll({
      {"cvt.rzi.s32.f32 %d, %a;", 32, {32}, {F(-1.9f)}, S(-1)},
      {"cvt.rni.s32.f32 %d, %a;", 32, {32}, {F(2.5f)}, 2},
      {"cvt.rmi.s32.f32 %d, %a;", 32, {32}, {F(-1.1f)}, S(-2)},
      {"cvt.rpi.s32.f32 %d, %a;", 32, {32}, {F(1.1f)}, 2},
      {"cvt.rzi.s32.f32 %d, %a;", 32, {32}, {F(1e20f)}, 0x7FFFFFFF},
      {"cvt.rzi.s32.f32 %d, %a;", 32, {32}, {kNan}, 0},
      {"cvt.rzi.u32.f32 %d, %a;", 32, {32}, {F(-5)}, 0},
      {"cvt.rzi.u32.f64 %d, %a;", 32, {64}, {D(5e9)}, 0xFFFFFFFF},
      {"cvt.rzi.s64.f64 %d, %a;", 64, {64}, {D(-1e30)}, 1ull << 63},
      {"cvt.rzi.u64.f32 %d, %a;", 64, {32}, {F(1e30f)}, ~0ull},
      {"cvt.rzi.s16.f16 %d, %a;", 16, {16}, {kHInf}, 0x7FFF},
      {"cvt.rzi.u16.f32 %d, %a;", 16, {32}, {F(70000)}, 0xFFFF},
      {"cvt.rzi.s64.bf16 %d, %a;", 64, {16}, {kB3}, 3},
  });
}

TEST(Convert, BetweenFloats) {
  ExpectAll({
      {"cvt.f32.f16 %d, %a;", 32, {16}, {0x0001}, F(0x1p-24f)},
      {"cvt.f32.f16 %d, %a;", 32, {16}, {0xFC00}, 0xFF800000},
      {"cvt.f32.bf16 %d, %a;", 32, {16}, {kB3}, F(3)},
      {"cvt.f64.f16 %d, %a;", 64, {16}, {kH3}, D(3)},
      {"cvt.f64.bf16 %d, %a;", 64, {16}, {kB3}, D(3)},
      {"cvt.f64.f32 %d, %a;", 64, {32}, {F(1.5f)}, D(1.5)},
      {"cvt.rn.f32.f64 %d, %a;", 32, {64}, {D(1 + 0x1p-24)}, F(1)},
      {"cvt.rp.f32.f64 %d, %a;", 32, {64}, {D(1 + 0x1p-24)}, F(1 + 0x1p-23f)},
      {"cvt.rn.ftz.f32.f64 %d, %a;", 32, {64}, {D(0x1p-140)}, 0},
      {"cvt.rn.f16.f32 %d, %a;", 16, {32}, {F(65520)}, kHInf},
      {"cvt.rn.f16.f32 %d, %a;", 16, {32}, {F(65519)}, 0x7BFF},
      {"cvt.rz.f16.f32 %d, %a;", 16, {32}, {F(1e9f)}, 0x7BFF},
      {"cvt.rn.f16.f32 %d, %a;", 16, {32}, {F(0x1p-25f)}, 0},
      {"cvt.rn.f16.f32 %d, %a;", 16, {32}, {F(0x1.8p-25f)}, 1},
      {"cvt.rn.f16.f32 %d, %a;", 16, {32}, {kNan}, 0x7FFF},
      {"cvt.rn.f16.f64 %d, %a;", 16, {64}, {D(1 + 0x1p-11 + 0x1p-40)}, 0x3C01},
      {"cvt.rn.bf16.f32 %d, %a;", 16, {32}, {F(1 + 0x1p-8f)}, kB1},
      {"cvt.rn.bf16.f32 %d, %a;", 16, {32}, {F(1 + 0x1.8p-8f)}, 0x3F81},
      {"cvt.rn.bf16.f64 %d, %a;", 16, {64}, {D(3)}, kB3},
      {"cvt.rz.bf16.f32 %d, %a;", 16, {32}, {F(1.999f)}, 0x3FFF},
      {"cvt.rmi.f32.f32 %d, %a;", 32, {32}, {F(-1.5f)}, F(-2)},
      {"cvt.rni.f32.f32 %d, %a;", 32, {32}, {F(2.5f)}, F(2)},
      {"cvt.rpi.f64.f64 %d, %a;", 64, {64}, {D(1.2)}, D(2)},
      {"cvt.rzi.f16.f16 %d, %a;", 16, {16}, {0x3E00}, kH1},
      {"cvt.rmi.bf16.bf16 %d, %a;", 16, {16}, {0xBFC0}, 0xC000},
      {"cvt.sat.f32.f32 %d, %a;", 32, {32}, {F(3)}, F(1)},
      {"cvt.ftz.f32.f32 %d, %a;", 32, {32}, {kTiny}, 0},
      {"cvt.rn.relu.f16.f32 %d, %a;", 16, {32}, {F(-3)}, 0},
      {"cvt.rna.tf32.f32 %d, %a;", 32, {32}, {F(1 + 0x1p-11f)}, F(1 + 0x1p-10f)},
      {"cvt.rn.tf32.f32 %d, %a;", 32, {32}, {F(1 + 0x1p-11f)}, F(1)},
  });
}

TEST(Convert, PackedFormats) {
  ExpectAll({
      {"cvt.rn.f16x2.f32 %d, %a, %b;", 32, {32, 32}, {F(1), F(2)}, Halves(kH2, kH1)},
      {"cvt.rn.bf16x2.f32 %d, %a, %b;", 32, {32, 32}, {F(1), F(2)}, Halves(kB2, kB1)},
      {"cvt.rz.bf16x2.f32 %d, %a, %b;", 32, {32, 32}, {F(1.999f), F(2)}, Halves(kB2, 0x3FFF)},
      {"cvt.rn.relu.f16x2.f32 %d, %a, %b;", 32, {32, 32}, {F(-1), F(2)}, Halves(kH2, 0)},
      {"cvt.rn.satfinite.e4m3x2.f32 %d, %a, %b;", 16, {32, 32}, {F(1), F(1000)}, 0x387E},
      {"cvt.rn.satfinite.e4m3x2.f32 %d, %a, %b;", 16, {32, 32}, {kNan, F(-0x1p-9f)}, 0x7F81},
      {"cvt.rn.satfinite.e5m2x2.f32 %d, %a, %b;", 16, {32, 32}, {F(1), F(-1e9f)}, 0x3CFB},
      {"cvt.rn.f16x2.e4m3x2 %d, %a;", 32, {16}, {0x3840}, Halves(kH2, kH1)},
      {"cvt.rn.f16x2.e5m2x2 %d, %a;", 32, {16}, {0x3C40}, Halves(kH2, kH1)},
      {"cvt.rn.satfinite.e4m3x2.f16x2 %d, %a;", 16, {32}, {Halves(kH2, kH1)}, 0x3840},
      {"cvt.rn.satfinite.e5m2x2.f16x2 %d, %a;", 16, {32}, {Halves(kH2, kH1)}, 0x3C40},
  });
}

}  // namespace
}  // namespace astitch::simt
