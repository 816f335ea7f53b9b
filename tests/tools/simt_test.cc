// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// astitch-simt as a user meets it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "nlohmann/json.hpp"
#include "tests/tools/command.h"

namespace astitch {
namespace {

using testing::HasSubstr;

std::string Ptx(const std::string& name) { return ASTITCH_TEST_DATA "/simt/" + name; }

std::vector<std::string> TwoPhase(std::vector<std::string> more = {}) {
  std::vector<std::string> out = {Ptx("two_phase.ptx"), "--grid=4",          "--block=256",
                                  "--smem=64",          "--arg=1024xf32=2",  "--arg=out:4xf32",
                                  "--arg=inout:u32=0",  "--arg=out:1024xf32"};
  out.insert(out.end(), more.begin(), more.end());
  return out;
}

TEST(AstitchSimt, ShowsOutputsAndCounts) {
  const CommandResult r = RunCommand("astitch-simt", TwoPhase());
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, HasSubstr("out0 f32[4] {512, 512, 512, 512}"));
  EXPECT_THAT(r.out, HasSubstr("out1 u32[] {2147483648}"));
  EXPECT_THAT(r.out, HasSubstr("stage 1.1 %y"));
  EXPECT_THAT(r.out, HasSubstr("DRAM sectors read 128"));
}

TEST(AstitchSimt, EveryOrderGivesTheSameOutputs) {
  for (const char* order :
       {"--order=forward", "--order=reverse", "--order=random", "--order=starve"}) {
    const CommandResult r = RunCommand("astitch-simt", TwoPhase({order, "--seed=5"}));
    EXPECT_EQ(r.exit_code, 0) << r.err;
    EXPECT_THAT(r.out, HasSubstr("min -2046 max -2046"));
  }
}

TEST(AstitchSimt, ReportsExitThreeAtTheirLines) {
  const CommandResult r =
      RunCommand("astitch-simt", {Ptx("vadd.ptx"), "--grid=2", "--block=64", "--arg=100xf32=2",
                                  "--arg=100xf32=3", "--arg=out:400", "--arg=s32=101"});
  EXPECT_EQ(r.exit_code, 3);
  EXPECT_THAT(r.err, HasSubstr("vadd.ptx:41:1: error: out of bounds (stage 0.0 %add)"));
  EXPECT_THAT(r.err, HasSubstr("4 bytes at offset 400 of buffer arg"));
  EXPECT_THAT(r.err, HasSubstr("ld.global.nc.b32"));
}

TEST(AstitchSimt, LaunchesThatAreRefusedExitFour) {
  const CommandResult r = RunCommand("astitch-simt", TwoPhase({"--cooperative", "--resident=3"}));
  EXPECT_EQ(r.exit_code, 4);
  EXPECT_THAT(r.err, HasSubstr("cooperative grid of 4 blocks is refused: 3 are resident"));
  const CommandResult hangs = RunCommand("astitch-simt", TwoPhase({"--resident=3"}));
  EXPECT_EQ(hangs.exit_code, 3);
  EXPECT_THAT(hangs.err, HasSubstr("non-resident barrier (stage 1.0 %barrier)"));
}

TEST(AstitchSimt, UserErrorsExitOne) {
  for (const auto& [arguments, message] :
       std::vector<std::pair<std::vector<std::string>, const char*>>{
           {{}, "FILE is required"},
           {{"/nowhere.ptx"}, "/nowhere.ptx"},
           {{Ptx("vadd.ptx")}, "expected 4 arguments, got 0"},
           {{Ptx("vadd.ptx"), "--arg=3xf32=1,2"}, "--arg=3xf32=1,2"},
           {{Ptx("vadd.ptx"), "--grid=0"}, "expected X, X,Y or X,Y,Z, got '0'"},
           {{Ptx("vadd.ptx"), "--kernel=other"}, "the module has vadd"},
           {{Ptx("vadd.ptx"), "--order=sideways"}, "sideways"},
       }) {
    const CommandResult r = RunCommand("astitch-simt", arguments);
    EXPECT_EQ(r.exit_code, 1) << message << r.err;
    EXPECT_THAT(r.err, HasSubstr(message));
  }
  const CommandResult bad = RunCommand("astitch-simt", {"-"}, ".visible .entry k() { frob.b32; }");
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_THAT(bad.err, HasSubstr("<stdin>:1:23: error: unknown instruction frob"));
}

TEST(AstitchSimt, JsonHoldsReportsAndStages) {
  const CommandResult r = RunCommand("astitch-simt", TwoPhase({"--json"}));
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const auto json = nlohmann::json::parse(r.out);
  EXPECT_TRUE(json["reports"].empty());
  EXPECT_EQ(json["stages"].back()["buffers"]["arg3"]["l2_store_sectors"], 128);
}

TEST(AstitchSimt, OutputsGoToAFile) {
  const std::string file = FreshFolder() + "/out.npz";
  const CommandResult r = RunCommand("astitch-simt", TwoPhase({"--output=@" + file}));
  ASSERT_EQ(r.exit_code, 0) << r.err;
  EXPECT_TRUE(ReadFile(file).ok());
  EXPECT_THAT(r.out, testing::Not(HasSubstr("out0")));
}

}  // namespace
}  // namespace astitch
