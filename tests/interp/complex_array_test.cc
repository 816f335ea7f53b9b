// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Complex arrays: what folds, moves and multiplies them, and the computations that they pass
// through.
#include "tests/interp/run_text.h"

namespace astitch {
namespace {

// The value of an entry, its lines after the computations that it may call.
std::string ValueOf(absl::string_view entry) {
  return ValueText(RunText(absl::StrCat(R"(
add { a = c64[] parameter(0) b = c64[] parameter(1) ROOT r = c64[] add(a, b) }
multiply { a = c64[] parameter(0) b = c64[] parameter(1) ROOT r = c64[] multiply(a, b) }
wide_add { a = c128[] parameter(0) b = c128[] parameter(1) ROOT r = c128[] add(a, b) }
second { a = c64[] parameter(0) ROOT r = c64[] parameter(1) }
longer {
  a = c64[] parameter(0)
  b = c64[] parameter(1)
  x = f32[] abs(a)
  y = f32[] abs(b)
  p = pred[] compare(x, y), direction=GE
  ROOT r = c64[] select(p, a, b)
}
real_ge {
  a = c64[] parameter(0)
  b = c64[] parameter(1)
  x = f32[] real(a)
  y = f32[] real(b)
  ROOT p = pred[] compare(x, y), direction=GE
}
)",
                                        "ENTRY e {\n", entry, "\n}\n")));
}

TEST(ComplexReduce, SumsProductsAndWhateverElse) {
  // 1e8 + 1 is no f32: the sum is one of doubles, rounded once.
  EXPECT_EQ(ValueOf("x = c64[4] constant({(1e8, 1), (1, 1e8), (-1e8, -1), (0, -1e8)})\n"
                    "z = c64[] constant((0, 0))\n"
                    "ROOT r = c64[] reduce(x, z), dimensions={0}, to_apply=add"),
            "(1, 0)");
  EXPECT_EQ(ValueOf("x = c64[3] constant({(1, 1), (2, -1), (0, 3)})\n"
                    "z = c64[] constant((0, 1))\n"
                    "ROOT r = c64[] reduce(x, z), dimensions={0}, to_apply=multiply"),
            "(-9, -3)");
  EXPECT_EQ(ValueOf("x = c64[4] constant({(1, 1), (3, 0), (0, -4), (2, 2)})\n"
                    "z = c64[] constant((0, 0))\n"
                    "ROOT r = c64[] reduce(x, z), dimensions={0}, to_apply=longer"),
            "(0, -4)");
}

TEST(ComplexReduce, ManySumsInStep) {
  EXPECT_EQ(ValueOf("i = f32[40,3] iota(), iota_dimension=0\n"
                    "j = f32[40,3] iota(), iota_dimension=1\n"
                    "x = c64[40,3] complex(i, j)\n"
                    "z = c64[] constant((0.5, 0))\n"
                    "s = c64[40] reduce(x, z), dimensions={1}, to_apply=add\n"
                    "ROOT r = c64[2] slice(s), slice={[38:40]}"),
            "{(114.5, 3), (117.5, 3)}");
}

TEST(ComplexReduceWindow, SlidesAndRuns) {
  EXPECT_EQ(ValueOf("x = c64[4] constant({(1, 1), (2, -1), (0, 3), (5, 5)})\n"
                    "z = c64[] constant((0, 0))\n"
                    "ROOT r = c64[3] reduce-window(x, z), window={size=2}, to_apply=multiply"),
            "{(0, 0), (0, 0), (0, 0)}");
  EXPECT_EQ(ValueOf("x = c64[4] constant({(1, 1), (2, -1), (0, 3), (5, 5)})\n"
                    "z = c64[] constant((0, 0))\n"
                    "ROOT r = c64[3] reduce-window(x, z), window={size=2}, to_apply=add"),
            "{(3, 0), (2, 2), (5, 8)}");
  EXPECT_EQ(ValueOf("x = c128[3,600] iota(), iota_dimension=0\n"
                    "i = c128[] constant((0, 1))\n"
                    "w = c128[3,600] broadcast(i), dimensions={}\n"
                    "y = c128[3,600] add(x, w)\n"
                    "z = c128[] constant((0, 0))\n"
                    "s = c128[3,600] reduce-window(y, z), window={size=3x1 pad=2_0x0_0}, "
                    "to_apply=wide_add\n"
                    "ROOT r = c128[3,1] slice(s), slice={[0:3], [599:600]}"),
            "{ {(0, 1)}, {(1, 2)}, {(3, 3)} }");
}

TEST(ComplexScatter, AddsAndAssigns) {
  constexpr char kScatter[] =
      "x = c64[3] constant({(1, 1), (2, 2), (3, 3)})\n"
      "i = s32[3] constant({2, 0, 2})\n"
      "u = c64[3] constant({(0, 1), (10, -1), (0.5, 4)})\n"
      "ROOT r = c64[3] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, "
      "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=";
  EXPECT_EQ(ValueOf(absl::StrCat(kScatter, "add")), "{(11, 0), (2, 2), (3.5, 8)}");
  EXPECT_EQ(ValueOf(absl::StrCat(kScatter, "second")), "{(10, -1), (2, 2), (0.5, 4)}");
}

TEST(ComplexSelectAndScatter, ComparesRealPartsAndAddsBoth) {
  EXPECT_EQ(ValueOf("x = c64[4] constant({(1, 9), (2, 0), (5, 1), (3, 7)})\n"
                    "s = c64[2] constant({(1, 1), (2, -2)})\n"
                    "z = c64[] constant((0, 0.5))\n"
                    "ROOT r = c64[4] select-and-scatter(x, s, z), window={size=2 stride=2}, "
                    "select=real_ge, scatter=add"),
            "{(0, 0.5), (1, 1.5), (2, -1.5), (0, 0.5)}");
}

TEST(ComplexSort, ByRealPartWithPassengers) {
  EXPECT_EQ(ValueText(RunText(R"(
less {
  a = c64[] parameter(0)
  b = c64[] parameter(1)
  c = s32[] parameter(2)
  d = s32[] parameter(3)
  x = f32[] real(a)
  y = f32[] real(b)
  ROOT r = pred[] compare(x, y), direction=LT
}
ENTRY e {
  k = c64[4] constant({(2, 1), (-1, 5), (2, 0), (0, nan)})
  i = s32[4] iota(), iota_dimension=0
  ROOT r = (c64[4], s32[4]) sort(k, i), dimensions={0}, to_apply=less
})")),
            "( {(-1, 5), (0, nan), (2, 1), (2, 0)}, {1, 3, 0, 2} )");
}

TEST(ComplexMap, GoesThroughACompiledBodyAndThroughALoop) {
  EXPECT_EQ(ValueOf("x = c64[2] constant({(1, 2), (3, 4)})\n"
                    "y = c64[2] constant({(0, 1), (1, 1)})\n"
                    "ROOT r = c64[2] map(x, y), dimensions={0}, to_apply=multiply"),
            "{(-2, 1), (-1, 7)}");
  EXPECT_EQ(ValueText(RunText(R"(
short { z = c64[] parameter(0) a = f32[] abs(z) t = f32[] constant(10)
        ROOT p = pred[] compare(a, t), direction=LT }
square { z = c64[] parameter(0) ROOT r = c64[] multiply(z, z) }
grow { z = c64[] parameter(0) ROOT r = c64[] while(z), condition=short, body=square }
ENTRY e {
  x = c64[2] constant({(1, 2), (0, 20)})
  ROOT r = c64[2] map(x), dimensions={0}, to_apply=grow
})")),
            "{(-7, -24), (0, 20)}");
}

TEST(ComplexMap, RoundsEachPartAfterEachOperationAndDropsThoseThatAreTaken) {
  EXPECT_EQ(ValueText(RunText(R"(
there_and_back { z = c64[] parameter(0) d = c64[] constant((1, 1))
                 s = c64[] add(z, d) ROOT r = c64[] subtract(s, z) }
real_again { z = c64[] parameter(0) x = f32[] real(z) ROOT r = c64[] convert(x) }
ENTRY e {
  x = c64[2] constant({(16777216, 2), (3, 16777216)})
  a = c64[2] map(x), dimensions={0}, to_apply=there_and_back
  b = c64[2] map(x), dimensions={0}, to_apply=real_again
  ROOT r = (c64[2], c64[2]) tuple(a, b)
})")),
            "( {(0, 1), (1, 0)}, {(16777216, 0), (3, 0)} )");
}

TEST(ComplexControl, TuplesBranchesAndCollectivesCarryThem) {
  EXPECT_EQ(ValueText(RunText(R"(
add { a = c64[] parameter(0) b = c64[] parameter(1) ROOT r = c64[] add(a, b) }
same { z = c128[1] parameter(0) ROOT r = c128[1] copy(z) }
turned { z = c128[1] parameter(0) ROOT r = c128[1] negate(z) }
ENTRY e {
  x = c64[1] constant({(1, 2)})
  y = c128[1] constant({(3, 4)})
  p = pred[] constant(false)
  c = c128[1] conditional(p, y, y), true_computation=same, false_computation=turned
  a = c64[1] all-reduce(x), replica_groups={}, to_apply=add
  t = (c64[1], c128[1]) tuple(a, c)
  b = (c64[1], c128[1]) opt-barrier(t)
  g = c128[1] get-tuple-element(b), index=1
  ROOT r = (c64[1], c128[1]) tuple(a, g)
})")),
            "( {(1, 2)}, {(-3, -4)} )");
}

TEST(ComplexScan, CarriesAProduct) {
  EXPECT_EQ(ValueText(RunText(R"(
step { x = c64[] parameter(0) c = c64[] parameter(1) n = c64[] multiply(x, c)
       ROOT r = (c64[], c64[]) tuple(n, n) }
ENTRY e {
  x = c64[3] constant({(0, 1), (1, 1), (2, 0)})
  c = c64[] constant((1, 0))
  ROOT r = (c64[3], c64[]) scan(x, c), dimensions={0}, num_carries=1, to_apply=step
})")),
            "( {(0, 1), (-1, 1), (-2, 2)}, (-2, 2) )");
}

TEST(ComplexMovement, SixteenBytesMoveTogether) {
  constexpr char kMatrix[] =
      "c128[2,3] constant({{(1, 2), (3, 4), (5, 6)}, {(-1, -2), (-3, -4), "
      "(-5, nan(0x5))}})";
  const auto moved = [&](absl::string_view before, absl::string_view after) {
    return RunOne(absl::StrCat(before, kMatrix, after), /*keep_nan=*/true);
  };
  EXPECT_EQ(moved("c128[3,2] transpose(", "), dimensions={1,0}"),
            "{ { (1, 2), (-1, -2) }, { (3, 4), (-3, -4) }, { (5, 6), (-5, nan(0x5)) } }");
  EXPECT_EQ(moved("c128[2,3] reverse(", "), dimensions={1}"),
            "{ { (5, 6), (3, 4), (1, 2) }, { (-5, nan(0x5)), (-3, -4), (-1, -2) } }");
  EXPECT_EQ(moved("c128[2,2] slice(", "), slice={[0:2], [0:3:2]}"),
            "{ { (1, 2), (5, 6) }, { (-1, -2), (-5, nan(0x5)) } }");
  EXPECT_EQ(moved("c128[3,2] reshape(", ")"),
            "{ { (1, 2), (3, 4) }, { (5, 6), (-1, -2) }, { (-3, -4), (-5, nan(0x5)) } }");
  EXPECT_EQ(moved("c128[1,5] pad(", ", c128[] constant((7, 8))), padding=-1_0x0_0_1"),
            "{ { (-1, -2), (7, 8), (-3, -4), (7, 8), (-5, nan(0x5)) } }");
  EXPECT_EQ(moved("c128[1,1] dynamic-slice(",
                  ", s32[] constant(1), s32[] constant(9)), "
                  "dynamic_slice_sizes={1,1}"),
            "{ {(-5, nan(0x5))} }");
  EXPECT_EQ(moved("c128[2,3] dynamic-update-slice(",
                  ", c128[1,1] constant({{(0, 9)}}), s32[] "
                  "constant(1), s32[] constant(2))"),
            "{ { (1, 2), (3, 4), (5, 6) }, { (-1, -2), (-3, -4), (0, 9) } }");
  EXPECT_EQ(moved("c128[2,2] gather(",
                  ", s32[2] constant({2, 0})), offset_dims={0}, "
                  "collapsed_slice_dims={1}, start_index_map={1}, index_vector_dim=1, "
                  "slice_sizes={2,1}"),
            "{ { (5, 6), (1, 2) }, { (-5, nan(0x5)), (-1, -2) } }");
  ExpectAll({
      {"c128[2,2] broadcast(c128[2] constant({(1, 2), (3, 4)})), dimensions={0}",
       "{ { (1, 2), (1, 2) }, { (3, 4), (3, 4) } }"},
      {"c128[3] concatenate(c128[1] constant({(1, 2)}), c128[2] constant({(3, 4), (5, 6)})), "
       "dimensions={0}",
       "{(1, 2), (3, 4), (5, 6)}"},
      {"c64[4] bitcast(c64[2,2]{0,1} constant({{(1, 2), (3, 4)}, {(5, 6), (7, 8)}}))",
       "{(1, 2), (5, 6), (3, 4), (7, 8)}"},
  });
}

// Five rows and columns are more than one tile of the product, and fill none at the edges.
TEST(ComplexDot, TilesAndEdges) {
  EXPECT_EQ(ValueOf("i = f32[5,5] iota(), iota_dimension=0\n"
                    "j = f32[5,5] iota(), iota_dimension=1\n"
                    "a = c64[5,5] complex(i, j)\n"
                    "b = c64[5,5] complex(j, i)\n"
                    "d = c64[5,5] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
                    "ROOT r = c64[2,5] slice(d), slice={[3:5], [0:5]}"),
            "{ { (-30, 30), (-15, 40), (0, 50), (15, 60), (30, 70) }, { (-30, 40), (-10, 50), (10, "
            "60), (30, 70), (50, 80) } }");
}

TEST(ComplexDot, KindsAndBatches) {
  ExpectAll({
      {"c64[] dot(c64[2] constant({(1, 2), (inf, 0)}), c64[2] constant({(3, 4), (1, 1)})), "
       "lhs_contracting_dims={0}, rhs_contracting_dims={0}",
       "(inf, inf)"},
      {"c128[2,1] dot(c64[2,1,1] constant({{{(1, 2)}}, {{(3, 4)}}}), c64[2,1] constant({{(0, 1)}, "
       "{(1, 1)}})), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
       "rhs_contracting_dims={1}",
       "{ {(-2, 1)}, {(-1, 7)} }"},
      {"c64[2,1] ragged-dot(c64[2,1] constant({{(1, 2)}, {(3, 4)}}), c64[2,1,1] constant({{{(0, "
       "1)}}, {{(1, 1)}}}), s32[2] constant({1, 1})), lhs_contracting_dims={1}, "
       "rhs_contracting_dims={1}, lhs_ragged_dims={0}, rhs_group_dims={0}",
       "{ {(-2, 1)}, {(-1, 7)} }"},
  });
}

TEST(ComplexConvolution, SlidesWithoutConjugation) {
  ExpectAll({
      {"c64[1,3,1] convolution(c64[1,4,1] constant({{{(1, 1)}, {(2, 0)}, {(0, 3)}, {(1, -1)}}}), "
       "c64[2,1,1] constant({{{(0, 1)}}, {{(2, 0)}}})), window={size=2}, dim_labels=b0f_0io->b0f",
       "{ { {(3, 1)}, {(0, 8)}, {(-1, -2)} } }"},
  });
}

// L = {{2, 0}, {1+i, 3}} and its Hermitian square; the half that is not read is anything.
TEST(ComplexCholesky, FactorsHermitianMatrices) {
  ExpectAll({
      {"c64[2,2] cholesky(c64[2,2] constant({{(4, 0), (99, 9)}, {(2, 2), (11, 0)}})), lower=true",
       "{ { (2, 0), (0, 0) }, { (1, 1), (3, 0) } }"},
      {"c128[2,2] cholesky(c128[2,2] constant({{(4, 5), (2, -2)}, {(99, 9), (11, 5)}})), "
       "lower=false",
       "{ { (2, 0), (1, -1) }, { (0, 0), (3, 0) } }"},
      {"c64[2,2] cholesky(c64[2,2] constant({{(4, 0), (0, 0)}, {(4, 4), (8, 0)}})), lower=true",
       "{ { (nan, nan), (nan, nan) }, { (nan, nan), (nan, nan) } }"},
  });
}

// x = (1+i, 2) times op(L) from either side.
TEST(ComplexTriangularSolve, TheAdjointConjugates) {
  const auto solve = [](absl::string_view shape, absl::string_view b, absl::string_view how) {
    return RunOne(absl::StrCat(shape,
                               " triangular-solve(c64[2,2] constant({{(2, 0), (99, 9)}, {(1, "
                               "1), (1, 1)}}), ",
                               shape, " constant(", b, ")), lower=true, ", how));
  };
  EXPECT_EQ(solve("c64[2,1]", "{{(2, 2)}, {(2, 4)}}", "left_side=true, transpose_a=NO_TRANSPOSE"),
            "{ {(1, 1)}, {(2, 0)} }");
  EXPECT_EQ(solve("c64[2,1]", "{{(4, 4)}, {(2, 2)}}", "left_side=true, transpose_a=TRANSPOSE"),
            "{ {(1, 1)}, {(2, 0)} }");
  EXPECT_EQ(solve("c64[2,1]", "{{(4, 0)}, {(2, -2)}}", "left_side=true, transpose_a=ADJOINT"),
            "{ {(1, 1)}, {(2, 0)} }");
  EXPECT_EQ(solve("c64[1,2]", "{{(4, 4), (2, 2)}}", "left_side=false, transpose_a=NO_TRANSPOSE"),
            "{ { (1, 1), (2, 0) } }");
  EXPECT_EQ(solve("c64[1,2]", "{{(2, 2), (4, -2)}}", "left_side=false, transpose_a=ADJOINT"),
            "{ { (1, 1), (2, 0) } }");
  EXPECT_EQ(solve("c64[2,1]", "{{(4, 0)}, {(2, 0)}}",
                  "left_side=true, transpose_a=ADJOINT, unit_diagonal=true"),
            "{ {(2, 2)}, {(2, 0)} }");
}

TEST(ComplexMemory, TheEstimateCountsBothParts) {
  const auto estimate = [](absl::string_view text) -> int64_t {
    const absl::StatusOr<std::unique_ptr<Graph>> graph = ParseHloText(text);
    return graph.ok() ? EstimateMemory(**graph) : -1;
  };
  EXPECT_EQ(estimate("ENTRY e {\n  x = c128[100] parameter(0)\n  ROOT r = c128[100] sine(x)\n}\n"),
            1600);
  // 100 elements of the result, and both operands as pairs of doubles.
  EXPECT_EQ(estimate("ENTRY e {\n  x = c64[10,10] parameter(0)\n  ROOT r = c64[10,10] dot(x, x), "
                     "lhs_contracting_dims={1}, rhs_contracting_dims={0}\n}\n"),
            800 + 200 * 16);
  EXPECT_EQ(estimate("ENTRY e {\n  x = f32[8,10] parameter(0)\n  ROOT r = c64[8,6] fft(x), "
                     "fft_type=RFFT, fft_length={10}\n}\n"),
            8 * 6 * 8 + (80 + 48) * 16);
}

}  // namespace
}  // namespace astitch
