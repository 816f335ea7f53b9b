// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// sort-to-reduce: the same order, bit for bit, and no sort left; or the sort as it was.
#include "tests/passes/value_test_util.h"

namespace astitch {
namespace {

constexpr char kPass[] = "sort-to-reduce";

// A comparator of TYPE by ROOT, from %a and %b on, of a sort of one operand.
std::string SortOf(absl::string_view type, absl::string_view root, absl::string_view elements,
                   int dimension) {
  return absl::StrCat("order { a = ", type, "[] parameter(0) b = ", type, "[] parameter(1)\n", root,
                      " }\nENTRY e { x = ", type, "[2,6] constant(", elements, ")\nROOT s = ", type,
                      "[2,6] sort(x), dimensions={", dimension,
                      "}, is_stable=true, to_apply=order }\n");
}

constexpr char kLess[] = "ROOT c = pred[] compare(a, b), direction=LT";
constexpr char kGreater[] = "ROOT c = pred[] compare(a, b), direction=GT";
constexpr char kTotal[] = "ROOT c = pred[] compare(a, b), direction=LT, type=TOTALORDER";
// As JAX sorts floats: zeros are one, NaNs are one and last.
constexpr char kOneZero[] = R"(n = f32[] constant(nan) z = f32[] constant(0)
  an = pred[] compare(a, a), direction=NE az = pred[] compare(a, z), direction=EQ
  as = f32[] select(az, z, a) at = f32[] select(an, n, as)
  bn = pred[] compare(b, b), direction=NE bz = pred[] compare(b, z), direction=EQ
  bs = f32[] select(bz, z, b) bt = f32[] select(bn, n, bs)
  ROOT c = pred[] compare(at, bt), direction=LT, type=TOTALORDER)";

TEST(SortToReduce, EveryOrderAlongEveryDimension) {
  for (const int dimension : {0, 1}) {
    for (const char* type : {"f32", "f16", "bf16"})
      ExpectSameWithout(
          "sort", kPass,
          SortOf(type, kTotal, "{{3,-0,0,3,-7,0},{nan,inf,-nan,-inf,1,nan}}", dimension));
    ExpectSameWithout(
        "sort", kPass,
        SortOf("f32", kOneZero, "{{3,-0,0,3,-7,-0},{nan,inf,-nan,-inf,1,nan}}", dimension));
    for (const char* type : {"s8", "s16", "s32", "u8", "u16", "u32"}) {
      for (const char* root : {kLess, kGreater})
        ExpectSameWithout("sort", kPass,
                          SortOf(type, root, "{{3,0,1,3,7,0},{9,9,100,9,2,9}}", dimension));
    }
    ExpectSameWithout("sort", kPass,
                      SortOf("u32", "ROOT c = pred[] compare(b, a), direction=LT",
                             "{{4294967295,0,1,2147483648,7,0},{9,9,100,9,2,9}}", dimension));
  }
}

TEST(SortToReduce, OperandsMoveWithTheOneThatIsCompared) {
  ExpectSameWithout("sort", kPass, R"(
order { a = f64[] parameter(0) b = f64[] parameter(1) c = s16[] parameter(2) d = s16[] parameter(3)
  e = pred[] parameter(4) f = pred[] parameter(5) ROOT r = pred[] compare(d, c), direction=GT }
ENTRY main {
  x = f64[5] constant({1.5,-nan,3,4,-0})
  k = s16[5] constant({7,-1,7,0,-1})
  p = pred[5] constant({1,0,0,1,1})
  ROOT s = (f64[5], s16[5], pred[5]) sort(x, k, p), dimensions={0}, is_stable=true, to_apply=order
})");
}

void ExpectSortStays(absl::string_view type, absl::string_view root) {
  ExpectUnchanged(kPass, SortOf(type, root, "{{3,0,1,3,7,0},{9,9,100,9,2,9}}", 1));
}

TEST(SortToReduce, OrdersThatMayBeNoneStay) {
  ExpectSortStays("f32", kLess);  // a NaN is neither before nor behind
  ExpectSortStays("s32", "ROOT c = pred[] compare(a, b), direction=LE");
  ExpectSortStays("s64", kLess);  // a number and a place are more than 64 bits
  ExpectSortStays("s32", "n = s32[] negate(b) ROOT c = pred[] compare(a, n), direction=LT");
  ExpectSortStays("s32", R"(l = pred[] compare(a, b), direction=LT
    g = pred[] compare(a, b), direction=GT ROOT c = pred[] or(l, g))");
}

TEST(SortToReduce, LongRowsAndSortsOfALoopStay) {
  ExpectUnchanged(kPass, R"(
order { a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = pred[] compare(a, b), direction=LT }
ENTRY e { x = s32[4,513] parameter(0)
  ROOT s = s32[4,513] sort(x), dimensions={1}, to_apply=order })");
  ExpectUnchanged(kPass, R"(
order { a = s32[] parameter(0) b = s32[] parameter(1) ROOT c = pred[] compare(a, b), direction=LT }
goes_on { x = s32[4] parameter(0) ROOT c = pred[] constant(false) }
body { x = s32[4] parameter(0) ROOT s = s32[4] sort(x), dimensions={0}, to_apply=order }
ENTRY e { x = s32[4] parameter(0) ROOT w = s32[4] while(x), condition=goes_on, body=body })");
}

}  // namespace
}  // namespace astitch
