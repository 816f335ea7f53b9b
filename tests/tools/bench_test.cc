// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// astitch-bench as a user meets it: figures that belong together, not their size.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "nlohmann/json.hpp"
#include "tests/tools/command.h"

namespace astitch {
namespace {

using testing::HasSubstr;

TEST(AstitchBench, JsonHasARowForEachPlan) {
  const CommandResult r = RunCommand(
      "astitch-bench", {ToolData("softmax.hlo"), "--repeat=3", "--fusion=none,stitch", "--json"});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const nlohmann::json json = nlohmann::json::parse(r.out, nullptr, false);
  ASSERT_FALSE(json.is_discarded());
  EXPECT_GT(json["context"]["copy_gigabytes_per_second"].get<double>(), 0);
  ASSERT_EQ(json["benchmarks"].size(), 2u);
  const nlohmann::json &none = json["benchmarks"][0], &stitch = json["benchmarks"][1];
  EXPECT_EQ(none["name"], "softmax/none");
  EXPECT_EQ(stitch["name"], "softmax/stitch");
  EXPECT_EQ(stitch["iterations"], 3);
  EXPECT_LT(stitch["kernels"].get<int>(), none["kernels"].get<int>());
  EXPECT_LT(stitch["traffic_bytes"].get<double>(), none["traffic_bytes"].get<double>());
  EXPECT_GE(stitch["traffic_over_bound"].get<double>(), 1.0);
  EXPECT_GT(none["traffic_over_bound"].get<double>(), stitch["traffic_over_bound"].get<double>());
  EXPECT_GT(none["predicted_ms"].get<double>(), stitch["predicted_ms"].get<double>());
  EXPECT_EQ(stitch["predicted_library_ms"].get<double>(), 0);
  EXPECT_DOUBLE_EQ(stitch["predicted_over_measured"].get<double>(),
                   stitch["predicted_ms"].get<double>() / stitch["real_time"].get<double>());
  ASSERT_EQ(json["predictions"].size(), 2u);
  EXPECT_EQ(json["predictions"][1]["fusion"], "stitch");
  EXPECT_DOUBLE_EQ(json["predictions"][1]["geometric_mean"].get<double>(),
                   stitch["predicted_over_measured"].get<double>());
  EXPECT_EQ(json["predictions"][1]["most_graph"], "softmax");
  EXPECT_LE(stitch["min_time"].get<double>(), stitch["real_time"].get<double>());
  EXPECT_LE(stitch["real_time"].get<double>(), stitch["max_time"].get<double>());
}

TEST(AstitchBench, TheSimulatedGpuMovesWhatThePlanStates) {
  const CommandResult r = RunCommand(
      "astitch-bench", {ToolData("softmax.hlo"), "--simt=a100", "--fusion=stitch", "--json"});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const nlohmann::json json = nlohmann::json::parse(r.out, nullptr, false);
  ASSERT_EQ(json["kernels"].size(), 1u);
  const nlohmann::json& kernel = json["kernels"][0];
  EXPECT_EQ(kernel["dram_read_sectors"].get<int>() * 32, kernel["planned_read_bytes"].get<int>());
  EXPECT_EQ(kernel["dram_write_sectors"].get<int>() * 32, kernel["planned_write_bytes"].get<int>());
  EXPECT_EQ(kernel["bank_conflicts"].get<int>(), 0);
  EXPECT_THAT(RunCommand("astitch-bench", {ToolData("softmax.hlo"), "--simt=a100"}).out,
              HasSubstr("DRAM x plan"));
}

TEST(AstitchBench, TheTableNamesThePlansAndTheCopy) {
  const CommandResult r = RunCommand("astitch-bench", {ToolData("softmax.hlo"), "--repeat=1"});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  EXPECT_THAT(r.out,
              testing::AllOf(HasSubstr("softmax  none"), HasSubstr("softmax  stitch"),
                             HasSubstr("copy: "), HasSubstr("stitch: predicted over measured ")));
}

TEST(AstitchBench, UserErrorsExitOne) {
  struct Case {
    std::vector<std::string> arguments;
    const char* message;
  };
  for (const Case& c : std::vector<Case>{
           {{}, "GRAPH is required"},
           {{ToolData("softmax.hlo"), "--repeats=3"}, "did you mean --repeat"},
           {{ToolData("softmax.hlo"), "--fusion=all"}, "--fusion"},
           {{ToolData("softmax.hlo"), "--manifest=/nowhere.json"}, "/nowhere.json"},
           {{"/nowhere.hlo"}, "cannot open /nowhere.hlo"},
       }) {
    const CommandResult r = RunCommand("astitch-bench", c.arguments);
    EXPECT_EQ(r.exit_code, 1) << c.message;
    EXPECT_THAT(r.err, HasSubstr(c.message));
  }
}

TEST(AstitchBench, ComparesPlansWithoutRunningThem) {
  const CommandResult r = RunCommand(
      "astitch-bench", {"--plans=a100", "--json", "--fusion=none,stitch", ToolData("softmax.hlo")});
  ASSERT_EQ(r.exit_code, 0) << r.err;
  const auto plans = nlohmann::json::parse(r.out).at("plans");
  ASSERT_EQ(plans.size(), 2);
  EXPECT_GT(plans[0].at("kernels"), 1);
  EXPECT_EQ(plans[0].at("least_kernels"), 1);
  EXPECT_EQ(plans[1].at("kernels"), 1);
  EXPECT_EQ(plans[1].at("bytes"), plans[1].at("least_bytes"));
  EXPECT_GT(plans[0].at("predicted_kernels_us"), plans[1].at("predicted_kernels_us"));
  EXPECT_EQ(plans[1].at("predicted_others_us"), 0);
  EXPECT_THAT(RunCommand("astitch-bench", {ToolData("softmax.hlo"), "--plans=a100"}).out,
              testing::HasSubstr("stitch: 1.00 kernels a graph, traffic 1.000 of the least"));
}

TEST(AstitchBench, FlagsThatWouldDoNothingAreErrors) {
  for (const char* flag : {"--repeat=3", "--threads=1", "--simt=a100", "--manifest=m.json"}) {
    const CommandResult r =
        RunCommand("astitch-bench", {ToolData("softmax.hlo"), "--plans=a100", flag});
    EXPECT_NE(r.exit_code, 0) << flag;
    EXPECT_THAT(r.err, testing::HasSubstr("excludes")) << flag;
  }
  EXPECT_NE(
      RunCommand("astitch-bench", {ToolData("softmax.hlo"), "--simt=a100", "--repeat=3"}).exit_code,
      0);
}

}  // namespace
}  // namespace astitch
