// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Machines: the embedded files are sound, aliases find them, faulty files say what is wrong.
#include "stitch/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
}

}  // namespace
}  // namespace astitch
