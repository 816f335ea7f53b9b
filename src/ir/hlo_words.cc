// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Words by a small hash set; blobs by one scan.
#include "ir/hlo_words.h"

#include "absl/container/flat_hash_set.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "astitch/element_type.h"

namespace astitch {

bool IsHloKeyword(absl::string_view word) {
  static const auto* const kWords = new absl::flat_hash_set<absl::string_view>{
      "HloModule", "ENTRY",         "ROOT",          "true",       "false",
      "inf",       "nan",           "maximal",       "replicated", "manual",
      "unknown",   "unreduced",     "shard_as",      "shard_like", "last_tile_dim_replicate",
      "FileNames", "FunctionNames", "FileLocations", "StackFrames"};
  return kWords->contains(word);
}

bool IsHloTypeWord(absl::string_view word) {
  return word == "token" || word == "opaque" || ElementTypeFromString(word).has_value();
}

std::string QuoteHloString(absl::string_view bytes) {
  return absl::StrCat("\"", absl::CEscape(bytes), "\"");
}

size_t BraceBlobLength(absl::string_view text) {
  if (text.empty() || text[0] != '{') return absl::string_view::npos;
  size_t depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        in_string = false;
      }
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}' && --depth == 0) {
      return i + 1;
    }
  }
  return absl::string_view::npos;
}

}  // namespace astitch
