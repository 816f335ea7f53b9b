// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// scatter-to-select: the same values, and no scatter left; or left alone.
#include "tests/passes/value_test_util.h"

namespace astitch {
namespace {

constexpr char kPass[] = "scatter-to-select";

constexpr absl::string_view kReducers = R"(
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
second { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] copy(b) }
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] subtract(a, b) }
)";

void ExpectSameWithoutScatter(absl::string_view body, const char* value) {
  ExpectSameWithout("scatter", kPass, absl::StrCat(kReducers, "ENTRY main {\n", body, "\n}\n"),
                    value);
}

constexpr absl::string_view kRows = R"(
    x = f32[3,4] constant({{1,2,3,4},{5,6,7,8},{9,10,11,12}})
    i = s32[3,1,1] constant({{{2}},{{4}},{{-1}}})
    u = f32[3,1] constant({{100},{200},{300}}))";

TEST(ScatterToSelect, AnElementOfEachRowAndNoneWhereTheIndexIsOutside) {
  ExpectSameWithoutScatter(absl::StrCat(kRows, R"(
    ROOT s = f32[3,4] scatter(x, i, u), update_window_dims={}, inserted_window_dims={1}, scatter_dims_to_operand_dims={1}, input_batching_dims={0}, scatter_indices_batching_dims={0}, index_vector_dim=2, to_apply=add)"),
                           "{ { 1, 2, 103, 4 }, { 5, 6, 7, 8 }, { 9, 10, 11, 12 } }");
}

TEST(ScatterToSelect, UpdatesOfOneElementApplyInOrder) {
  ExpectSameWithoutScatter(R"(
    x = f32[4] constant({1,2,3,4})
    i = u8[3,1] constant({{1},{1},{3}})
    u = f32[3] constant({10,20,30})
    ROOT s = f32[4] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=second)",
                           "{1, 20, 3, 30}");
}

TEST(ScatterToSelect, IndicesOfSeveralDimensionsAndTheCombinersOperandOrder) {
  ExpectSameWithoutScatter(R"(
    x = f32[2,3] constant({{1,2,3},{4,5,6}})
    i = s64[2,2] constant({{2,0},{1,1}})
    u = f32[2] constant({10,20})
    ROOT s = f32[2,3] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0,1}, scatter_dims_to_operand_dims={1,0}, index_vector_dim=1, to_apply=less)",
                           "{ { 1, 2, -7 }, { 4, -15, 6 } }");
}

TEST(ScatterToSelect, ManyUpdatesAndWindowsStayAScatter) {
  ExpectUnchanged(kPass, absl::StrCat(kReducers, R"(
    ENTRY main {
    x = f32[40] parameter(0)
    i = s32[20,1] parameter(1)
    u = f32[20] parameter(2)
    ROOT s = f32[40] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
    })"));
  ExpectUnchanged(kPass, absl::StrCat(kReducers, R"(
    ENTRY main {
    x = f32[4,8] parameter(0)
    i = s32[1,1] parameter(1)
    u = f32[1,8] parameter(2)
    ROOT s = f32[4,8] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
    })"));
}

}  // namespace
}  // namespace astitch
