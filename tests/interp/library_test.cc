// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Sorting and random bits.
#include "gmock/gmock.h"
#include "interp/random_bits.h"
#include "tests/interp/run_text.h"

namespace astitch {
namespace {

using ::testing::ElementsAre;

std::string Sorted(absl::string_view compare, absl::string_view entry, bool keep_nan = false) {
  return ValueText(
      RunText(absl::StrCat("less {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  "
                           "ROOT r = pred[] compare(a, b), direction=LT",
                           compare, "\n}\nENTRY e {\n  ROOT r = ", entry, ", to_apply=less\n}\n")),
      keep_nan);
}

TEST(Sort, ByTotalOrder) {
  EXPECT_EQ(Sorted(", type=TOTALORDER",
                   "f32[7] sort(f32[7] constant({nan, 1, -0, 0, -nan, inf, -inf})), dimensions={0}",
                   /*keep_nan=*/true),
            "{-nan, -inf, -0, 0, 1, inf, nan}");
}

TEST(Sort, AnyDimensionAndAComparatorThatIsNoOrder) {
  EXPECT_EQ(
      Sorted("", "f32[3,2] sort(f32[3,2] constant({{3, 1}, {1, 9}, {2, 5}})), dimensions={0}"),
      "{ { 1, 1 }, { 2, 5 }, { 3, 9 } }");
  EXPECT_EQ(Sorted("", "f32[3] sort(f32[3] constant({2, nan, 1})), dimensions={0}"),
            "{1, 2, nan}");  // less than NaN nothing is: an answer, if not a sorted one
}

TEST(Sort, PairsMoveTogetherAndEqualKeysKeepTheirOrder) {
  EXPECT_EQ(ValueText(RunText(R"(
less {
  a = s32[] parameter(0)
  b = s32[] parameter(1)
  c = s32[] parameter(2)
  d = s32[] parameter(3)
  ROOT r = pred[] compare(a, b), direction=LT
}
ENTRY e {
  k = s32[6] constant({2, 1, 2, 1, 0, 2})
  i = s32[6] iota(), iota_dimension=0
  ROOT r = (s32[6], s32[6]) sort(k, i), dimensions={0}, to_apply=less
})")),
            "( {0, 1, 1, 2, 2, 2}, {4, 1, 3, 0, 2, 5} )");
}

TEST(TopK, ByTotalOrderWithTiesToTheLowerIndex) {
  const auto run = [](absl::string_view largest) {
    return RunOne(absl::StrCat("(f32[4], s32[4]) topk(f32[7] constant({1, nan, 3, 3, -nan, 0, "
                               "-0})), k=4, largest=",
                               largest),
                  /*keep_nan=*/true);
  };
  EXPECT_EQ(run("true"), "( {nan, 3, 3, 1}, {1, 2, 3, 0} )");
  EXPECT_EQ(run("false"), "( {-nan, -0, 0, 1}, {4, 6, 5, 0} )");
}

TEST(TopK, AsACustomCall) {
  EXPECT_EQ(ValueText(RunText(R"(
gt { a = f32[] parameter(0) b = f32[] parameter(1) c = s32[] parameter(2) d = s32[] parameter(3)
  ROOT r = pred[] compare(a, b), direction=GT }
ENTRY e {
  x = f32[2,3] constant({{1, 3, 2}, {5, 4, 6}})
  ROOT r = (f32[2,2], s32[2,2]) custom-call(x), custom_call_target="TopK", called_computations={gt}
})")),
            "( { { 3, 2 }, { 6, 5 } }, { { 1, 2 }, { 2, 0 } } )");
}

TEST(RandomBits, PublishedBlocks) {
  constexpr uint32_t kOnes = 0xffffffff;
  EXPECT_THAT(interp::ThreeFry2x32({0, 0}, {0, 0}), ElementsAre(0x6b200159, 0x99ba4efe));
  EXPECT_THAT(interp::ThreeFry2x32({kOnes, kOnes}, {kOnes, kOnes}),
              ElementsAre(0x1cb996fc, 0xbb002be7));
  EXPECT_THAT(interp::Philox4x32({0, 0}, {0, 0, 0, 0}),
              ElementsAre(0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8));
  EXPECT_THAT(interp::Philox4x32({kOnes, kOnes}, {kOnes, kOnes, kOnes, kOnes}),
              ElementsAre(0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd));
}

TEST(RandomBits, ThreeFryPairsNeighboursAlongTheFirstEvenDimension) {
  ExpectAll({
      {"(u64[2], u32[4]) rng-bit-generator(u64[2] constant({42, 0})), algorithm=rng_three_fry",
       "( {42, 2}, {3732534457, 1332528664, 646961260, 4263843367} )"},
      {"(u64[2], u32[3,2]) rng-bit-generator(u64[2] constant({42, 0})), algorithm=rng_three_fry",
       "( {42, 3}, { { 3732534457, 1332528664 }, { 646961260, 4263843367 }, { 2234760234, "
       "457295592 } } )"},
      {"(u64[2], u32[3,3]) rng-bit-generator(u64[2] constant({42, 0})), algorithm=rng_three_fry",
       "( {42, 6}, { { 3732534457, 646961260, 2234760234 }, { 1332528664, 4263843367, 457295592 }, "
       "{ 1073472746, 2676104049, 1131265418 } } )"},
      {"(u64[2], u64[2]) rng-bit-generator(u64[2] constant({42, 0})), algorithm=rng_three_fry",
       "( {42, 2}, {5723167036595107001, 18313067817178486892} )"},
      {"(u64[2], u8[3]) rng-bit-generator(u64[2] constant({42, 0})), algorithm=rng_three_fry",
       "( {42, 2}, {185, 24, 108} )"},
  });
}

TEST(RandomBits, PhiloxCountsBlocksIn128Bits) {
  ExpectAll({
      {"(u64[3], u32[5]) rng-bit-generator(u64[3] constant({42, 0, 0})), algorithm=rng_philox",
       "( {42, 2, 0}, {2632642643, 2012563771, 314527917, 1463989207, 4242219303} )"},
      {"(u64[2], u32[5]) rng-bit-generator(u64[2] constant({42, 0})), algorithm=rng_default",
       "( {42, 2}, {4231350633, 1797415138, 1111320130, 4121864774, 435827708} )"},
      {"(u64[3], u64[2]) rng-bit-generator(u64[3] constant({42, 0, 0})), algorithm=rng_philox",
       "( {42, 1, 0}, {8643895580192075859, 6287785766076502189} )"},
  });
  EXPECT_EQ(ValueText(RunText(R"(
ENTRY e {
  s = u64[3] constant({42, 18446744073709551615, 0})
  g = (u64[3], u32[8]) rng-bit-generator(s), algorithm=rng_philox
  t = u64[3] get-tuple-element(g), index=0
  b = u32[8] get-tuple-element(g), index=1
  last = u32[4] slice(b), slice={[4:8]}
  ROOT r = (u32[4], u64[3]) tuple(last, t)
})")),
            "( {43202409, 542238995, 996716600, 3056353436}, {42, 1, 1} )");
}

TEST(RandomState, StartsWhereXlaStartsAndAdvances) {
  EXPECT_EQ(ValueText(RunText(R"(
ENTRY e {
  a = u64[2] rng-get-and-update-state(), delta=3
  b = u64[2] rng-get-and-update-state(), delta=1
  ROOT r = (u64[2], u64[2]) tuple(a, b)
})")),
            "( {117515157, 0}, {117515160, 0} )");
}

TEST(Rng, IsInRangeAndTheSameEveryTime) {
  constexpr char kText[] = R"(
ENTRY e {
  a = f32[] constant(-1)
  b = f32[] constant(3)
  ROOT r = f32[1000] rng(a, b), distribution=rng_uniform
})";
  const absl::StatusOr<Literal> first = RunText(kText);
  const absl::StatusOr<Literal> second = RunText(kText);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(*first, *second);
  double sum = 0;
  for (const float value : first->data<float>()) {
    EXPECT_GE(value, -1);
    EXPECT_LT(value, 3);
    sum += value;
  }
  EXPECT_NEAR(sum / 1000, 1, 0.15);
}

}  // namespace
}  // namespace astitch
