// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// select-branches: the same values and no conditional left, or the conditional as it was.
#include "tests/passes/value_test_util.h"

namespace astitch {
namespace {

constexpr char kPass[] = "select-branches";

constexpr absl::string_view kBranches = R"(
add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }
less { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = pred[] compare(a, b), direction=LT }
twice { x = f32[3] parameter(0) ROOT r = f32[3] add(x, x) }
spread { p = (f32[3], f32[]) parameter(0) x = f32[3] get-tuple-element(p), index=0
  s = f32[] get-tuple-element(p), index=1 b = f32[3] broadcast(s), dimensions={}
  t = f32[] reduce(x, s), dimensions={0}, to_apply=add c = f32[3] broadcast(t), dimensions={}
  ROOT r = f32[3] multiply(b, c) }
same { x = f32[3] parameter(0) ROOT r = f32[3] negate(x) }
sorts { x = f32[3] parameter(0) ROOT r = f32[3] sort(x), dimensions={0}, to_apply=less }
dots { x = f32[3] parameter(0) d = f32[] dot(x, x), lhs_contracting_dims={0}, rhs_contracting_dims={0}
  ROOT r = f32[3] broadcast(d), dimensions={} }
two { x = f32[3] parameter(0) s = f32[] constant(4) t = (f32[], f32[3]) tuple(s, x)
  ROOT r = ((f32[], f32[3]), f32[3]) tuple(t, x) }
other_two { p = (f32[], f32[3]) parameter(0) x = f32[3] get-tuple-element(p), index=1
  ROOT r = ((f32[], f32[3]), f32[3]) tuple(p, x) }
)";

std::string GraphOf(absl::string_view lines) {
  return absl::StrCat(kBranches,
                      "ENTRY main {\nx = f32[3] constant({1,2,3})\n"
                      "s = f32[] constant(10)\nt = (f32[3], f32[]) tuple(x, s)\n",
                      lines, "\n}\n");
}

TEST(SelectBranches, APredicateThatIsComputed) {
  for (const char* value : {"-1", "1"}) {
    ExpectSameWithout("conditional", kPass, GraphOf(absl::StrCat("v = f32[] constant(", value, R"()
      z = f32[] constant(0)
      p = pred[] compare(v, z), direction=LT
      ROOT c = f32[3] conditional(p, x, t), true_computation=twice, false_computation=spread)")));
  }
}

TEST(SelectBranches, AnIndexAndWhatLiesOutside) {
  for (const char* value : {"-5", "0", "1", "2", "7"}) {
    ExpectSameWithout("conditional", kPass, GraphOf(absl::StrCat("v = s32[] constant(", value, R"()
      i = s32[] negate(v)
      ROOT c = f32[3] conditional(i, x, t, x), branch_computations={twice, spread, same})")));
  }
}

TEST(SelectBranches, ResultsInTuples) {
  ExpectSameWithout("conditional", kPass, GraphOf(R"(p = pred[] is-finite(s)
    u = (f32[], f32[3]) tuple(s, x)
    ROOT c = ((f32[], f32[3]), f32[3]) conditional(p, u, x), true_computation=other_two, false_computation=two)"));
}

TEST(SelectBranches, OfAKnownChoiceOneBranchIsLeftWhateverItIs) {
  ExpectSameWithout("conditional", kPass, GraphOf(R"(p = pred[] constant(false)
    ROOT c = f32[3] conditional(p, x, x), true_computation=dots, false_computation=sorts)"),
                    "{1, 2, 3}");
  ExpectSameWithout("conditional", kPass, GraphOf(R"(i = s32[] constant(9)
    ROOT c = f32[3] conditional(i, x, x), branch_computations={sorts, dots})"),
                    "{14, 14, 14}");
}

TEST(SelectBranches, BranchesThatNeedStepsOfTheirOwnStay) {
  for (const char* branch : {"sorts", "dots"}) {
    ExpectUnchanged(kPass, GraphOf(absl::StrCat(R"(p = pred[] parameter(0)
      ROOT c = f32[3] conditional(p, x, x), true_computation=twice, false_computation=)",
                                                branch)));
  }
}

}  // namespace
}  // namespace astitch
