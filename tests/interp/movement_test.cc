// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Data movement: pad, slice, gather, scatter and the rest of what only addresses elements.
#include "tests/interp/run_text.h"

namespace astitch {
namespace {

TEST(Movement, PadInsertsBeforeItCrops) {
  ExpectAll({
      {"s32[6] pad(s32[3] constant({1, 2, 3}), s32[] constant(9)), padding=-1_2_1",
       "{9, 2, 9, 3, 9, 9}"},
      {"s32[4] pad(s32[3] constant({1, 2, 3}), s32[] constant(9)), padding=-2_-1_2",
       "{9, 2, 9, 9}"},
      {"s32[2] pad(s32[1] constant({1}), s32[] constant(9)), padding=1_0_3", "{9, 1}"},
      {"s32[3] pad(s32[0] constant({}), s32[] constant(9)), padding=2_1_4", "{9, 9, 9}"},
      {"s32[0] pad(s32[2] constant({1, 2}), s32[] constant(9)), padding=-2_0", "{}"},
      {"s32[2,3] pad(s32[1,2] constant({{1, 2}}), s32[] constant(0)), padding=1_0x0_1",
       "{ { 0, 0, 0 }, { 1, 2, 0 } }"},
  });
}

TEST(Movement, SlicesRoundUpAndMayBeEmpty) {
  ExpectAll({
      {"s32[3] slice(s32[10] constant({0, 1, 2, 3, 4, 5, 6, 7, 8, 9})), slice={[1:9:3]}",
       "{1, 4, 7}"},
      {"s32[0] slice(s32[5] constant({0, 1, 2, 3, 4})), slice={[4:4]}", "{}"},
      {"s32[] slice(s32[] constant(3)), slice={}", "3"},
      {"s32[2,1] slice(s32[2,2] constant({{1, 2}, {3, 4}})), slice={[0:2], [1:2]}", "{ {2}, {4} }"},
  });
}

TEST(Movement, DynamicStartsClampTheWholeWindow) {
  ExpectAll({
      {"s32[4] dynamic-slice(s32[10] constant({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), s32[] constant(8)), "
       "dynamic_slice_sizes={4}",
       "{6, 7, 8, 9}"},
      {"s32[4] dynamic-slice(s32[10] constant({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), s32[] "
       "constant(-5)), dynamic_slice_sizes={4}",
       "{0, 1, 2, 3}"},
      {"s32[4] dynamic-slice(s32[10] constant({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), u32[] "
       "constant(4294967295)), dynamic_slice_sizes={4}",
       "{6, 7, 8, 9}"},
      {"s32[4] dynamic-slice(s32[10] constant({0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), u64[] "
       "constant(18446744073709551615)), dynamic_slice_sizes={4}",
       "{6, 7, 8, 9}"},
      {"s32[4] dynamic-update-slice(s32[4] constant({0, 0, 0, 0}), s32[2] constant({1, 2}), s32[] "
       "constant(3))",
       "{0, 0, 1, 2}"},
      {"s32[] dynamic-update-slice(s32[] constant(1), s32[] constant(2))", "2"},
  });
}

TEST(Movement, ReshapesAndPermutationsFollowLogicalOrder) {
  ExpectAll({
      {"s32[3,2] reshape(s32[2,3]{0,1} constant({{1, 2, 3}, {4, 5, 6}}))",
       "{ { 1, 2 }, { 3, 4 }, { 5, 6 } }"},
      {"s32[3,2] transpose(s32[2,3] constant({{1, 2, 3}, {4, 5, 6}})), dimensions={1,0}",
       "{ { 1, 4 }, { 2, 5 }, { 3, 6 } }"},
      {"s32[2,3] broadcast(s32[2] constant({1, 2})), dimensions={0}",
       "{ { 1, 1, 1 }, { 2, 2, 2 } }"},
      {"s32[3,2] broadcast(s32[2] constant({1, 2})), dimensions={1}",
       "{ { 1, 2 }, { 1, 2 }, { 1, 2 } }"},
      {"s32[3,2] broadcast(s32[2,3] constant({{1, 2, 3}, {4, 5, 6}})), dimensions={1,0}",
       "{ { 1, 4 }, { 2, 5 }, { 3, 6 } }"},
      {"s32[2,2] reverse(s32[2,2] constant({{1, 2}, {3, 4}})), dimensions={0,1}",
       "{ { 4, 3 }, { 2, 1 } }"},
      {"s32[2,3] concatenate(s32[2,1] constant({{1}, {2}}), s32[2,0] constant({{}, {}}), s32[2,2] "
       "constant({{3, 4}, {5, 6}})), dimensions={1}",
       "{ { 1, 3, 4 }, { 2, 5, 6 } }"},
  });
}

TEST(Movement, TransposeOfFiveDimensionsPutsEachElementInItsPlace) {
  const absl::StatusOr<Literal> result = RunText(R"(
ENTRY e {
  i = s32[120] iota(), iota_dimension=0
  x = s32[2,3,1,4,5] reshape(i)
  ROOT r = s32[5,1,3,2,4] transpose(x), dimensions={4,2,1,0,3}
})");
  ASSERT_TRUE(result.ok()) << result.status();
  int64_t at = 0;
  for (int a = 0; a < 5; ++a) {
    for (int b = 0; b < 3; ++b) {
      for (int c = 0; c < 2; ++c) {
        for (int d = 0; d < 4; ++d) {
          EXPECT_EQ(result->data<int32_t>()[at++], ((c * 3 + b) * 4 + d) * 5 + a);
        }
      }
    }
  }
}

TEST(Movement, BitcastFollowsPhysicalOrder) {
  ExpectAll({
      {"s32[3,2]{1,0} bitcast(s32[2,3]{0,1} constant({{1, 2, 3}, {4, 5, 6}}))",
       "{ { 1, 4 }, { 2, 5 }, { 3, 6 } }"},
      {"s32[3,2]{1,0} bitcast(s32[2,3]{1,0} constant({{1, 2, 3}, {4, 5, 6}}))",
       "{ { 1, 2 }, { 3, 4 }, { 5, 6 } }"},
      {"s32[2,3]{0,1} bitcast(s32[6]{0} constant({1, 2, 3, 4, 5, 6}))",
       "{ { 1, 3, 5 }, { 2, 4, 6 } }"},
      {"s32[] bitcast(f32[] constant(1))", "1065353216"},
  });
}

TEST(Movement, IotaWrapsAndRounds) {
  const absl::StatusOr<Literal> small =
      RunText("ENTRY e { ROOT r = s8[130] iota(), iota_dimension=0 }");
  ASSERT_TRUE(small.ok()) << small.status();
  EXPECT_EQ(small->data<int8_t>()[127], 127);
  EXPECT_EQ(small->data<int8_t>()[128], -128);
  EXPECT_EQ(small->data<int8_t>()[129], -127);
  EXPECT_EQ(ValueText(RunText(R"(
ENTRY e {
  i = bf16[300] iota(), iota_dimension=0
  ROOT r = bf16[6] slice(i), slice={[255:261]}
})")),
            "{255, 256, 256, 258, 260, 260}");
  EXPECT_EQ(RunOne("s32[2,3] iota(), iota_dimension=1"), "{ { 0, 1, 2 }, { 0, 1, 2 } }");
}

TEST(Gather, ClampsItsWindows) {
  EXPECT_EQ(ValueText(RunText(R"(
ENTRY e {
  x = s32[10] iota(), iota_dimension=0
  i = s32[2] constant({8, -2})
  ROOT r = s32[2,3] gather(x, i), offset_dims={1}, collapsed_slice_dims={}, start_index_map={0}, index_vector_dim=1, slice_sizes={3}
})")),
            "{ { 7, 8, 9 }, { 0, 1, 2 } }");
}

TEST(Gather, BatchingDimsFollowTheIndices) {
  EXPECT_EQ(ValueText(RunText(R"(
ENTRY e {
  g = s32[2,3,4] iota(), iota_dimension=0
  b = s32[2,3,4] iota(), iota_dimension=1
  c = s32[2,3,4] iota(), iota_dimension=2
  hundred = s32[] constant(100)
  ten = s32[] constant(10)
  hundreds = s32[2,3,4] broadcast(hundred), dimensions={}
  tens = s32[2,3,4] broadcast(ten), dimensions={}
  gg = s32[2,3,4] multiply(g, hundreds)
  bb = s32[2,3,4] multiply(b, tens)
  gb = s32[2,3,4] add(gg, bb)
  x = s32[2,3,4] add(gb, c)
  i = s32[2,2,1] constant({{{0}, {2}}, {{1}, {9}}})
  ROOT r = s32[2,2,4] gather(x, i), offset_dims={2}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1,4}
})")),
            "{ { { 0, 1, 2, 3 }, { 20, 21, 22, 23 } }, { { 110, 111, 112, 113 }, { 120, 121, 122, "
            "123 } } }");
}

constexpr char kScatterBodies[] = R"(
add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }
subtract { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] subtract(a, b) }
assign { a = s32[] parameter(0) ROOT b = s32[] parameter(1) }
)";

TEST(Scatter, SkipsWindowsThatDoNotFit) {
  EXPECT_EQ(ValueText(RunText(absl::StrCat(kScatterBodies, R"(
ENTRY e {
  x = s32[4] constant({0, 0, 0, 0})
  i = s32[3,1] constant({{-1}, {3}, {1}})
  u = s32[3,2] constant({{1, 1}, {1, 1}, {1, 1}})
  ROOT r = s32[4] scatter(x, i, u), update_window_dims={1}, inserted_window_dims={}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add
})"))),
            "{0, 1, 1, 0}");
}

TEST(Scatter, CombinesDuplicatesInRowMajorOrder) {
  const auto run = [](absl::string_view body) {
    return ValueText(RunText(absl::StrCat(kScatterBodies, R"(
ENTRY e {
  x = s32[4] constant({1, 2, 3, 4})
  i = s32[3,1] constant({{1}, {1}, {-1}})
  u = s32[3] constant({10, 20, 30})
  ROOT r = s32[4] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=)",
                                          body, "\n}\n")));
  };
  EXPECT_EQ(run("subtract"), "{1, -28, 3, 4}");
  EXPECT_EQ(run("assign"), "{1, 20, 3, 4}");
}

TEST(Scatter, AssignmentLeavesASharedOperandAlone) {
  EXPECT_EQ(ValueText(RunText(absl::StrCat(kScatterBodies, R"(
ENTRY e {
  x = s32[2] constant({1, 2})
  i = s32[1,1] constant({{0}})
  u = s32[1] constant({7})
  s = s32[2] scatter(x, i, u), update_window_dims={}, inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=assign
  ROOT r = (s32[2], s32[2]) tuple(x, s)
})"))),
            "( {1, 2}, {7, 2} )");
}

}  // namespace
}  // namespace astitch
