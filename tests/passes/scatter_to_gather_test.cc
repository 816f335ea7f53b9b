// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// scatter-to-gather: the same bits, and no array of the scatter's size from memory; or left alone.
#include "passes/scatter_to_gather.h"

#include "absl/strings/substitute.h"
#include "ir/verifier.h"
#include "tests/passes/value_test_util.h"

namespace astitch {
namespace {

constexpr absl::string_view kReducers = R"(HloModule m
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
mean {
  a = f32[] parameter(0) b = f32[] parameter(1) h = f32[] constant(0.5)
  c = f32[] add(a, b) ROOT r = f32[] multiply(c, h)
}
second { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] copy(b) }
product { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] multiply(a, b) }
)";

// A graph whose result is made of scatter s, element by element.
std::unique_ptr<Graph> GraphOf(absl::string_view body) {
  return ParseModule(absl::StrCat(kReducers, "ENTRY main {\n", body, "\n}\n"));
}

// The elements of the scatter that has the updates.
int64_t ElementsOfScatter(const Graph& graph) {
  for (const auto& i : graph.entry()->instructions()) {
    if (i->opcode() == Opcode::kScatter && i->operand(2)->opcode() == Opcode::kConstant)
      return i->shape().num_elements();
  }
  return 0;
}

// ELEMENTS: of the slices that the updates may touch.
void ExpectSame(absl::string_view body, int64_t elements, const char* value) {
  SCOPED_TRACE(std::string(body));
  const std::unique_ptr<Graph> graph = GraphOf(body);
  ASSERT_TRUE(graph != nullptr);
  EXPECT_EQ(ValueOf(*graph), value);  // before
  const absl::StatusOr<bool> changed = ScatterToGather(0).Run(*graph);
  ASSERT_TRUE(changed.ok()) << changed.status();
  EXPECT_TRUE(*changed);
  EXPECT_TRUE(VerifyGraph(*graph).ok()) << VerifyGraph(*graph);
  EXPECT_EQ(ElementsOfScatter(*graph), elements);
  EXPECT_EQ(ValueOf(*graph), value);
  EXPECT_FALSE(ScatterToGather(0).Run(*graph).value()) << "nothing is left to do";
}

void ExpectLeftAlone(absl::string_view body, int64_t least_bytes = 0) {
  SCOPED_TRACE(std::string(body));
  const std::unique_ptr<Graph> graph = GraphOf(body);
  ASSERT_TRUE(graph != nullptr);
  EXPECT_FALSE(ScatterToGather(least_bytes).Run(*graph).value());
}

// N updates of rows of an array of V by 2, of which the last three are the result; $2: combiner, $3: what
// starts, $4: indices, $5: updates.
constexpr absl::string_view kScatter = R"(
    start = f32[] constant($3)
    x = f32[$1,2] broadcast(start), dimensions={}
    i = s32[$0,1] constant({$4})
    u = f32[$0,2] constant({$5})
    s = f32[$1,2] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=$2
    n = f32[$1,2] negate(s)
    ROOT r = f32[3,2] slice(n), slice={[$6:$1],[0:2]})";

TEST(ScatterToGather, RowsFoldTheirUpdatesInOrderAndNoneThatAreOutside) {
  ExpectSame(absl::Substitute(kScatter, 5, 40, "mean", "0", "{38},{-1},{38},{40},{38}",
                              "{8,1},{7,7},{4,2},{7,7},{2,4}", 37),
             10, "{ { -0, -0 }, { -3, -2.625 }, { -0, -0 } }");
  ExpectSame(
      absl::Substitute(kScatter, 3, 24, "second", "0.5", "{22},{22},{23}", "{1,1},{2,2},{3,3}", 21),
      6, "{ { -0.5, -0.5 }, { -2, -2 }, { -3, -3 } }");
}

TEST(ScatterToGather, RowsWithoutUpdatesKeepTheirSign) {
  ExpectSame(absl::Substitute(kScatter, 1, 8, "add", "-0", "{6}", "{-0,0}", 5), 2,
             "{ { 0, 0 }, { 0, -0 }, { 0, 0 } }");
}

TEST(ScatterToGather, SeveralDimensionsOfTheBatchAndOfWhatIsChosen) {
  // Two index vectors in each row, and the vector's entries in another order than the array's dimensions.
  ExpectSame(R"(
    start = s32[] constant(2)
    x = s32[5,3,8] broadcast(start), dimensions={}
    i = u32[2,2,1] constant({{{7},{0}},{{4},{4294967295}}})
    u = s32[2,1,3] constant({{{1,2,3}},{{5,5,5}}})
    s = s32[5,3,8] scatter(x, i, u), update_window_dims={2}, inserted_window_dims={0,2}, scatter_dims_to_operand_dims={2,0}, index_vector_dim=1, to_apply=product
    n = s32[5,3,8] negate(s)
    ROOT r = s32[2,3,2] slice(n), slice={[0:2],[0:3],[6:8]})",
             6,
             "{ { { -2, -2 }, { -2, -4 }, { -2, -6 } }, { { -2, -2 }, { -2, -2 }, { -2, -2 } } }");
}

TEST(ScatterToGather, WindowsOfNoDimensionAndArraysOfOne) {
  ExpectSame(R"(
    start = f32[] constant(1)
    x = f32[32] broadcast(start), dimensions={}
    i = u8[2,2] constant({{31,31},{255,0}})
    u = f32[2,2] constant({{1,2},{3,4}})
    s = f32[32] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=2, to_apply=add
    n = f32[32] negate(s)
    a = f32[2] slice(n), slice={[0:2]}
    b = f32[2] slice(n), slice={[30:32]}
    ROOT r = f32[4] concatenate(a, b), dimensions={0})",
             4, "{-5, -1, -1, -4}");
}

TEST(ScatterToGather, WhatIsDenseOrSmallOrPartlyChosenOrWantedInMemoryIsLeftAlone) {
  const std::string few = absl::Substitute(kScatter, 1, 8, "add", "0", "{6}", "{1,2}", 5);
  ExpectSame(few, 2, "{ { -0, -0 }, { -1, -2 }, { -0, -0 } }");
  ExpectLeftAlone(few, 65);  // of 64 bytes
  ExpectLeftAlone(absl::Substitute(kScatter, 1, 7, "add", "0", "{6}", "{1,2}", 4));
  // Rows that differ before.
  ExpectLeftAlone(R"(
    x = f32[8,1] constant({{1},{2},{3},{4},{5},{6},{7},{8}})
    i = s32[1,1] constant({{1}})
    u = f32[1,1] constant({{3}})
    s = f32[8,1] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
    ROOT n = f32[8,1] negate(s))");
  // Half a row each.
  ExpectLeftAlone(R"(
    start = f32[] constant(0)
    x = f32[8,2] broadcast(start), dimensions={}
    i = s32[1,1] constant({{1}})
    u = f32[1,1] constant({{3}})
    s = f32[8,2] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
    ROOT n = f32[8,2] negate(s))");
  // The result, or an operand of a product.
  constexpr absl::string_view kMemory = R"(
    start = f32[] constant(0)
    x = f32[8,2] broadcast(start), dimensions={}
    i = s32[1,1] constant({{1}})
    u = f32[1,2] constant({{3,4}})
    $0 = f32[8,2] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
    $1)";
  ExpectLeftAlone(absl::Substitute(kMemory, "ROOT s", ""));
  ExpectLeftAlone(absl::Substitute(
      kMemory, "s",
      "ROOT p = f32[8,8] dot(s, s), lhs_contracting_dims={1}, rhs_contracting_dims={1}"));
}

}  // namespace
}  // namespace astitch
