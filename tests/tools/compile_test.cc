// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// astitch-compile as a user meets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>
#include <string>

#include "base/file.h"
#include "nlohmann/json.hpp"
#include "tests/tools/command.h"

namespace astitch {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

CommandResult RunCompile(const std::vector<std::string>& arguments, const std::string& in = "",
                         const std::string& out_path = "") {
  return RunCommand("astitch-compile", arguments, in, out_path);
}

TEST(AstitchCompile, PrintsThePlanThatItReadsBack) {
  const CommandResult plan = RunCompile({ToolData("softmax.hlo")});
  ASSERT_EQ(plan.exit_code, 0) << plan.err;
  EXPECT_THAT(plan.out, StartsWith("plan "));
  EXPECT_THAT(plan.err, IsEmpty());
  const CommandResult again = RunCompile({"--emit", "plan", "-"}, plan.out);
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(again.out, plan.out);
}

TEST(AstitchCompile, TheSameTextEveryTime) {
  const std::vector<std::string> arguments = {ToolData("softmax.hlo"), "--emit=asm"};
  const CommandResult r = RunCompile(arguments);
  ASSERT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(RunCompile(arguments).out, r.out);
}

TEST(AstitchCompile, SeveralKindsFillAFolder) {
  const std::string folder = FreshFolder();
  const CommandResult r = RunCompile({ToolData("softmax.hlo"), "-o", folder + "/out",
                                      "--emit=hlo,plan,ledger,ledger.json,report,llvm,asm"});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, IsEmpty());
  std::set<std::string> extensions;
  for (const auto& entry : std::filesystem::directory_iterator(folder + "/out")) {
    extensions.insert(entry.path().extension().string());
    EXPECT_FALSE(ReadFile(entry.path().string()).value().empty()) << entry.path();
  }
  EXPECT_THAT(extensions, testing::ElementsAre(".hlo", ".html", ".json", ".ll", ".s", ".txt"));
  const std::string json = ReadFile(folder + "/out/ledger.json").value();
  EXPECT_FALSE(nlohmann::json::parse(json, nullptr, false).is_discarded());
  std::filesystem::remove_all(folder);
}

TEST(AstitchCompile, JsonTurnsTheLedgerIntoJson) {
  const CommandResult r = RunCompile({ToolData("softmax.hlo"), "--emit=ledger", "--json"});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  EXPECT_FALSE(nlohmann::json::parse(r.out, nullptr, false).is_discarded());
}

TEST(AstitchCompile, TimeReportNamesThePhasesOnStandardError) {
  const CommandResult r =
      RunCompile({ToolData("softmax.hlo"), "--emit=asm", "--time-report", "-o", "/dev/null"});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  for (const char* phase : {"parse", "passes", "plan", "codegen", "load", "total"}) {
    EXPECT_THAT(r.err, HasSubstr(phase));
  }
}

// In its place a script, which says that a thread needs so many registers as the plan leaves, and one.
TEST(AstitchCompile, PlansAgainWhatSpillsInTheAssembler) {
  const std::string softmax = ASTITCH_TEST_DATA "/performance/softmax_f32.hlo";
  const CommandResult before = RunCompile({softmax, "--target=a100"});
  ASSERT_EQ(before.exit_code, 0) << before.err;
  const size_t at = before.out.find("registers=") + 10;
  const int cap = std::stoi(before.out.substr(at));
  const std::string script = FreshFolder() + "/ptxas";
  ASSERT_TRUE(WriteFile(script,
                        "#!/bin/sh\ncap=$(sed -n 's/.*maxnreg *\\([0-9]*\\).*/\\1/p' $5)\n"
                        "test $cap -gt " +
                            std::to_string(cap) +
                            " && spilled=0 || spilled=4\n"
                            "echo \"$spilled bytes spill stores\"\n"
                            "echo \"Used $cap registers\"\n")
                  .ok());
  std::filesystem::permissions(script, std::filesystem::perms::owner_all);
  const CommandResult after = RunCompile({softmax, "--target=a100", "--ptxas=" + script});
  ASSERT_EQ(after.exit_code, 0) << after.err;
  EXPECT_GT(std::stoi(after.out.substr(after.out.find("registers=") + 10)), cap);
  EXPECT_THAT(after.out, HasSubstr("assembler-needs-more"));
  // A plan's launches are what somebody wrote.
  const CommandResult plan =
      RunCompile({"-", "--input-format=plan", "--ptxas=" + script}, before.out);
  EXPECT_EQ(plan.exit_code, 1) << plan.err;
  EXPECT_THAT(plan.err, HasSubstr("expected a graph with an assembler, got a plan"));
}

TEST(AstitchCompile, UserErrorsExitOneAndSayWhy) {
  struct Case {
    std::vector<std::string> arguments;
    const char* message;
  };
  const std::string softmax = ToolData("softmax.hlo");
  for (const Case& c : std::vector<Case>{
           {{softmax, "--emit=plam"}, "did you mean plan"},
           {{softmax, "--emit=plan,ledger"}, "-o FOLDER"},
           {{softmax, "--fusion=stich"}, "--fusion"},
           {{softmax, "--target=hots"}, "hots"},
           {{softmax, "--tagret=host"}, "did you mean --target"},
           {{softmax, "--emit=ptx"}, "this target has no ptx"},
           {{softmax, "--wide-indices"}, "expected a GPU as target"},
           {{softmax, "--ptxas=ptxas"}, "expected a GPU as target"},
           {{softmax, "--target=a100", "--ptxas=/nowhere/ptxas"}, "/nowhere/ptxas"},
           {{softmax, "-o", "/nowhere/plan.txt"}, "/nowhere/plan.txt"},
           {{softmax, "--input-format=plan"}, "softmax.hlo:1:1: error: "},
           {{ToolData("bad_shape.hlo")}, "bad_shape.hlo:6:"},
           {{ToolData("elided.hlo")}, "constant %weights"},
           {{"/nowhere.hlo"}, "cannot open /nowhere.hlo"},
       }) {
    const CommandResult r = RunCompile(c.arguments);
    EXPECT_EQ(r.exit_code, 1) << c.message << "\n" << r.err;
    EXPECT_THAT(r.err, HasSubstr(c.message));
    EXPECT_THAT(r.out, IsEmpty());
  }
}

TEST(AstitchCompile, DamagedPlansAreErrorsWithAPlace) {
  const std::string plan = RunCompile({ToolData("softmax.hlo")}).out;
  for (const size_t at : {plan.find("kernel"), plan.find("graph\n"), plan.find("HloModule")}) {
    ASSERT_NE(at, std::string::npos);
    std::string damaged = plan;
    damaged[at] = '?';
    const CommandResult r = RunCompile({"-", "--input-format=plan"}, damaged);
    EXPECT_EQ(r.exit_code, 1) << r.err;
    EXPECT_THAT(r.err, HasSubstr("error: "));
  }
}

TEST(AstitchCompile, AFailingWriteLeavesNothing) {
  EXPECT_EQ(RunCompile({ToolData("softmax.hlo")}, "", "/dev/full").exit_code, 1);
  const std::string folder = FreshFolder();
  const std::string file = folder + "/plan.txt";
  EXPECT_EQ(RunCompile({ToolData("bad_syntax.hlo"), "-o", file}).exit_code, 1);
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace astitch
