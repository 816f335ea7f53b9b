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
add { a = f64[] parameter(0) b = f64[] parameter(1) ROOT r = f64[] add(a, b) }
mean {
  a = f64[] parameter(0) b = f64[] parameter(1) h = f64[] constant(0.5)
  c = f64[] add(a, b) ROOT r = f64[] multiply(c, h)
}
second { a = f64[] parameter(0) b = f64[] parameter(1) ROOT r = f64[] copy(b) }
product { a = s64[] parameter(0) b = s64[] parameter(1) ROOT r = s64[] multiply(a, b) }
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
    start = f64[] constant($3)
    x = f64[$1,2] broadcast(start), dimensions={}
    i = s32[$0,1] constant({$4})
    u = f64[$0,2] constant({$5})
    s = f64[$1,2] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=$2
    n = f64[$1,2] negate(s)
    ROOT r = f64[3,2] slice(n), slice={[$6:$1],[0:2]})";

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
    start = s64[] constant(2)
    x = s64[5,3,8] broadcast(start), dimensions={}
    i = u32[2,2,1] constant({{{7},{0}},{{4},{4294967295}}})
    u = s64[2,1,3] constant({{{1,2,3}},{{5,5,5}}})
    s = s64[5,3,8] scatter(x, i, u), update_window_dims={2}, inserted_window_dims={0,2}, scatter_dims_to_operand_dims={2,0}, index_vector_dim=1, to_apply=product
    n = s64[5,3,8] negate(s)
    ROOT r = s64[2,3,2] slice(n), slice={[0:2],[0:3],[6:8]})",
             6,
             "{ { { -2, -2 }, { -2, -4 }, { -2, -6 } }, { { -2, -2 }, { -2, -2 }, { -2, -2 } } }");
}

TEST(ScatterToGather, IndexVectorsOfOneEntryWithoutADimension) {
  ExpectSame(R"(
    start = f64[] constant(1)
    x = f64[32,2] broadcast(start), dimensions={}
    i = u8[2,2] constant({{31,31},{255,0}})
    u = f64[2,2,2] constant({{{1,5},{2,6}},{{3,7},{4,8}}})
    s = f64[32,2] scatter(x, i, u), update_window_dims={2}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=2, to_apply=add
    n = f64[32,2] negate(s)
    a = f64[2,2] slice(n), slice={[0:2],[0:2]}
    b = f64[2,2] slice(n), slice={[30:32],[0:2]}
    ROOT r = f64[4,2] concatenate(a, b), dimensions={0})",
             8, "{ { -5, -9 }, { -1, -1 }, { -1, -1 }, { -4, -12 } }");
}

TEST(ScatterToGather, WhatIsDenseOrSmallOrPartlyChosenOrWantedInMemoryIsLeftAlone) {
  const std::string few = absl::Substitute(kScatter, 1, 8, "add", "0", "{6}", "{1,2}", 5);
  ExpectSame(few, 2, "{ { -0, -0 }, { -1, -2 }, { -0, -0 } }");
  ExpectLeftAlone(few, 129);  // of 128 bytes
  ExpectLeftAlone(absl::Substitute(kScatter, 1, 7, "add", "0", "{6}", "{1,2}", 4));
  // Slices that are hardly larger than the number of an update.
  ExpectLeftAlone(R"(
    start = f64[] constant(0)
    x = f64[64] broadcast(start), dimensions={}
    i = s32[1,1] constant({{1}})
    u = f64[1] constant({3})
    s = f64[64] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
    ROOT n = f64[64] negate(s))");
  // So many updates that to look at all for each takes long: 513 * 513 are more than 4 * 65,664 bytes.
  constexpr absl::string_view kMany = R"(
    start = f64[] constant(0)
    x = f64[4104,2] broadcast(start), dimensions={}
    i = s32[$0,1] parameter(0)
    u = f64[$0,2] parameter(1)
    s = f64[4104,2] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
    ROOT n = f64[4104,2] negate(s))";
  ExpectLeftAlone(absl::Substitute(kMany, 513));
  EXPECT_TRUE(ScatterToGather(0).Run(*GraphOf(absl::Substitute(kMany, 512))).value());
  // Rows that differ before.
  ExpectLeftAlone(R"(
    x = f64[8,1] constant({{1},{2},{3},{4},{5},{6},{7},{8}})
    i = s32[1,1] constant({{1}})
    u = f64[1,1] constant({{3}})
    s = f64[8,1] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
    ROOT n = f64[8,1] negate(s))");
  // Half a row each.
  ExpectLeftAlone(R"(
    start = f64[] constant(0)
    x = f64[8,2] broadcast(start), dimensions={}
    i = s32[1,1] constant({{1}})
    u = f64[1,1] constant({{3}})
    s = f64[8,2] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
    ROOT n = f64[8,2] negate(s))");
  // The result, or an operand of a product.
  constexpr absl::string_view kMemory = R"(
    start = f64[] constant(0)
    x = f64[8,2] broadcast(start), dimensions={}
    i = s32[1,1] constant({{1}})
    u = f64[1,2] constant({{3,4}})
    $0 = f64[8,2] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
    $1)";
  ExpectLeftAlone(absl::Substitute(kMemory, "ROOT s", ""));
  ExpectLeftAlone(absl::Substitute(
      kMemory, "s",
      "ROOT p = f64[8,8] dot(s, s), lhs_contracting_dims={1}, rhs_contracting_dims={1}"));
}

}  // namespace
}  // namespace astitch
