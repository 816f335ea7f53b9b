// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Files are replaced by complete ones only.
#include "base/file.h"

#include <gtest/gtest.h>

#include "tests/fresh_folder.h"

namespace astitch {
namespace {

TEST(File, WhatIsWrittenIsReadBack) {
  const std::string path = FreshFolder() + "/file";
  ASSERT_TRUE(WriteFile(path, std::string("a\0b", 3)).ok());
  EXPECT_EQ(ReadFile(path).value(), std::string("a\0b", 3));
}

TEST(File, MissingFileIsNotFoundAndNamesThePath) {
  const absl::Status status = ReadFile("/nowhere/at/all").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kNotFound);
  EXPECT_NE(status.message().find("/nowhere/at/all"), absl::string_view::npos);
}

TEST(File, AFailingWriteLeavesNothing) {
  EXPECT_FALSE(WriteFile("/nowhere/at/all", "x").ok());
  EXPECT_EQ(ReadFile("/nowhere/at/all").status().code(), absl::StatusCode::kNotFound);
  EXPECT_FALSE(WriteFile("/dev/full", std::string(100000, 'x')).ok());
}

}  // namespace
}  // namespace astitch
