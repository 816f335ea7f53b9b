// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// topk-to-reduce: the same elements, bit for bit, and no topk left; or left alone.
#include "tests/passes/value_test_util.h"

namespace astitch {
namespace {

constexpr char kPass[] = "topk-to-reduce";

std::string TopKOf(absl::string_view type, absl::string_view elements, int k, bool largest) {
  return absl::StrCat("x = ", type, "[2,6] constant(", elements, ")\nROOT t = (", type, "[2,", k,
                      "], s32[2,", k, "]) topk(x), k=", k,
                      ", largest=", largest ? "true" : "false");
}

TEST(TopkToReduce, ElementsInTheOrderOfTheirTypeAndTiesByIndex) {
  for (const char* type : {"f32", "f16", "bf16"}) {
    for (const bool largest : {true, false}) {
      for (const int k : {1, 3, 6}) {
        ExpectSameWithout("topk", kPass,
                          TopKOf(type, "{{3,-0,0,3,-7,0},{nan,inf,-nan,-inf,1,nan}}", k, largest));
      }
    }
  }
  for (const char* type : {"s8", "s16", "s32", "u8", "u16", "u32"}) {
    for (const bool largest : {true, false}) {
      ExpectSameWithout("topk", kPass, TopKOf(type, "{{3,0,1,3,7,0},{9,9,9,9,100,9}}", 4, largest));
    }
  }
  ExpectSameWithout(
      "topk", kPass,
      TopKOf("u32", "{{4294967295,2147483648,2147483647,0,1,4294967295},{5,4,3,2,1,0}}", 5, true));
  ExpectSameWithout(
      "topk", kPass,
      TopKOf("s32", "{{-2147483648,2147483647,-1,0,1,-2147483648},{5,4,3,2,1,0}}", 6, false));
}

TEST(TopkToReduce, ARowByItselfAndRowsOfRows) {
  ExpectSameWithout("topk", kPass, R"(x = f32[4] constant({1,4,2,3})
    ROOT t = (f32[2], s32[2]) topk(x), k=2, largest=true)",
                    "( {4, 3}, {1, 3} )");
  ExpectSameWithout("topk", kPass, R"(i = s32[2,3,4] iota(), iota_dimension=2
    ROOT t = (s32[2,3,2], s32[2,3,2]) topk(i), k=2, largest=false)");
}

TEST(TopkToReduce, TheCustomCallInTheDirectionOfItsComparator) {
  for (const char* direction : {"GT", "LT"}) {
    ExpectSameWithout("custom-call", kPass,
                      absl::StrCat(R"(
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = pred[] compare(a, b), direction=)",
                                   direction, R"(, type=TOTALORDER }
ENTRY e {
  x = f32[4] constant({1,4,2,3})
  ROOT t = (f32[2], s32[2]) custom-call(x), custom_call_target="TopK", called_computations={less}
})"));
  }
}

TEST(TopkToReduce, ManyElementsAndWideTypesStay) {
  ExpectUnchanged(kPass, R"(x = f32[100] parameter(0)
    ROOT t = (f32[17], s32[17]) topk(x), k=17, largest=true)");
  ExpectUnchanged(kPass, R"(x = f64[100] parameter(0)
    ROOT t = (f64[2], s32[2]) topk(x), k=2, largest=true)");
  ExpectUnchanged(kPass, R"(x = f32[100] parameter(0)
    ROOT t = f32[100] custom-call(x), custom_call_target="other")");
}

}  // namespace
}  // namespace astitch
