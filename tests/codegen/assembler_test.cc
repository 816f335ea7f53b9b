// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What is read off the assembler's words, with a script in its place: no toolkit is needed.
#include "codegen/nvptx/assembler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/file.h"
#include "tests/fresh_folder.h"

namespace astitch {
namespace {

using ::testing::HasSubstr;

// A program that says WORDS of whatever it is to assemble, and ends with CODE.
std::string Script(const std::string& words, int code) {
  const std::string path = FreshFolder() + "/ptxas";
  EXPECT_TRUE(WriteFile(path, "#!/bin/sh\ncat <<'END' >&2\n" + words +
                                  "\nEND\necho \"$@\" >&2\nexit " + std::to_string(code) + "\n")
                  .ok());
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

TEST(Assembler, FiguresAreThoseOfItsWords) {
  const std::string path = Script(
      "ptxas info    : Compiling entry function 'k' for 'sm_80'\n"
      "    104 bytes stack frame, 100 bytes spill stores, 108 bytes spill loads\n"
      "ptxas info    : Used 128 registers, used 1 barriers, 2080 bytes smem, 400 bytes cmem[0]",
      0);
  const auto kernel = AssemblePtx(path, ".version 7.0\n", 80);
  ASSERT_TRUE(kernel.ok()) << kernel.status();
  EXPECT_EQ(kernel->registers, 128);
  EXPECT_EQ(kernel->spilled_bytes, 100);
  EXPECT_EQ(kernel->static_shared_bytes, 2080);
}

TEST(Assembler, WhatItRefusesIsAnErrorInItsWords) {
  const std::string path = Script("line 3; error : Unknown modifier '.wide8'", 255);
  const auto kernel = AssemblePtx(path, ".version 7.0\n", 90);
  EXPECT_EQ(kernel.status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(kernel.status().message()), HasSubstr("Unknown modifier '.wide8'"));
  EXPECT_THAT(std::string(kernel.status().message()), HasSubstr("-arch=sm_90"));
  EXPECT_THAT(std::string(kernel.status().message()), HasSubstr("exit code 255"));
}

TEST(Assembler, IsLookedForByNameAndPath) {
  const std::string path = Script("", 0);
  EXPECT_EQ(FindAssembler(path).value(), path);
  EXPECT_TRUE(FindAssembler("sh").ok());
  const auto none = FindAssembler("no-such-assembler");
  EXPECT_EQ(none.status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(std::string(none.status().message()), HasSubstr("'no-such-assembler'"));
  EXPECT_EQ(FindAssembler("/nowhere/ptxas").status().code(), absl::StatusCode::kNotFound);
}

}  // namespace
}  // namespace astitch
