// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// astitch-reduce as a user meets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/tools/command.h"

namespace astitch {
namespace {

using testing::HasSubstr;
using testing::Not;

// Nothing runs a custom call of unknown meaning: the graph fails, and what is not needed for that goes.
constexpr char kCustomCall[] = R"(HloModule m
ENTRY e {
  x = f32[4,4] parameter(0)
  y = f32[4,4] add(x, x)
  s = f32[4,4] custom-call(y), custom_call_target="mystery"
  ROOT t = (f32[4,4], f32[4,4]) tuple(s, y)
})";

TEST(AstitchReduce, KeepsWhatFails) {
  const CommandResult r = RunCommand("astitch-reduce", {"-"}, kCustomCall);
  ASSERT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("custom-call(parameter)"));
  EXPECT_THAT(r.out, Not(HasSubstr("add(")));
  EXPECT_THAT(r.err, HasSubstr("custom call target \"mystery\" is not implemented"));
}

TEST(AstitchReduce, AGraphThatIsRightIsAnError) {
  for (const char* target : {"--target=host", "--target=simt:sm_80"}) {
    const CommandResult r = RunCommand("astitch-reduce", {ToolData("softmax.hlo"), target});
    EXPECT_EQ(r.exit_code, 1) << target;
    EXPECT_EQ(r.out, "");
    EXPECT_THAT(r.err, HasSubstr("expected a graph that fails"));
  }
}

TEST(AstitchReduce, TuplesAndComplexNumbersHaveValuesToo) {
  constexpr char kRight[] = R"(HloModule m
ENTRY e {
  p = (f32[4], (s32[4], c64[4])) parameter(0)
  x = f32[4] get-tuple-element(p), index=0
  q = (s32[4], c64[4]) get-tuple-element(p), index=1
  n = s32[4] get-tuple-element(q), index=0
  z = c64[4] get-tuple-element(q), index=1
  a = s32[4] add(n, n)
  r = f32[4] real(z)
  ROOT t = (f32[4], s32[4], f32[4], c64[4]) tuple(x, a, r, z)
})";
  const CommandResult r = RunCommand("astitch-reduce", {"-"}, kRight);
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_THAT(r.err, HasSubstr("expected a graph that fails"));
}

TEST(AstitchReduce, AFlagThatMeansNothingIsNoFailureOfTheGraph) {
  for (const char* flag : {"--target=nosuch", "--target=simt:nosuch", "--target=sm_80",
                           "--fusion=everything", "--order=upwards"}) {
    const CommandResult r = RunCommand("astitch-reduce", {ToolData("softmax.hlo"), flag});
    EXPECT_EQ(r.exit_code, 1) << flag;
    EXPECT_EQ(r.out, "") << flag;
    EXPECT_THAT(r.err, HasSubstr("error")) << flag;
  }
}

TEST(AstitchReduce, ACommandSaysWhatFails) {
  const CommandResult r =
      RunCommand("astitch-reduce",
                 {ToolData("softmax.hlo"), "--command=grep -q exponential {} && exit 1; true"});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("exponential(parameter)"));
  EXPECT_THAT(r.out, Not(HasSubstr("reduce(")));
}

}  // namespace
}  // namespace astitch
