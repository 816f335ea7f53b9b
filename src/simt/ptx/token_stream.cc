// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Steps over tokens and turns a failed expectation into an error with its line.
#include "simt/ptx/token_stream.h"

#include <limits>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace astitch::simt {

absl::Status ErrorAtToken(const Token& token, std::string message) {
  return DiagnosticsError({{{token.line, token.column}, std::move(message), ""}});
}

absl::Status TokenStream::Expected(absl::string_view what) const {
  const Token& token = Peek();
  const std::string got =
      token.kind == TokenKind::kEnd ? "the end of the text" : absl::StrCat("'", token.text, "'");
  return ErrorAtToken(token, absl::StrCat("expected ", what, ", got ", got));
}

absl::Status TokenStream::Expect(absl::string_view text) {
  if (Take(text)) return absl::OkStatus();
  return Expected(absl::StrCat("'", text, "'"));
}

absl::StatusOr<std::string> TokenStream::ExpectWord(absl::string_view what) {
  if (!IsWord()) return Expected(what);
  return std::string(Next().text);
}

absl::StatusOr<int64_t> TokenStream::ExpectInteger() {
  const bool minus = Take("-");
  const Token& token = Peek();
  if (token.kind != TokenKind::kInteger ||
      token.integer > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    return Expected("an integer");
  }
  Next();
  const int64_t value = static_cast<int64_t>(token.integer);
  return minus ? -value : value;
}

void TokenStream::SkipLine() {
  const int32_t line = Peek().line;
  while (!AtEnd() && Peek().line == line) Next();
}

}  // namespace astitch::simt
