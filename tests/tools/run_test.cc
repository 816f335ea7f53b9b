// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// astitch-run as a user meets it: exit codes, streams, files, error text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "base/file.h"
#include "tensor_io/npy.h"
#include "tensor_io/zip.h"
#include "tests/tools/command.h"

namespace astitch {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

CommandResult RunInterp(std::vector<std::string> arguments, const std::string& in = "",
                        const std::string& out_path = "") {
  arguments.push_back("--target=interp");
  return RunCommand("astitch-run", arguments, in, out_path);
}

const char kX[] = "--input=2x2xf32=1,2,3,4";
const char kY[] = "--input=2x2xf32=10,20,30,40";

TEST(AstitchRun, PrintsShapesElementsAndStatistics) {
  const CommandResult r = RunInterp({ToolData("add.hlo"), kX, kY});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_EQ(r.out,
            "out0 f32[2,2] {11, 22, 33, 44} min 11 max 44 mean 27.5\n"
            "out1 s32[] {1}\n");
  EXPECT_THAT(r.err, IsEmpty());
}

TEST(AstitchRun, ReadsStandardInput) {
  const std::string text = ReadFile(ToolData("add.hlo")).value();
  EXPECT_EQ(RunInterp({"-", kX, kY}, text).exit_code, 0);
  EXPECT_THAT(RunInterp({"-"}, "HloModule").err, StartsWith("<stdin>:1:"));
}

TEST(AstitchRun, HelpAndVersionGoToStandardOutput) {
  const CommandResult help = RunCommand("astitch-run", {"--help"});
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_THAT(help.out, AllOf(HasSubstr("--input"), HasSubstr("--expect")));
  const CommandResult version = RunCommand("astitch-run", {"--version"});
  EXPECT_EQ(version.exit_code, 0);
  EXPECT_THAT(version.out,
              AllOf(StartsWith("astitch 0."), HasSubstr("(git "), HasSubstr("LLVM 22.1")));
}

TEST(AstitchRun, UserErrorsExitOneAndSayWhy) {
  struct Case {
    std::vector<std::string> arguments;
    const char* message;
  };
  const std::string add = ToolData("add.hlo");
  for (const Case& c : std::vector<Case>{
           {{add, "--imput=f32=1"}, "unknown flag --imput; did you mean --input"},
           {{"--targt=host"}, "unknown flag --targt; did you mean --target"},
           {{add, "-q"}, "unknown flag -q"},
           {{}, "IN is required"},
           {{add, "--repeat=0"}, "--repeat"},
           {{"/nowhere/x.hlo"}, "cannot open /nowhere/x.hlo: No such file or directory"},
           {{ToolData("")}, "Is a directory"},
           {{add}, "no value for arg0 f32[2,2], arg1 f32[2,2]"},
           {{add, kX}, "no value for arg1"},
           {{add, kX, "--input=2xf32=1"}, "arg1: expected f32[2,2], got f32[2]"},
           {{add, kX, "--input=2x2xf32=1,2,x,4"}, "'x' is not a value of f32"},
           {{add, kX, kY, kY}, "more values than the graph's 2"},
           {{add, "--input=@/nowhere.npz"}, "/nowhere.npz"},
           {{add, "--input=@/tmp"}, "Is a directory"},
           {{add, "--input=@" + ToolData("truncated.npz")}, "not a valid zip archive"},
           {{add, "--input=@" + add}, "not a valid npy file"},
           {{add, "--manifest=" + ToolData("broken.json")},
            "broken.json:1:13: error: not valid JSON"},
           {{add, "--input=random:x"}, "whole number after 'random:'"},
           {{ToolData("elided.hlo"), "--elided=twos"}, "expected zeros, ones or random:SEED"},
       }) {
    const CommandResult r = RunInterp(c.arguments);
    EXPECT_EQ(r.exit_code, 1) << c.message << "\n" << r.err;
    EXPECT_THAT(r.err, HasSubstr(c.message));
    EXPECT_THAT(r.out, IsEmpty());
  }
}

TEST(AstitchRun, MalformedGraphsAreShownWithACaret) {
  for (const char* name : {"bad_shape.hlo", "bad_syntax.hlo"}) {
    const CommandResult r = RunInterp({ToolData(name)});
    EXPECT_EQ(r.exit_code, 1);
    EXPECT_THAT(r.err, testing::ContainsRegex(std::string(name) + ":[0-9]+:[0-9]+: error: "));
    EXPECT_THAT(r.err, testing::ContainsRegex("\n +\\^\n"));
  }
}

TEST(AstitchRun, ElidedConstantsAreNamedOrFilled) {
  const std::string graph = ToolData("elided.hlo");
  const CommandResult refused = RunInterp({graph, "--input=16xf32=3"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("elided.hlo:4:3: error: "),
                                 HasSubstr("constant %weights"), HasSubstr("--elided=zeros")));
  EXPECT_THAT(RunInterp({graph, "--input=16xf32=3", "--elided=ones"}).out,
              HasSubstr("min 3 max 3 mean 3"));
  EXPECT_THAT(RunInterp({graph, "--input=16xf32=3", "--elided=zeros"}).out,
              HasSubstr("min 0 max 0 mean 0"));
  const std::string random = RunInterp({graph, "--input=16xf32=3", "--elided=random:1"}).out;
  EXPECT_EQ(random, RunInterp({graph, "--input=16xf32=3", "--elided=random:1"}).out);
  EXPECT_NE(random, RunInterp({graph, "--input=16xf32=3", "--elided=random:2"}).out);
}

TEST(AstitchRun, WritesArraysThatReadBack) {
  const std::string folder = FreshFolder();
  const std::string archive = folder + "/out.npz";
  const CommandResult r = RunInterp({ToolData("add.hlo"), kX, kY, "--output=@" + archive});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, IsEmpty());
  const std::string file = ReadFile(archive).value();
  EXPECT_THAT(ZipArchive::Open(file).value().names(), testing::ElementsAre("out0.npy", "out1.npy"));
  // And serves as the expectation of the next run.
  const CommandResult again = RunInterp({ToolData("add.hlo"), kX, kY, "--expect=@" + archive});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("out0 as expected"));
  std::filesystem::remove_all(folder);
}

TEST(AstitchRun, Bf16TravelsAsBitPatterns) {
  const std::string folder = FreshFolder();
  const std::string file = folder + "/out.npy";
  const CommandResult r =
      RunInterp({ToolData("bf16.hlo"), "--input=2xbf16=1,-2", "--output=@" + file});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const Literal bits = DecodeNpy(ReadFile(file).value()).value();
  EXPECT_EQ(bits.shape().ToString(false), "u16[2]");
  EXPECT_EQ(bits.data<uint16_t>()[0], 0x4000);
  EXPECT_EQ(RunInterp({ToolData("bf16.hlo"), "--input=@" + file}).exit_code, 0);
  std::filesystem::remove_all(folder);
}

TEST(AstitchRun, MismatchExitsThreeAndNamesTheWorst) {
  const std::string add = ToolData("add.hlo");
  const CommandResult r = RunInterp({add, kX, kY, "--expect=2x2xf32=11,22,33,45"});
  EXPECT_EQ(r.exit_code, 3);
  EXPECT_THAT(r.out, HasSubstr("out0 differs: 1 of 4 wrong, worst at (1, 1): got 44, expected 45"));
  EXPECT_THAT(r.err, HasSubstr("error: the outputs are not the expected ones"));
  EXPECT_EQ(RunInterp({add, kX, kY, "--expect=2x2xf32=11,22,33,45", "--atol=1"}).exit_code, 0);
  EXPECT_EQ(RunInterp({add, kX, kY, "--expect=2x2xf32=11,22,33,45", "--rtol=0.1"}).exit_code, 0);
  // Integers compare exactly, whatever the tolerance.
  EXPECT_EQ(RunInterp({add, kX, kY, "--expect=2x2xf32=11,22,33,44", "--expect=s32=2", "--atol=9"})
                .exit_code,
            3);
}

TEST(AstitchRun, FailingWritesExitOneAndLeaveNoFile) {
  const std::string add = ToolData("add.hlo");
  for (const std::string& path : {std::string("/dev/full"), std::string("/nowhere/out.npz")}) {
    const CommandResult r =
        RunInterp({ToolData("bf16.hlo"), "--input=2xbf16=1", "--output=@" + path});
    EXPECT_EQ(r.exit_code, 1) << path;
    EXPECT_THAT(r.err, HasSubstr(path));
  }
  const std::string folder = FreshFolder();
  EXPECT_EQ(RunInterp({add, kX, kY, "--output=@" + folder + "/two.npy"}).exit_code, 1);
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  std::filesystem::remove_all(folder);
  EXPECT_EQ(RunInterp({add, kX, kY}, "", "/dev/full").exit_code, 1);
}

TEST(AstitchRun, RandomInputsDependOnTheSeedAlone) {
  const std::string add = ToolData("add.hlo");
  const std::string one = RunInterp({add, "--input=random:1"}).out;
  EXPECT_EQ(one, RunInterp({add, "--input=random:1"}).out);
  EXPECT_NE(one, RunInterp({add, "--input=random:2"}).out);
}

TEST(AstitchRun, InputsBeyondTheMemoryAreRefused) {
  const CommandResult r = RunInterp({ToolData("too_large.hlo"), "--input=random:1"});
  EXPECT_EQ(r.exit_code, 2);
  EXPECT_THAT(r.err, HasSubstr("the inputs and outputs take 800000000000 bytes"));
}

TEST(AstitchRun, JsonHasTheSameFacts) {
  const CommandResult r = RunInterp(
      {ToolData("add.hlo"), kX, kY, "--json", "--repeat=3", "--expect=2x2xf32=11,22,33,44"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, AllOf(HasSubstr("\"shape\": \"f32[2,2]\""), HasSubstr("\"mean\": 27.5"),
                           HasSubstr("\"right\": true"), HasSubstr("\"repeats\": 3")));
}

TEST(AstitchRun, TheExampleHoldsOnBothTargetsAndWithBothPlans) {
  const std::string folder = std::string(ASTITCH_SOURCE_DIR) + "/examples/bert_layer/small";
  for (const char* target : {"--target=interp", "--target=host", "--fusion=none"}) {
    const CommandResult r =
        RunCommand("astitch-run", {folder + "/module.hlo", "--input=@" + folder + "/inputs.npz",
                                   "--expect=@" + folder + "/expected.npz",
                                   "--manifest=" + folder + "/manifest.json", target});
    EXPECT_EQ(r.exit_code, 0) << r.err << r.out;
  }
}

TEST(AstitchRun, HostBuffersAreConvertedFromAndToTheEntryLayout) {
  // The second parameter and the result are column-major; arrays on the command line never are.
  const CommandResult r = RunCommand("astitch-run", {ToolData("add.hlo"), kX, kY, "--threads=1",
                                                     "--expect=2x2xf32=11,22,33,44", "--time"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, AllOf(HasSubstr("{11, 22, 33, 44}"), HasSubstr("time ms: min ")));
}

TEST(AstitchRun, ASimulatedGpuGivesTheSameValuesAndSaysWhatItMoved) {
  const CommandResult r = RunCommand(
      "astitch-run", {ToolData("add.hlo"), kX, kY, "--target=simt:sm_80", "--simt-report"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out, StartsWith("out0 f32[2,2] {11, 22, 33, 44} min 11 max 44 mean 27.5\n"));
  EXPECT_THAT(r.out, AllOf(HasSubstr("kernel k0."), HasSubstr("; the plan says "),
                           HasSubstr("warp instructions ")));
}

TEST(AstitchRun, ALaunchThatTheSimulatedGpuRefusesExitsFour) {
  const CommandResult r =
      RunCommand("astitch-run", {ASTITCH_TEST_DATA "/simulated/split-row-value-is-an-output.hlo",
                                 "--input=random:1", "--target=simt:a100", "--simt-resident=2"});
  EXPECT_EQ(r.exit_code, 4) << r.out;
  EXPECT_THAT(r.err, AllOf(HasSubstr("cooperative grid"), HasSubstr("2 are resident")));
}

TEST(AstitchRun, FlagsOfTheSimulatorAreRefusedElsewhere) {
  for (const char* target : {"--target=host", "--target=interp"}) {
    for (const char* flag : {"--simt-order=reverse", "--simt-seed=3", "--simt-resident=2",
                             "--simt-l2=4096", "--simt-report", "--wide-indices"}) {
      const CommandResult r =
          RunCommand("astitch-run", {ToolData("add.hlo"), kX, kY, target, flag});
      EXPECT_EQ(r.exit_code, 1) << target << " " << flag;
      EXPECT_THAT(r.err, HasSubstr("needs --target=simt:GPU")) << target << " " << flag;
      EXPECT_EQ(r.out, "");
    }
  }
}

TEST(AstitchRun, OnlyKnownGpusAreSimulated) {
  for (const auto& [target, word] :
       {std::pair("simt:foo", "unknown target foo"), std::pair("simt:host", "expected a GPU"),
        std::pair("cuda", "expected host, interp or simt:GPU")}) {
    const CommandResult r =
        RunCommand("astitch-run", {ToolData("add.hlo"), kX, kY, std::string("--target=") + target});
    EXPECT_EQ(r.exit_code, 1) << target;
    EXPECT_THAT(r.err, HasSubstr(word));
  }
}

TEST(AstitchRun, TimeReportNamesThePhases) {
  const CommandResult r = RunCommand("astitch-run", {ToolData("add.hlo"), kX, kY, "--time-report"});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  for (const char* phase : {"parse", "passes", "plan", "codegen", "load"}) {
    EXPECT_THAT(r.err, HasSubstr(phase));
  }
}

}  // namespace
}  // namespace astitch
