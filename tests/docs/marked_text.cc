// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Finds the marks by plain search; a file is read and written once a part.
#include "tests/docs/marked_text.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "base/file.h"

namespace astitch {

void ExpectMarkedText(const std::string& file, const std::string& part, const std::string& got) {
  const std::string path = absl::StrCat(ASTITCH_SOURCE_DIR, "/", file);
  const absl::StatusOr<std::string> text = ReadFile(path);
  ASSERT_TRUE(text.ok()) << text.status();
  const std::string open = absl::StrCat("<!-- ", part, " -->\n");
  const std::string close = absl::StrCat("<!-- /", part, " -->\n");
  const size_t mark = text->find(open);
  ASSERT_NE(mark, std::string::npos) << file << " has no " << open;
  const size_t begin = mark + open.size(), end = text->find(close, begin);
  ASSERT_NE(end, std::string::npos) << file << " has no " << close;
  const std::string found = text->substr(begin, end - begin);
  if (std::getenv("ASTITCH_UPDATE_GOLDEN") == nullptr) {
    EXPECT_EQ(found, got) << file << ", " << part << "; ASTITCH_UPDATE_GOLDEN=1 rewrites it";
  } else if (found != got) {
    const std::string now = absl::StrCat(text->substr(0, begin), got, text->substr(end));
    ASSERT_TRUE(WriteFile(path, now).ok());
  }
}

void ExpectMarkedCode(const std::string& file, const std::string& part, absl::string_view language,
                      const std::string& got) {
  ExpectMarkedText(file, part, absl::StrCat("```", language, "\n", got, "```\n"));
}

}  // namespace astitch
