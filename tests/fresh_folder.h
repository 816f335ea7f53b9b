// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Folders for the files of a test. All lie in one that is the process's own, and that goes when the
// process ends: tests leave nothing behind, and two of them at a time do not meet.
#pragma once

#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "gtest/gtest.h"

namespace astitch {

class ProcessFolder {
 public:
  ProcessFolder() : path_(::testing::TempDir() + "/astitch_XXXXXX"), owner_(::getpid()) {
    EXPECT_NE(::mkdtemp(path_.data()), nullptr) << path_;
  }
  ~ProcessFolder() {
    if (::getpid() != owner_) return;  // a child that was forked
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ProcessFolder(const ProcessFolder&) = delete;
  ProcessFolder& operator=(const ProcessFolder&) = delete;

  // An empty folder in it.
  std::string Next() {
    const std::string folder = path_ + "/" + std::to_string(count_++);
    std::filesystem::create_directory(folder);
    return folder;
  }

 private:
  std::string path_;
  pid_t owner_;
  int count_ = 0;
};

// An empty folder of the caller's own.
inline std::string FreshFolder() {
  static ProcessFolder folder;
  return folder.Next();
}

}  // namespace astitch
