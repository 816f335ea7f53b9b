// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// join-updates: pieces side by side, slices of what they are of; or left alone.
#include "tests/passes/value_test_util.h"

namespace astitch {
namespace {

constexpr char kPass[] = "join-updates";

constexpr absl::string_view kPieces = R"(
  x = f32[5,2] constant({{1,2},{3,4},{5,6},{7,8},{9,10}})
  a = f32[1,2] constant({{-1,-2}})
  b = f32[2,2] constant({{-3,-4},{-5,-6}})
  c = f32[2,1] constant({{-7},{-8}})
  zero = s32[] constant(0)
  one = s32[] constant(1)
  two = s32[] constant(2)
  nine = s32[] constant(9)
)";

void ExpectJoined(absl::string_view lines, const char* value) {
  ExpectSameWithout("dynamic-update-slice", kPass, absl::StrCat(kPieces, lines), value);
}

TEST(JoinUpdates, PiecesAndWhatIsLeftBetween) {
  ExpectJoined(R"(u = f32[5,2] dynamic-update-slice(x, a, one, zero)
    ROOT v = f32[5,2] dynamic-update-slice(u, a, nine, zero))",
               "{ { 1, 2 }, { -1, -2 }, { 5, 6 }, { 7, 8 }, { -1, -2 } }");
}

TEST(JoinUpdates, TheLastOfPiecesThatOverlapWins) {
  ExpectJoined(R"(u = f32[5,2] dynamic-update-slice(x, b, one, zero)
    v = f32[5,2] dynamic-update-slice(u, a, two, zero)
    ROOT w = f32[5,2] dynamic-update-slice(v, b, nine, nine))",
               "{ { 1, 2 }, { -3, -4 }, { -1, -2 }, { -3, -4 }, { -5, -6 } }");
  ExpectJoined(R"(u = f32[5,2] dynamic-update-slice(x, a, two, zero)
    v = f32[5,2] dynamic-update-slice(u, b, one, zero)
    ROOT w = f32[5,2] dynamic-update-slice(v, a, one, zero))",
               "{ { 1, 2 }, { -1, -2 }, { -5, -6 }, { 7, 8 }, { 9, 10 } }");
}

TEST(JoinUpdates, AllOfAnArrayLeavesNothingOfWhatWasThere) {
  ExpectRewrite(kPass, R"(x = f32[2,8] parameter(0)
    a = f32[1,8] parameter(1)
    b = f32[1,8] parameter(2)
    zero = s32[] constant(0)
    one = s32[] constant(1)
    u = f32[2,8] dynamic-update-slice(x, a, one, zero)
    ROOT v = f32[2,8] dynamic-update-slice(u, b, zero, zero))",
                R"(x = f32[2,8]{1,0} parameter(0)
    a = f32[1,8]{1,0} parameter(1)
    b = f32[1,8]{1,0} parameter(2)
    ROOT concatenate = f32[2,8]{1,0} concatenate(b, a), dimensions={0})");
}

TEST(JoinUpdates, ASliceOfAnUpdateOrOfWhatIsBelow) {
  ExpectJoined(R"(u = f32[5,2] dynamic-update-slice(x, b, one, zero)
    v = f32[5,2] dynamic-update-slice(u, a, nine, zero)
    p = f32[1,2] slice(v), slice={[2:3], [0:2]}
    q = f32[2,1] slice(v), slice={[1:3], [1:2]}
    r = f32[1,2] slice(v), slice={[0:1], [0:2]}
    s = f32[1,2] slice(v), slice={[4:5], [0:2]}
    ROOT t = (f32[1,2], f32[2,1], f32[1,2], f32[1,2]) tuple(p, q, r, s))",
               "( { { -5, -6 } }, { {-4}, {-6} }, { { 1, 2 } }, { { -1, -2 } } )");
}

TEST(JoinUpdates, OneUpdateOtherDimensionsAndPlacesThatAreNotKnownStay) {
  ExpectUnchanged(kPass, absl::StrCat(kPieces, R"(
    ROOT u = f32[5,2] dynamic-update-slice(x, a, one, zero))"));
  ExpectUnchanged(kPass, absl::StrCat(kPieces, R"(
    u = f32[5,2] dynamic-update-slice(x, a, one, zero)
    i = s32[] parameter(0)
    ROOT v = f32[5,2] dynamic-update-slice(u, a, i, zero))"));
  ExpectUnchanged(kPass, absl::StrCat(kPieces, R"(
    ROOT u = f32[5,2] dynamic-update-slice(x, c, one, zero))"));
  ExpectUnchanged(kPass, absl::StrCat(kPieces, R"(
    u = f32[5,2] dynamic-update-slice(x, a, one, zero)
    v = f32[5,2] dynamic-update-slice(u, a, two, zero)
    s = f32[2,2] slice(u), slice={[1:3], [0:2]}
    ROOT t = (f32[5,2], f32[2,2]) tuple(v, s))"));
}

}  // namespace
}  // namespace astitch
