// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Stacks: what lies side by side so that nothing moves it, and what cannot.
#include "stitch/stacks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "plan/least.h"
#include "plan/storage.h"
#include "stitch/machine.h"
#include "tests/stitch/planned.h"

namespace astitch {
namespace {

// Three states of a layer, 8192 bytes each, of which a product reads the first two: %h1, %h2, %h3.
constexpr absl::string_view kStates = R"(
    x = f32[128,16] parameter(0)
    w = f32[16,16] parameter(1)
    d1 = f32[128,16] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    h1 = f32[128,16] tanh(d1)
    d2 = f32[128,16] dot(h1, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    h2 = f32[128,16] tanh(d2)
    d3 = f32[128,16] dot(h2, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    h3 = f32[128,16] tanh(d3)
)";
// Side by side along the middle dimension.
constexpr absl::string_view kInTheMiddle = R"(
    r1 = f32[128,1,16] reshape(h1)
    r2 = f32[128,1,16] reshape(h2)
    r3 = f32[128,1,16] reshape(h3)
    s = f32[128,3,16] concatenate(r1, r2, r3), dimensions={1}
)";

Plan Planned(absl::string_view lines) {
  return PlanOf(absl::StrCat(kStates, lines), FindMachine("a100").value());
}

// Each piece of each stack that a product reads, with its byte in the stack's memory.
std::vector<std::string> PiecesOf(const Plan& plan) {
  const Storage storage(plan);
  std::vector<std::string> out;
  for (const BufferPlan& buffer : plan.buffers) {
    if (!storage.IsStack(storage.Of(buffer.value))) continue;
    for (const Storage::Part& part : storage.PartsOf(buffer.value)) {
      out.push_back(absl::StrCat(part.value->name(), " at ",
                                 plan.FindBuffer(part.value)->offset - buffer.offset));
    }
  }
  return out;
}

const DotCall& LastDot(const Plan& plan) {
  const DotCall* last = nullptr;
  for (const PlanStep& step : plan.steps) {
    if (const auto* dot = std::get_if<DotCall>(&step)) last = dot;
  }
  return *last;
}

std::string StridesOf(const StridedOperand& operand) { return absl::StrJoin(operand.strides, ","); }

TEST(Stacks, LieWhereTheirPiecesAreWritten) {
  const Plan plan = Planned(absl::StrCat(kInTheMiddle, R"(
    d = f32[128,3,16] dot(s, w), lhs_contracting_dims={2}, rhs_contracting_dims={0}
    ROOT e = f32[128,3,16] exponential(d))"));
  EXPECT_THAT(PiecesOf(plan), testing::ElementsAre("h1 at 0", "h2 at 8192", "h3 at 16384"));
  // A product for each state, which lands in the rows of the whole.
  const DotCall& dot = LastDot(plan);
  EXPECT_THAT(dot.batch, testing::ElementsAre(3));
  EXPECT_EQ(dot.m, 128);
  EXPECT_EQ(StridesOf(dot.lhs), "2048,16,1");
  EXPECT_EQ(StridesOf(dot.rhs), "0,16,1");
  EXPECT_EQ(StridesOf(dot.out), "16,48,1");
  // Each kernel has a product's result and leaves its state; none has more.
  EXPECT_EQ(plan.num_kernels(), 4);
  const int64_t state = 128 * 16 * 4;
  EXPECT_EQ(plan.total_traffic().read + plan.total_traffic().written, 6 * state + 2 * 3 * state);
  const LeastPlan least = LeastOf(plan);
  EXPECT_EQ(least.bytes, 6 * state + 2 * 3 * state);
  EXPECT_EQ(least.kernels, 4);
}

TEST(Stacks, NeedNoBatchWhereTheStatesAreRows) {
  const Plan plan = Planned(R"(
    s = f32[384,16] concatenate(h1, h2, h3), dimensions={0}
    d = f32[384,16] dot(s, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    ROOT e = f32[384,16] exponential(d))");
  EXPECT_THAT(PiecesOf(plan), testing::ElementsAre("h1 at 0", "h2 at 8192", "h3 at 16384"));
  EXPECT_THAT(LastDot(plan).batch, testing::IsEmpty());
  EXPECT_EQ(LastDot(plan).m, 384);
}

TEST(Stacks, HoldCopiesOfWhatHasToLieElsewhere) {
  // The last state is a result as well, the first piece an input, and one is there twice.
  const Plan plan = Planned(R"(
    s = f32[640,16] concatenate(x, h1, h2, h3, h1), dimensions={0}
    d = f32[640,16] dot(s, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    e = f32[640,16] exponential(d)
    ROOT t = (f32[640,16], f32[128,16]) tuple(e, h3))");
  EXPECT_THAT(PiecesOf(plan), testing::IsEmpty()) << "two of five pieces are in memory anyway";
  const Plan most = Planned(R"(
    s = f32[512,16] concatenate(x, h1, h2, h3), dimensions={0}
    d = f32[512,16] dot(s, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    e = f32[512,16] exponential(d)
    ROOT t = (f32[512,16], f32[128,16]) tuple(e, h3))");
  EXPECT_THAT(PiecesOf(most),
              testing::ElementsAre("x.1 at 0", "h1 at 8192", "h2 at 16384", "h3.1 at 24576"));
}

TEST(Stacks, AreForProductsAlone) {
  for (const char* lines : {
           // Somebody else reads it.
           R"(
    d = f32[128,3,16] dot(s, w), lhs_contracting_dims={2}, rhs_contracting_dims={0}
    ROOT e = f32[128,3,16] multiply(d, s))",
           // It is a result.
           R"(
    d = f32[128,3,16] dot(s, w), lhs_contracting_dims={2}, rhs_contracting_dims={0}
    ROOT t = (f32[128,3,16], f32[128,3,16]) tuple(d, s))",
       }) {
    EXPECT_THAT(PiecesOf(Planned(absl::StrCat(kInTheMiddle, lines))), testing::IsEmpty()) << lines;
  }
}

TEST(Stacks, HaveTransposedPiecesAsTheyAre) {
  const Plan plan = Planned(R"(
    p = f32[16,16] parameter(2)
    t = f32[16,16] transpose(p), dimensions={1,0}
    s = f32[400,16] concatenate(h1, h2, h3, t), dimensions={0}
    ROOT d = f32[400,16] dot(s, w), lhs_contracting_dims={1}, rhs_contracting_dims={0})");
  EXPECT_THAT(PiecesOf(plan),
              testing::ElementsAre("h1 at 0", "h2 at 8192", "h3 at 16384", "t at 24576"));
}

// One product can read a stack through its transposition, the other cannot.
TEST(Stacks, AreMadeWhereOneReaderNeedsThem) {
  const Plan plan = Planned(absl::StrCat(kInTheMiddle, R"(
    u = f32[5,128] parameter(2)
    d = f32[128,3,16] dot(s, w), lhs_contracting_dims={2}, rhs_contracting_dims={0}
    e = f32[3,16,5] dot(s, u), lhs_contracting_dims={0}, rhs_contracting_dims={1}
    ROOT t = (f32[128,3,16], f32[3,16,5]) tuple(d, e))"));
  EXPECT_EQ(plan.num_library_calls(), 5);
}

TEST(Stacks, KeepTheArenaAligned) {
  // Pieces of 60 bytes would begin at odd places.
  const Plan plan = PlanOf(R"(
    x = f32[3,5] parameter(0)
    w = f32[5,5] parameter(1)
    h1 = f32[3,5] dot(x, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    h2 = f32[3,5] dot(h1, w), lhs_contracting_dims={1}, rhs_contracting_dims={0}
    s = f32[6,5] concatenate(h1, h2), dimensions={0}
    ROOT d = f32[6,5] dot(s, w), lhs_contracting_dims={1}, rhs_contracting_dims={0})",
                           FindMachine("a100").value());
  EXPECT_THAT(PiecesOf(plan), testing::IsEmpty());
}

}  // namespace
}  // namespace astitch
