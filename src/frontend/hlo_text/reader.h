// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The lexer together with the list of faults found so far, and the small readers everything else is
// made of.
//
// Every Read... function returns true on success. On false a fault has been reported, and the token
// stands where it was found.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/status.h"
#include "frontend/hlo_text/lexer.h"

namespace astitch::hlo_text {

class Reader {
 public:
  explicit Reader(absl::string_view text) : lexer_(text) {}

  Lexer& lexer() { return lexer_; }
  const Token& token() const { return lexer_.token(); }
  void Next() { lexer_.Next(); }
  bool Is(TokenKind kind) const { return token().kind == kind; }
  bool IsKeyword(absl::string_view word) const {
    return Is(TokenKind::kKeyword) && token().text == word;
  }
  // Moves past the token when it is of KIND.
  bool Eat(TokenKind kind) {
    if (!Is(kind)) return false;
    Next();
    return true;
  }
  bool EatKeyword(absl::string_view word) {
    if (!IsKeyword(word)) return false;
    Next();
    return true;
  }
  bool Expect(TokenKind kind, absl::string_view what) { return Eat(kind) || Fail(what); }

  // "expected EXPECTED, got TOKEN" at the current token; always false.
  bool Fail(absl::string_view expected);
  // The same at another place, with other words for what came.
  bool FailAt(const Token& at, absl::string_view message);
  const std::vector<Diagnostic>& diagnostics() const { return diagnostics_; }
  bool has_failed() const { return !diagnostics_.empty(); }
  bool is_full() const;
  absl::Status status() const;

  // ---- readers of small values

  bool ReadInteger(absl::string_view what, int64_t* out);
  bool ReadNonNegative(absl::string_view what, int64_t* out);
  bool ReadBool(absl::string_view what, bool* out);
  bool ReadFloat(absl::string_view what, double* out);
  // The unescaped bytes.
  bool ReadString(absl::string_view what, std::string* out);
  // A name with or without '%' or ':'.
  bool ReadName(absl::string_view what, std::string* out);
  bool ReadWord(absl::string_view what, std::string* out);  // an identifier or keyword
  // {0,1}: no trailing comma.
  bool ReadIntList(absl::string_view what, std::vector<int64_t>* out);
  // The unescaped bytes of a string, or a brace blob as it stands.
  bool ReadStringOrBlob(absl::string_view what, std::string* out);
  // A brace blob without comments and line breaks.
  bool ReadTidyBlob(absl::string_view what, std::string* out);

 private:
  Lexer lexer_;
  std::vector<Diagnostic> diagnostics_;
};

// Reads "{" ELEMENT {"," ELEMENT} "}", where READ reads one element.
template <typename Read>
bool ReadBracedList(Reader& reader, absl::string_view what, Read read) {
  if (!reader.Expect(TokenKind::kLeftBrace, what)) return false;
  if (reader.Eat(TokenKind::kRightBrace)) return true;
  do {
    if (!read()) return false;
  } while (reader.Eat(TokenKind::kComma));
  return reader.Expect(TokenKind::kRightBrace, "',' or '}'");
}

}  // namespace astitch::hlo_text
