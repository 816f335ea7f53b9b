// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// scatter-to-reduce: the same bits, and no scatter left; or left alone.
#include "absl/strings/str_format.h"
#include "tests/passes/value_test_util.h"

namespace astitch {
namespace {

constexpr char kPass[] = "scatter-to-reduce";

constexpr absl::string_view kReducers = R"(
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
highest { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }
product { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] multiply(a, b) }
narrow { a = bf16[] parameter(0) b = bf16[] parameter(1) ROOT r = bf16[] add(a, b) }
coarse {
  a = f32[] parameter(0) b = f32[] parameter(1)
  c = bf16[] convert(a) d = bf16[] convert(b) e = bf16[] add(c, d)
  ROOT r = f32[] convert(e)
}
second { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] copy(b) }
)";

std::string ModuleOf(absl::string_view body) {
  return absl::StrCat(kReducers, "ENTRY main {\n", body, "\n}\n");
}

void ExpectSameWithoutScatter(absl::string_view body, const char* value) {
  ExpectSameWithout("scatter", kPass, ModuleOf(body), value);
}

void ExpectLeftAlone(absl::string_view body) { ExpectUnchanged(kPass, ModuleOf(body)); }

// The attributes of a scatter of rows.
constexpr absl::string_view kRows =
    "update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, "
    "index_vector_dim=1";

TEST(ScatterToReduce, RowsFoldTheirUpdatesAndNoneThatAreOutside) {
  ExpectSameWithoutScatter(absl::StrCat(R"(
    start = f32[] constant(0.5)
    x = f32[2,3] broadcast(start), dimensions={}
    i = s32[5,1] constant({{1},{0},{1},{2},{-1}})
    u = f32[5,3] constant({{1,2,3},{10,20,30},{100,200,300},{7,7,7},{7,7,7}})
    ROOT s = f32[2,3] scatter(x, i, u), )",
                                        kRows, ", to_apply=add"),
                           "{ { 10.5, 20.5, 30.5 }, { 101.5, 202.5, 303.5 } }");
}

TEST(ScatterToReduce, ARowWithoutUpdatesKeepsItsSign) {
  ExpectSameWithoutScatter(absl::StrCat(R"(
    start = f32[] constant(-0)
    x = f32[2,1] broadcast(start), dimensions={}
    i = u8[1,1] constant({{1}})
    u = f32[1,1] constant({{-0}})
    ROOT s = f32[2,1] scatter(x, i, u), )",
                                        kRows, ", to_apply=add"),
                           "{ {-0}, {-0} }");
}

TEST(ScatterToReduce, OtherCombinersTypesAndDimensionsOfTheBatch) {
  ExpectSameWithoutScatter(absl::StrCat(R"(
    start = f32[] constant(3)
    x = f32[2,2] broadcast(start), dimensions={}
    i = s64[3,1] constant({{0},{0},{1}})
    u = f32[3,2] constant({{1,5},{4,2},{nan,-9}})
    ROOT s = f32[2,2] scatter(x, i, u), )",
                                        kRows, ", to_apply=highest"),
                           "{ { 4, 5 }, { nan, 3 } }");
  // The indexed dimension is the last one, and two dimensions are batch.
  ExpectSameWithoutScatter(R"(
    start = s32[] constant(2)
    x = s32[3,2] broadcast(start), dimensions={}
    i = u32[2,2] constant({{0,1},{1,4294967295}})
    u = s32[2,2,3] constant({{{1,2,3},{4,5,6}},{{7,8,9},{5,5,5}}})
    ROOT s = s32[3,2] scatter(x, i, u), update_window_dims={2}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, index_vector_dim=2, to_apply=product)",
                           "{ { 2, 56 }, { 4, 80 }, { 6, 108 } }");
  ExpectSameWithoutScatter(absl::StrCat(R"(
    start = bf16[] constant(0)
    x = bf16[1,1] broadcast(start), dimensions={}
    i = s32[3,1] constant({{0},{0},{0}})
    u = bf16[3,1] constant({{256},{1},{1}})
    ROOT s = bf16[1,1] scatter(x, i, u), )",
                                        kRows, ", to_apply=narrow"),
                           "{ {258} }");
}

TEST(ScatterToReduce, WhatIsNoFoldOrHasManyRowsOrOtherWindowsIsLeftAlone) {
  constexpr absl::string_view kBody = R"(
    start = f32[] constant(0)
    x = f32[%d,3] broadcast(start), dimensions={}
    i = s32[1,1] constant({{1}})
    u = f32[1,%d] constant({%s})
    ROOT s = f32[%d,3] scatter(x, i, u), )";
  const auto body = [&](int rows, int width, const char* update, absl::string_view combiner) {
    return absl::StrCat(absl::StrFormat(kBody, rows, width, update, rows), kRows,
                        ", to_apply=", combiner);
  };
  ExpectLeftAlone(body(2, 3, "{1,2,3}", "second"));
  // It would round the row that no update is of.
  ExpectLeftAlone(body(2, 3, "{1,2,3}", "coarse"));
  ExpectLeftAlone(body(5, 3, "{1,2,3}", "add"));
  ExpectLeftAlone(body(2, 2, "{1,2}", "add"));
  // Rows that differ before.
  ExpectLeftAlone(absl::StrCat(R"(
    x = f32[2,1] constant({{1},{2}})
    i = s32[1,1] constant({{1}})
    u = f32[1,1] constant({{3}})
    ROOT s = f32[2,1] scatter(x, i, u), )",
                               kRows, ", to_apply=add"));
}

}  // namespace
}  // namespace astitch
