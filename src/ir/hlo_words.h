// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The lexical facts of HLO text that its printer and its parser share: reserved words, identifier
// characters, quoting, and brace blobs.
//
// A brace blob is text from '{' to its matching '}', where only curly braces and double-quoted
// strings count: {"a":{"b":[]}} but also {mesh = #sdy.mesh<["x"=2]>}. It need not be JSON.
#pragma once

#include <cstddef>
#include <string>

#include "absl/strings/string_view.h"

namespace astitch {

// HloModule, ENTRY, ROOT, true, inf, replicated, ...: words that no bare name may be.
bool IsHloKeyword(absl::string_view word);
// A primitive type: an element type, token or opaque.
bool IsHloTypeWord(absl::string_view word);

constexpr bool IsIdentifierStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }
constexpr bool IsIdentifierChar(char c) {
  return IsIdentifierStart(c) || IsDigit(c) || c == '.' || c == '-';
}

// BYTES in double quotes, what does not print as octal escapes.
std::string QuoteHloString(absl::string_view bytes);

// Length of the brace blob at the front of TEXT; npos when there is none or it does not end.
size_t BraceBlobLength(absl::string_view text);

}  // namespace astitch
