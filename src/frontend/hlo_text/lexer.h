// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Tokens of HLO text, one at a time: the text may have gigabytes, so no list of tokens exists.
//
// What a word is depends on the character after it: `x:` is a name, `x=` begins an attribute, and
// `bf_io->bf` is one token although the longest identifier at its front is `bf_io-`. Two things
// cannot be read token by token and have entries of their own: brace blobs, whose inside is not HLO
// text, and the question whether a '{' opens a layout.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "base/status.h"

namespace astitch::hlo_text {

enum class TokenKind : uint8_t {
  kEnd,
  kError,  // text says what is wrong
  kEquals,
  kComma,
  kColon,
  kStar,
  kHash,
  kPlus,
  kTilde,
  kLeftBracket,
  kRightBracket,
  kLeftBrace,
  kRightBrace,
  kLeftParen,
  kRightParen,
  kQuestion,
  kArrow,
  kLessEqual,
  kDots,
  kType,       // f32, token
  kKeyword,    // ROOT, true
  kAttribute,  // word=
  kName,       // %word or word:
  kIdentifier,
  kDimLabels,  // b01f_01io->b01f
  kDims,       // 3x3
  kPadding,    // 0_1x-2_3_4
  kInteger,
  kDecimal,
  kNegativeInfinity,
  kString,
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  absl::string_view text;  // the word without '%', ':' or '='; a string with its quotes
  size_t begin = 0, end = 0;
  TextPosition position;
  uint64_t integer = 0;   // of kInteger: the 64-bit pattern
  bool negative = false;  // of kInteger: written with '-'
  double decimal = 0;     // of kDecimal
};

class Lexer {
 public:
  explicit Lexer(absl::string_view text) : text_(text) { Next(); }

  const Token& token() const { return token_; }
  void Next();
  // The kind of the token after this one.
  TokenKind PeekKind() const;

  // REQUIRES: the token is '{'. The blob from it to its matching '}'; moves past it. False, and an
  // error token, when it does not end.
  bool ReadBlob(absl::string_view* blob);
  // Moves to the start of the next line that may begin an instruction, end a computation or begin
  // one, after the current token. Where a faulty instruction ends is not known: lines are the
  // guess.
  void SkipToNextStatement();

  absl::string_view text() const { return text_; }
  size_t remaining() const { return text_.size() - token_.begin; }
  // The line that holds the byte at OFFSET, empty when the byte stands too far right to show.
  absl::string_view LineAt(size_t offset) const;

 private:
  void SkipBlanks();
  void Start();
  void Emit(TokenKind kind, size_t end);
  void EmitError(absl::string_view message, size_t end);
  void LexWord();
  void LexPercentName();
  void LexNumber();
  void LexNan(size_t from);
  void LexString();
  void LexPunctuation();
  void CountLines(size_t from, size_t to);
  char At(size_t i) const { return i < text_.size() ? text_[i] : '\0'; }

  absl::string_view text_;
  size_t next_ = 0;
  int32_t line_ = 1;
  size_t line_start_ = 0;
  Token token_;
};

// How a token is called in messages: "'add'", "end of input".
std::string Describe(const Token& token);

}  // namespace astitch::hlo_text
