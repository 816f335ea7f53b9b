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

// Nothing runs a sort: the graph fails, and what is not needed for that goes.
constexpr char kSort[] = R"(HloModule m
lt { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = pred[] compare(a, b), direction=LT }
ENTRY e {
  x = f32[4,4] parameter(0)
  y = f32[4,4] add(x, x)
  s = f32[4,4] sort(y), dimensions={1}, to_apply=lt
  ROOT t = (f32[4,4], f32[4,4]) tuple(s, y)
})";

TEST(AstitchReduce, KeepsWhatFails) {
  const CommandResult r = RunCommand("astitch-reduce", {"-"}, kSort);
  ASSERT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("sort(parameter)"));
  EXPECT_THAT(r.out, Not(HasSubstr("add(")));
  EXPECT_THAT(r.err, HasSubstr("no kernel or library call for this operation"));
}

TEST(AstitchReduce, AGraphThatIsRightIsAnError) {
  for (const char* target : {"--target=host", "--target=simt:sm_80"}) {
    const CommandResult r = RunCommand("astitch-reduce", {ToolData("softmax.hlo"), target});
    EXPECT_EQ(r.exit_code, 1) << target;
    EXPECT_EQ(r.out, "");
    EXPECT_THAT(r.err, HasSubstr("expected a graph that fails"));
  }
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
