// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Character by character.
#include "report/html_text.h"

#include "absl/strings/str_cat.h"

namespace astitch {

std::string Escape(absl::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
    }
  }
  return out;
}

std::string Shortened(absl::string_view text, size_t most) {
  const auto begins = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
  size_t characters = 0, keep = text.size();
  for (size_t i = 0; i < text.size(); ++i) {
    if (!begins(text[i])) continue;
    if (characters + 1 == most) keep = i;
    if (++characters > most) return absl::StrCat(text.substr(0, keep), "\u2026");
  }
  return std::string(text);
}

}  // namespace astitch
