// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Texts that are no HLO, with the exact words they are refused with: tests/data/hlo/rejected.txt
// has blocks of "=== what is wrong", the text, "---", the rendered errors. Run with
// ASTITCH_UPDATE=1 to write the errors anew; the difference is for a reviewer.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/file.h"
#include "frontend/hlo_text/parser.h"

namespace astitch {
namespace {

constexpr char kFile[] = ASTITCH_TEST_DATA "/hlo/rejected.txt";

struct Block {
  std::string title, text, errors;
};

std::vector<Block> ReadBlocks() {
  std::vector<Block> blocks;
  const absl::StatusOr<std::string> file = ReadFile(kFile);
  std::string* part = nullptr;
  for (absl::string_view line : absl::StrSplit(file.value_or(""), '\n')) {
    if (absl::StartsWith(line, "=== ")) {
      blocks.push_back({std::string(line.substr(4)), "", ""});
      part = &blocks.back().text;
    } else if (line == "---") {
      part = &blocks.back().errors;
    } else if (part != nullptr && !(line.empty() && part == &blocks.back().errors)) {
      absl::StrAppend(part, line, "\n");
    }
  }
  return blocks;
}

TEST(HloTextRejected, EachFaultIsReportedInItsWords) {
  const std::vector<Block> blocks = ReadBlocks();
  ASSERT_GT(blocks.size(), 90u);
  const bool update = std::getenv("ASTITCH_UPDATE") != nullptr;
  std::string updated;
  for (const Block& block : blocks) {
    const absl::Status status = ParseHloText(block.text).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << block.title;
    const std::string errors = RenderError(status, "m.hlo");
    absl::StrAppend(&updated, "=== ", block.title, "\n", block.text, "---\n", errors, "\n");
    EXPECT_TRUE(update || errors == block.errors) << block.title << "\n" << errors;
  }
  EXPECT_TRUE(!update || WriteFile(kFile, updated).ok());
}

}  // namespace
}  // namespace astitch
