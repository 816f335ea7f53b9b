// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Several kernels of one kind in one file are told apart by a comment line in the language's own
// comment style. Of PTX the file is one module, which assembles as a whole.
#include "tools/emit.h"

#include <filesystem>
#include <system_error>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/file.h"
#include "base/status.h"
#include "tools/common/cli.h"

namespace astitch {
namespace {

struct Row {
  absl::string_view word, file;
};
constexpr Row kRows[] = {
#define ASTITCH_X(enumerator, word, file) {word, file},
    ASTITCH_EMIT_KINDS(ASTITCH_X)
#undef ASTITCH_X
};
constexpr int kNumKinds = std::size(kRows);

// Modules of one target as one: a single header, of the highest version, and a single declaration of
// shared memory, of the strictest alignment.
std::string JoinedPtx(absl::Span<const EmittedText> texts) {
  std::string version, header, shared, body;
  int64_t most_align = 0;
  for (const EmittedText& text : texts) {
    absl::StrAppend(&body, "// ", text.name, "\n");
    const bool first = header.empty();
    const absl::string_view lines = absl::StripSuffix(text.text, "\n");
    for (const absl::string_view line : absl::StrSplit(lines, '\n')) {
      if (absl::StartsWith(line, ".version")) {
        const bool longer = line.size() > version.size();
        if (longer || (line.size() == version.size() && line > version))
          version = std::string(line);
      } else if (absl::StartsWith(line, ".target") || absl::StartsWith(line, ".address_size")) {
        if (first) absl::StrAppend(&header, line, "\n");
      } else if (absl::StartsWith(line, ".extern .shared .align ")) {
        const std::vector<absl::string_view> words = absl::StrSplit(line, ' ');
        int64_t align = 0;
        if (!absl::SimpleAtoi(words[3], &align) || align <= most_align) continue;
        most_align = align;
        shared = absl::StrCat(line, "\n");
      } else {
        absl::StrAppend(&body, line, "\n");
      }
    }
  }
  return absl::StrCat(version, "\n", header, "\n", shared, body);
}

std::string Joined(absl::Span<const EmittedText> texts) {
  if (texts.empty()) return "";  // a plan without kernels
  if (texts.size() == 1) return texts[0].text;
  if (texts[0].kind == EmitKind::kPtx) return JoinedPtx(texts);
  std::string out;
  for (const EmittedText& text : texts) {
    const absl::string_view comment = text.kind == EmitKind::kLlvm ? ";" : "#";
    absl::StrAppend(&out, comment, " ", text.name, "\n", text.text);
  }
  return out;
}

}  // namespace

absl::string_view ToString(EmitKind kind) { return kRows[static_cast<int>(kind)].word; }
absl::string_view FileOf(EmitKind kind) { return kRows[static_cast<int>(kind)].file; }

absl::StatusOr<std::vector<EmitKind>> ParseEmitKinds(absl::Span<const std::string> words) {
  std::vector<std::string> known;
  for (const Row& row : kRows) known.emplace_back(row.word);
  std::vector<EmitKind> out;
  for (const std::string& word : words) {
    int kind = 0;
    while (kind < kNumKinds && known[kind] != word) ++kind;
    if (kind == kNumKinds) {
      const std::string near = Nearest(word, known);
      return absl::InvalidArgumentError(
          absl::StrCat("nothing called '", word, "' to emit; ",
                       near.empty() ? "see --help" : absl::StrCat("did you mean ", near)));
    }
    out.push_back(static_cast<EmitKind>(kind));
  }
  return out;
}

std::string KernelFileName(int index, absl::string_view kernel, EmitKind kind) {
  std::string name = absl::StrFormat("k%02d-%s", index, kernel);
  for (char& c : name) {
    if (!absl::ascii_isalnum(c) && c != '-' && c != '_' && c != '.') c = '_';
  }
  constexpr size_t kLongest = 100;  // file systems stop at 255
  return name.substr(0, kLongest) + std::string(FileOf(kind));
}

absl::Status WriteEmitted(absl::Span<const EmittedText> texts, size_t num_kinds,
                          const std::string& out) {
  const bool to_stdout = out.empty() || out == "-";
  std::error_code error;
  const bool folder = !to_stdout && (num_kinds > 1 || absl::EndsWith(out, "/") ||
                                     std::filesystem::is_directory(out, error));
  if (to_stdout && num_kinds > 1) {
    return absl::InvalidArgumentError("several kinds to emit need a folder: -o FOLDER");
  }
  if (!folder) return WriteFile(to_stdout ? "-" : out, Joined(texts));
  std::filesystem::create_directories(out, error);
  if (error) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot create the folder ", out, ": ", error.message()));
  }
  for (const EmittedText& text : texts) {
    ASTITCH_RETURN_IF_ERROR(
        WriteFile((std::filesystem::path(out) / text.name).string(), text.text));
  }
  return absl::OkStatus();
}

}  // namespace astitch
