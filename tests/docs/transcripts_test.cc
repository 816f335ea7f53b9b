// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Every command that the documents show is run, and must print what they show.
//
//   ```console
//   $ build/bin/astitch-run --version
//   astitch ...
//   ```
//
// A line of three dots stands for any lines, dots at the end of a line for its rest; commands whose
// output shows neither are rewritten under ASTITCH_UPDATE_GOLDEN=1.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/file.h"

namespace astitch {
namespace {

constexpr absl::string_view kDots = "...";

std::vector<std::string> Lines(absl::string_view text) {
  if (absl::EndsWith(text, "\n")) text.remove_suffix(1);
  if (text.empty()) return {};
  return absl::StrSplit(text, '\n');
}

// Standard output and error of COMMAND, run in the root of the source tree.
std::vector<std::string> Run(const std::string& command) {
  const std::string here =
      absl::StrReplaceAll(command, {{"build/bin/", absl::StrCat(ASTITCH_BIN_DIR, "/")}});
  const std::string line = absl::StrCat("cd ", ASTITCH_SOURCE_DIR, " && ( ", here, " ) 2>&1");
  std::string out;
  FILE* pipe = ::popen(line.c_str(), "r");
  if (pipe == nullptr) return {"popen failed"};
  char buffer[4096];
  while (const size_t n = std::fread(buffer, 1, sizeof buffer, pipe)) out.append(buffer, n);
  ::pclose(pipe);
  return Lines(out);
}

bool LineMatches(absl::string_view shown, absl::string_view got) {
  if (!absl::EndsWith(shown, kDots)) return shown == got;
  return absl::StartsWith(got, shown.substr(0, shown.size() - kDots.size()));
}

bool Matches(const std::vector<std::string>& shown, const std::vector<std::string>& got) {
  size_t g = 0;
  for (size_t s = 0; s < shown.size(); ++s) {
    if (shown[s] == kDots) {
      if (s + 1 == shown.size()) return true;
      while (g < got.size() && !LineMatches(shown[s + 1], got[g])) ++g;
      continue;
    }
    if (g == got.size() || !LineMatches(shown[s], got[g++])) return false;
  }
  return g == got.size();
}

bool HasDots(const std::vector<std::string>& shown) {
  for (const std::string& line : shown) {
    if (absl::EndsWith(line, kDots)) return true;
  }
  return false;
}

// Checks one command and its output; returns the lines that should stand there.
std::vector<std::string> Check(const std::string& file, const std::string& command,
                               const std::vector<std::string>& shown) {
  const std::vector<std::string> got = Run(command);
  if (Matches(shown, got)) return shown;
  if (std::getenv("ASTITCH_UPDATE_GOLDEN") != nullptr && !HasDots(shown)) return got;
  ADD_FAILURE() << file << " shows for\n$ " << command << "\n"
                << absl::StrJoin(shown, "\n") << "\nbut it prints\n"
                << absl::StrJoin(got, "\n");
  return shown;
}

class Transcripts : public testing::TestWithParam<const char*> {};

TEST_P(Transcripts, CommandsPrintWhatIsShown) {
  const std::string path = absl::StrCat(ASTITCH_SOURCE_DIR, "/", GetParam());
  const std::string text = ReadFile(path).value();
  const std::vector<std::string> lines = absl::StrSplit(text, '\n');
  std::vector<std::string> now;
  int commands = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    now.push_back(lines[i]);
    if (lines[i] != "```console") continue;
    while (i + 1 < lines.size() && absl::StartsWith(lines[i + 1], "$ ")) {
      const std::string command = lines[++i].substr(2);
      now.push_back(lines[i]);
      std::vector<std::string> shown;
      while (i + 1 < lines.size() && lines[i + 1] != "```" &&
             !absl::StartsWith(lines[i + 1], "$ ")) {
        shown.push_back(lines[++i]);
      }
      for (std::string& line : Check(GetParam(), command, shown)) now.push_back(std::move(line));
      ++commands;
    }
  }
  EXPECT_GT(commands, 0);
  const std::string rewritten = absl::StrJoin(now, "\n");
  if (rewritten != text) {
    EXPECT_TRUE(WriteFile(path, rewritten).ok());
  }
}

INSTANTIATE_TEST_SUITE_P(Documents, Transcripts,
                         testing::Values("README.md", "ARCHITECTURE.md", "docs/command-line.md",
                                         "docs/reading-the-ledger.md", "docs/plan-language.md"),
                         [](const auto& info) {
                           return absl::StrReplaceAll(info.param,
                                                      {{"/", "_"}, {".", "_"}, {"-", "_"}});
                         });

}  // namespace
}  // namespace astitch
