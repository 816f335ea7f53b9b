// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// sink-gather: few elements are gathered from memory, and the tree above is computed for them alone.
#include "tests/passes/pass_test_util.h"

namespace astitch {
namespace {

constexpr char kPass[] = "sink-gather";

constexpr absl::string_view kRows =
    "offset_dims={}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, "
    "start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1}";

TEST(SinkGather, AnElementOfARowOfALogSoftmax) {
  ExpectRewrite(kPass,
                absl::StrCat(R"(
    x = f32[4,32] parameter(0)
    m = f32[4] parameter(1)
    i = s32[4,1,1] parameter(2)
    mb = f32[4,32] broadcast(m), dimensions={0}
    d = f32[4,32] subtract(x, mb)
    ROOT g = f32[4,1] gather(d, i), )",
                             kRows),
                absl::StrCat(R"(
    x = f32[4,32] parameter(0)
    m = f32[4] parameter(1)
    i = s32[4,1,1] parameter(2)
    g.1 = f32[4,1] gather(x, i), )",
                             kRows, R"(
    mb.1 = f32[4,1] broadcast(m), dimensions={0}
    ROOT d.1 = f32[4,1] subtract(g.1, mb.1))"));
}

TEST(SinkGather, RowsTakenWholeKeepWhatIsSpreadAlongThem) {
  constexpr absl::string_view kWhole =
      "offset_dims={1}, collapsed_slice_dims={0}, start_index_map={0}, index_vector_dim=1, "
      "slice_sizes={1,8}";
  ExpectRewrite(kPass,
                absl::StrCat(R"(
    x = f32[64,8] parameter(0)
    s = f32[8] parameter(1)
    i = s32[4,1] parameter(2)
    sb = f32[64,8] broadcast(s), dimensions={1}
    d = f32[64,8] multiply(x, sb)
    ROOT g = f32[4,8] gather(d, i), )",
                             kWhole),
                absl::StrCat(R"(
    x = f32[64,8] parameter(0)
    s = f32[8] parameter(1)
    i = s32[4,1] parameter(2)
    g.1 = f32[4,8] gather(x, i), )",
                             kWhole, R"(
    sb.1 = f32[4,8] broadcast(s), dimensions={1}
    ROOT d.1 = f32[4,8] multiply(g.1, sb.1))"));
}

TEST(SinkGather, ManyElementsAndWhatVariesAlongTheIndexStay) {
  ExpectUnchanged(kPass, R"(
    x = f32[4,8] parameter(0)
    i = s32[4,8,1] parameter(1)
    d = f32[4,8] negate(x)
    ROOT g = f32[4,8] gather(d, i), offset_dims={}, collapsed_slice_dims={1}, start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0}, index_vector_dim=2, slice_sizes={1,1})");
  ExpectUnchanged(kPass, absl::StrCat(R"(
    x = f32[4,32] parameter(0)
    m = f32[32] parameter(1)
    i = s32[4,1,1] parameter(2)
    mb = f32[4,32] broadcast(m), dimensions={1}
    d = f32[4,32] subtract(x, mb)
    ROOT g = f32[4,1] gather(d, i), )",
                                      kRows));
  ExpectUnchanged(kPass, absl::StrCat(R"(
    x = f32[4,32] parameter(0)
    i = s32[4,1,1] parameter(1)
    r = f32[4,32] reverse(x), dimensions={1}
    ROOT g = f32[4,1] gather(r, i), )",
                                      kRows));
}

}  // namespace
}  // namespace astitch
