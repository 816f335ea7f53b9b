// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Machines: the embedded files are sound, aliases find them, faulty files say what is wrong.
#include "stitch/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "stitch/host_machine.h"

namespace astitch {
namespace {

TEST(Machine, EveryEmbeddedFileReadsAndHasItsFigures) {
  EXPECT_EQ(ListMachines().size(), 11u);
  for (const std::string& name : ListMachines()) {
    const auto machine = FindMachine(name);
    ASSERT_TRUE(machine.ok()) << machine.status();
    EXPECT_GT(machine->num_sms, 0) << name;
    EXPECT_GT(machine->dram_gb_per_s, 0) << name;
    EXPECT_GE(machine->shared_bytes_per_sm, machine->shared_bytes_per_block) << name;
  }
}

// Fields that the cost model goes by.
constexpr const char* kGpuSpeeds[] = {
    "dram_gb_per_s",        "reachable_share", "clock_ghz",       "fp32_lanes_per_sm",
    "fp64_lanes_per_sm",    "l2_gb_per_s",     "dram_latency_ns", "l2_latency_ns",
    "special_lanes_per_sm", "matrix_tflops",   "launch_us",       "grid_barrier_us",
    "block_barrier_ns"};

TEST(Machine, EveryFigureOfTheEmbeddedFilesHasItsSource) {
  for (const std::string& name : ListMachines()) {
    const MachineModel machine = FindMachine(name).value();
    for (const char* field : kGpuSpeeds) {
      ASSERT_TRUE(machine.sources.contains(field)) << name << " " << field;
      EXPECT_THAT(machine.sources.at(field), testing::Not(testing::HasSubstr("default")))
          << name << " " << field;
    }
    EXPECT_TRUE(machine.sources.contains("cluster_barrier_ns")) << name;
  }
}

// The products of lanes and clock are what data sheets give as peaks, in TFLOPS.
TEST(Machine, LanesAndClockMakeThePeakOfTheDataSheet) {
  const std::pair<const char*, double> kPeaks[] = {
      {"v100", 15.7},    {"t4", 8.1},  {"a100", 19.5},    {"l4", 30.3},
      {"rtx4090", 82.6}, {"h100", 67}, {"rtx3090", 35.6}, {"rtx5090", 104.8}};
  for (const auto& [name, peak] : kPeaks) {
    const MachineModel m = FindMachine(name).value();
    const double reached =
        2e-3 * static_cast<double>(m.num_sms) * m.fp32_lanes_per_sm * m.clock_ghz;
    EXPECT_NEAR(reached / peak, 1, 0.01) << name;
  }
}

constexpr const char* kSmallGpu =
    R"("name": "x", "kind": "gpu", "sm": 90, "num_sms": 10, "max_threads_per_sm": 2048,
       "max_blocks_per_sm": 32, "shared_bytes_per_sm": 65536, "shared_bytes_per_block": 65536,
       "l2_bytes": 1048576, "dram_gb_per_s": 100)";

TEST(Machine, WhatAFileLeavesOutIsDerivedAndSaysSo) {
  const auto machine =
      ParseMachine(absl::StrCat("{", kSmallGpu, R"(, "clock_ghz": 2, "source": "me"})"), "m.json");
  ASSERT_TRUE(machine.ok()) << machine.status();
  EXPECT_EQ(machine->fp32_lanes_per_sm, 128);
  EXPECT_EQ(machine->fp64_lanes_per_sm, 64);
  EXPECT_EQ(machine->l2_gb_per_s, 10 * 2 * 32);
  EXPECT_EQ(machine->sources.at("clock_ghz"), "me");
  EXPECT_THAT(machine->sources.at("l2_gb_per_s"), testing::StartsWith("default: "));
  for (const char* field : kGpuSpeeds) EXPECT_TRUE(machine->sources.contains(field)) << field;
}

TEST(Machine, FiguresWithoutASourceAreErrors) {
  const auto message = [](absl::string_view more) {
    const std::string json = absl::StrCat("{", kSmallGpu, ", ", more, "}");
    return std::string(ParseMachine(json, "m.json").status().message());
  };
  EXPECT_THAT(message(R"("aliases": [])"), testing::HasSubstr("a source of \"sm\""));
  EXPECT_THAT(message(R"("sources": {"s": ["sm"]})"), testing::HasSubstr("\"num_sms\""));
  EXPECT_THAT(message(R"("source": "s", "sources": {"t": ["clock_ghz"]})"),
              testing::HasSubstr("got \"clock_ghz\""));
  EXPECT_THAT(message(R"("source": "s", "sources": {"t": ["sm"], "u": ["sm"]})"),
              testing::HasSubstr("one source of \"sm\""));
  EXPECT_THAT(message(R"("source": "s", "sources": {"t": "sm"})"), testing::HasSubstr("a list"));
  EXPECT_THAT(message(R"("source": "s", "sources": ["sm"])"), testing::HasSubstr("an object"));
  EXPECT_EQ(message(R"("source": "s", "sources": {"t": ["sm"]})"), "");
}

TEST(Machine, ArchitecturesNameTheirMachines) {
  const std::pair<const char*, const char*> kNames[] = {
      {"sm_70", "v100"}, {"sm_75", "t4"},   {"sm_80", "a100"},  {"sm_86", "rtx3090"},
      {"sm_89", "l4"},   {"sm_90", "h100"}, {"sm_100", "b200"}, {"sm_120", "rtx5090"}};
  for (const auto& [alias, name] : kNames) EXPECT_EQ(FindMachine(alias).value().name, name);
}

TEST(Machine, UnknownNamesAreErrorsThatListTheKnown) {
  EXPECT_THAT(std::string(FindMachine("a101").status().message()), testing::HasSubstr("a100"));
}

TEST(Machine, FaultyFilesSayWhatIsWrong) {
  const auto message = [](absl::string_view json) {
    return std::string(ParseMachine(json, "m.json").status().message());
  };
  EXPECT_THAT(message("{"), testing::HasSubstr("m.json: expected a JSON object"));
  EXPECT_THAT(message(R"({"name": "x", "kind": "tpu"})"), testing::HasSubstr("host or gpu"));
  EXPECT_THAT(
      message(
          R"({"name": "x", "kind": "host", "workers": 0, "l2_bytes": 4096, "dram_gb_per_s": 1})"),
      testing::HasSubstr("\"workers\""));
  EXPECT_THAT(
      message(
          R"({"name": "x", "kind": "host", "workers": 1, "l2_bytes": 4096, "dram_gb_per_s": 1, "sms": 3})"),
      testing::HasSubstr("unknown field \"sms\""));
}

TEST(Machine, TheHostIsReadOffTheMachine) {
  const MachineModel host = DetectHost();
  EXPECT_TRUE(host.is_host());
  EXPECT_GE(host.workers, 1);
  EXPECT_GE(host.l2_bytes, host.l1_bytes);
  EXPECT_EQ(DetectHost(3).workers, 3);
  EXPECT_EQ(host.sources.at("workers"), "read off the machine");
  for (const char* field : {"clock_ghz", "worker_l2_gb_per_s", "worker_l3_gb_per_s",
                            "worker_dram_gb_per_s", "matrix_tflops", "launch_us"})
    EXPECT_TRUE(host.sources.contains(field)) << field;
  EXPECT_GT(host.matrix_tflops, 0);
  EXPECT_EQ(host, DetectHost());
}

}  // namespace
}  // namespace astitch
