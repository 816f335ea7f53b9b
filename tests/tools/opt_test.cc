// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// astitch-opt as a user meets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "tests/tools/command.h"

namespace astitch {
namespace {

using testing::HasSubstr;

TEST(AstitchOpt, WithoutPassesPrintsAFixedPoint) {
  const CommandResult once = RunCommand("astitch-opt", {ToolData("add.hlo")});
  ASSERT_EQ(once.exit_code, 0) << once.err;
  EXPECT_EQ(RunCommand("astitch-opt", {"-"}, once.out).out, once.out);
}

TEST(AstitchOpt, RunsThePassesThatAreNamed) {
  const std::string graph = ToolData("dead.hlo");
  const CommandResult dce = RunCommand("astitch-opt", {graph, "--passes=dce"});
  ASSERT_EQ(dce.exit_code, 0) << dce.err;
  EXPECT_THAT(dce.out, testing::Not(HasSubstr("unused")));
  EXPECT_EQ(RunCommand("astitch-opt", {graph, "--passes=cse,dce"}).exit_code, 0);
  EXPECT_EQ(RunCommand("astitch-opt", {graph, "--passes=standard"}).exit_code, 0);
  // A list ends before the file that follows it.
  EXPECT_EQ(RunCommand("astitch-opt", {"--passes=dce", graph}).out, dce.out);
  EXPECT_EQ(RunCommand("astitch-opt", {"--passes", "dce", graph}).out, dce.out);
}

TEST(AstitchOpt, ListsPasses) {
  const CommandResult r = RunCommand("astitch-opt", {"--list-passes"});
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_THAT(r.out, testing::AllOf(HasSubstr("dce"), HasSubstr("cse"), HasSubstr("fold-reshape")));
}

TEST(AstitchOpt, UserErrorsExitOne) {
  struct Case {
    std::vector<std::string> arguments;
    const char* message;
  };
  for (const Case& c : std::vector<Case>{
           {{ToolData("add.hlo"), "--passes=dcf"}, "dce"},
           {{ToolData("add.hlo"), "--pases=dce"}, "did you mean --passes"},
           {{}, "IN is required"},
           {{ToolData("bad_syntax.hlo")}, "bad_syntax.hlo:"},
           {{ToolData("elided.hlo")}, "constant %weights"},
           {{ToolData("add.hlo"), "-o", "/nowhere/x.hlo"}, "/nowhere/x.hlo"},
       }) {
    const CommandResult r = RunCommand("astitch-opt", c.arguments);
    EXPECT_EQ(r.exit_code, 1) << c.message;
    EXPECT_THAT(r.err, HasSubstr(c.message));
  }
}

}  // namespace
}  // namespace astitch
