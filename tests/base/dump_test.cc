// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Dumps: numbered, filtered, off unless asked for.
#include "base/dump.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/fresh_folder.h"

namespace astitch {
namespace {

std::vector<std::string> FilesIn(const std::string& directory) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

std::string NewDirectory(const std::string& name) {
  const std::string directory = FreshFolder() + "/" + name;
  return directory;
}

TEST(DumperTest, WritesNothingUnlessAsked) {
  Dumper off;
  EXPECT_FALSE(off.Wants("a.hlo"));
  EXPECT_TRUE(off.Write("a.hlo", "text").ok());
}

TEST(DumperTest, NumbersFilesInOrder) {
  const std::string directory = NewDirectory("numbers");
  absl::StatusOr<Dumper> dumper = Dumper::ToDirectory(directory);
  ASSERT_TRUE(dumper.ok());
  ASSERT_TRUE(dumper->Write("a.hlo", "one").ok());
  ASSERT_TRUE(dumper->Write("plan.txt", "two").ok());
  EXPECT_THAT(FilesIn(directory), testing::ElementsAre("01-a.hlo", "02-plan.txt"));
  EXPECT_EQ(*ReadFile(directory + "/02-plan.txt"), "two");
}

TEST(DumperTest, FilterSelectsWithoutRenumbering) {
  const std::string directory = NewDirectory("filter");
  absl::StatusOr<Dumper> dumper = Dumper::ToDirectory(directory, "pl[a]n");
  ASSERT_TRUE(dumper.ok());
  ASSERT_TRUE(dumper->Write("a.hlo", "one").ok());
  ASSERT_TRUE(dumper->Write("plan.txt", "two").ok());
  EXPECT_THAT(FilesIn(directory), testing::ElementsAre("02-plan.txt"));
}

TEST(DumperTest, BadFilterIsAnError) {
  const absl::StatusOr<Dumper> dumper = Dumper::ToDirectory("d", "[");
  EXPECT_EQ(dumper.status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(DumperTest, ReadsTheEnvironment) {
  const std::string directory = NewDirectory("environment");
  setenv("ASTITCH_DUMP_TO", (directory + ",x").c_str(), 1);
  absl::StatusOr<Dumper> dumper = Dumper::FromEnvironment();
  unsetenv("ASTITCH_DUMP_TO");
  ASSERT_TRUE(dumper.ok());
  EXPECT_TRUE(dumper->Wants("x.hlo"));
  EXPECT_FALSE(dumper->Wants("y.hlo"));
  EXPECT_FALSE(Dumper::FromEnvironment()->Wants("x.hlo"));
}

}  // namespace
}  // namespace astitch
