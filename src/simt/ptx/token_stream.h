// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A cursor over tokens with the questions that a parser asks, and located errors.
#pragma once

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "simt/ptx/lexer.h"

namespace astitch::simt {

class TokenStream {
 public:
  explicit TokenStream(const TokenList& list) : tokens_(&list.tokens) {}

  const Token& Peek(size_t ahead = 0) const {
    return (*tokens_)[std::min(pos_ + ahead, tokens_->size() - 1)];
  }
  const Token& Next() {
    const Token& token = Peek();
    if (pos_ + 1 < tokens_->size()) ++pos_;
    return token;
  }
  bool AtEnd() const { return Peek().kind == TokenKind::kEnd; }
  bool Is(absl::string_view text, size_t ahead = 0) const {
    const Token& token = Peek(ahead);
    return token.kind != TokenKind::kString && token.text == text;
  }
  bool IsWord() const { return Peek().kind == TokenKind::kWord; }
  bool Take(absl::string_view text) {
    if (!Is(text)) return false;
    Next();
    return true;
  }
  absl::Status Expect(absl::string_view text);
  absl::StatusOr<std::string> ExpectWord(absl::string_view what);
  absl::StatusOr<int64_t> ExpectInteger();
  // Everything on the line of the current token.
  void SkipLine();

  // "expected X, got Y" at the current token.
  absl::Status Expected(absl::string_view what) const;

 private:
  const std::vector<Token>* tokens_;
  size_t pos_ = 0;
};

absl::Status ErrorAtToken(const Token& token, std::string message);

}  // namespace astitch::simt
