// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One pass over the text, by hand: words with their dots, numbers in every spelling of PTX,
// comments.
#include "simt/ptx/lexer.h"

#include <bit>
#include <cstdlib>
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "base/status.h"

namespace astitch::simt {
namespace {

bool StartsWord(char c) {
  return absl::ascii_isalpha(c) || c == '_' || c == '$' || c == '%' || c == '.';
}
bool ContinuesWord(char c) { return StartsWord(c) || absl::ascii_isdigit(c); }

class Lexer {
 public:
  explicit Lexer(absl::string_view text) : text_(text) {}

  absl::StatusOr<TokenList> Run() {
    while (true) {
      ASTITCH_RETURN_IF_ERROR(SkipBlanks());
      if (pos_ >= text_.size()) break;
      const char c = text_[pos_];
      if (absl::ascii_isdigit(c)) {
        ASTITCH_RETURN_IF_ERROR(Number());
      } else if (StartsWord(c)) {
        Word();
      } else if (c == '"') {
        ASTITCH_RETURN_IF_ERROR(String());
      } else if (std::strchr("{}[]()<>,;:+-!|@=*", c) != nullptr) {
        Push(TokenKind::kPunctuation, pos_, pos_ + 1);
      } else {
        return Error("a character that PTX does not use");
      }
    }
    Push(TokenKind::kEnd, pos_, pos_);
    return std::move(out_);
  }

 private:
  absl::Status Error(absl::string_view message) const {
    return DiagnosticsError({{{line_, Column(pos_)}, std::string(message), ""}});
  }
  int32_t Column(size_t at) const { return static_cast<int32_t>(at - line_start_) + 1; }

  void Push(TokenKind kind, size_t begin, size_t end, uint64_t integer = 0) {
    out_.tokens.push_back({kind, text_.substr(begin, end - begin), integer, line_, Column(begin)});
    pos_ = end;
  }

  absl::Status SkipBlanks() {
    while (pos_ < text_.size()) {
      const char c = text_[pos_];
      if (c == '\n') {
        ++line_;
        line_start_ = ++pos_;
      } else if (absl::ascii_isspace(c)) {
        ++pos_;
      } else if (absl::StartsWith(text_.substr(pos_), "//")) {
        LineComment();
      } else if (absl::StartsWith(text_.substr(pos_), "/*")) {
        ASTITCH_RETURN_IF_ERROR(BlockComment());
      } else {
        break;
      }
    }
    return absl::OkStatus();
  }

  void LineComment() {
    size_t end = text_.find('\n', pos_);
    if (end == absl::string_view::npos) end = text_.size();
    absl::string_view body = absl::StripAsciiWhitespace(text_.substr(pos_ + 2, end - pos_ - 2));
    if (absl::ConsumePrefix(&body, "stage ") && !body.empty() && absl::ascii_isdigit(body[0])) {
      out_.markers.push_back({line_, std::string(body)});
    }
    pos_ = end;
  }

  absl::Status BlockComment() {
    const size_t end = text_.find("*/", pos_ + 2);
    if (end == absl::string_view::npos) return Error("a comment that does not end");
    for (; pos_ < end; ++pos_) {
      if (text_[pos_] != '\n') continue;
      ++line_;
      line_start_ = pos_ + 1;
    }
    pos_ = end + 2;
    return absl::OkStatus();
  }

  void Word() {
    size_t end = pos_;
    while (end < text_.size()) {
      if (ContinuesWord(text_[end])) {
        ++end;
      } else if (absl::StartsWith(text_.substr(end), "::")) {
        end += 2;
      } else {
        break;
      }
    }
    Push(TokenKind::kWord, pos_, end);
  }

  absl::Status String() {
    const size_t end = text_.find_first_of("\"\n", pos_ + 1);
    if (end == absl::string_view::npos || text_[end] == '\n') {
      return Error("a string that does not end");
    }
    ++pos_;
    Push(TokenKind::kString, pos_, end);
    pos_ = end + 1;
    return absl::OkStatus();
  }

  // 0f and 0d are followed by the bits in hexadecimal.
  absl::Status Number() {
    size_t end = pos_;
    while (end < text_.size() && (absl::ascii_isalnum(text_[end]) || text_[end] == '.' ||
                                  ((text_[end] == '+' || text_[end] == '-') && IsExponent(end)))) {
      ++end;
    }
    const absl::string_view word = text_.substr(pos_, end - pos_);
    uint64_t bits = 0;
    if (absl::StartsWithIgnoreCase(word, "0f") && word.size() == 10 &&
        absl::SimpleHexAtoi(word.substr(2), &bits)) {
      Push(TokenKind::kFloat32, pos_, end, bits);
    } else if (absl::StartsWithIgnoreCase(word, "0d") && word.size() == 18 &&
               absl::SimpleHexAtoi(word.substr(2), &bits)) {
      Push(TokenKind::kFloat64, pos_, end, bits);
    } else if (ParseInteger(word, &bits)) {
      Push(TokenKind::kInteger, pos_, end, bits);
    } else if (double value = 0; absl::SimpleAtod(word, &value)) {
      Push(TokenKind::kFloat64, pos_, end, std::bit_cast<uint64_t>(value));
    } else {
      return Error("a number that cannot be read");
    }
    return absl::OkStatus();
  }

  bool IsExponent(size_t at) const {
    return at > pos_ && (text_[at - 1] == 'e' || text_[at - 1] == 'E') &&
           !absl::StartsWithIgnoreCase(text_.substr(pos_), "0x");
  }

  static bool ParseInteger(absl::string_view word, uint64_t* out) {
    if (absl::EndsWith(word, "U")) word.remove_suffix(1);
    if (absl::StartsWithIgnoreCase(word, "0x")) return absl::SimpleHexAtoi(word.substr(2), out);
    if (absl::StartsWithIgnoreCase(word, "0b") && word.size() > 2) {
      *out = 0;
      for (const char c : word.substr(2)) {
        if (c != '0' && c != '1') return false;
        *out = *out * 2 + (c - '0');
      }
      return true;
    }
    return absl::SimpleAtoi(word, out);
  }

  absl::string_view text_;
  size_t pos_ = 0, line_start_ = 0;
  int32_t line_ = 1;
  TokenList out_;
};

}  // namespace

absl::StatusOr<TokenList> Tokenize(absl::string_view text) { return Lexer(text).Run(); }

}  // namespace astitch::simt
