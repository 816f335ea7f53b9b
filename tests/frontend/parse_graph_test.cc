// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Text to verified graph: whole modules that pass, and modules that break a rule beside the exact
// report a user reads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "astitch/graph.h"
#include "base/file.h"
#include "base/status.h"

namespace astitch {
namespace {

std::vector<std::filesystem::path> HloFilesIn(const char* folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(ASTITCH_TEST_DATA "/verify/") + folder)) {
    if (entry.path().extension() == ".hlo") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string Contents(const std::filesystem::path& path) {
  const absl::StatusOr<std::string> text = ReadFile(path.string());
  return text.ok() ? *text : std::string(text.status().message());
}

TEST(ParseGraph, AcceptsLoweredAndOptimizedModules) {
  const std::vector<std::filesystem::path> files = HloFilesIn("accepted");
  EXPECT_GE(files.size(), 10u);
  for (const std::filesystem::path& path : files) {
    const absl::StatusOr<GraphPtr> graph = ParseGraph(Contents(path));
    EXPECT_TRUE(graph.ok()) << RenderError(graph.status(), path.filename().string());
  }
}

TEST(ParseGraph, WhatItPrintsItReadsBack) {
  for (const std::filesystem::path& path : HloFilesIn("accepted")) {
    const absl::StatusOr<GraphPtr> graph = ParseGraph(Contents(path));
    ASSERT_TRUE(graph.ok()) << path;
    const std::string text = GraphToText(**graph);
    const absl::StatusOr<GraphPtr> again = ParseGraph(text);
    ASSERT_TRUE(again.ok()) << RenderError(again.status(), path.filename().string());
    EXPECT_EQ(GraphToText(**again), text) << path;
  }
}

TEST(ParseGraph, ReportsEachFaultWithItsLine) {
  const std::vector<std::filesystem::path> files = HloFilesIn("rejected");
  EXPECT_GE(files.size(), 7u);
  for (std::filesystem::path path : files) {
    const absl::StatusOr<GraphPtr> graph = ParseGraph(Contents(path));
    ASSERT_FALSE(graph.ok()) << path;
    const std::string report = RenderError(graph.status(), path.filename().string());
    EXPECT_EQ(report, Contents(path.replace_extension(".expected")));
  }
}

}  // namespace
}  // namespace astitch
