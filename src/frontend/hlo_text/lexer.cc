// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One scan a token. Numbers have five spellings that begin alike (1.5, 01bf_01io->01bf, 3x3, 0_1,
// 7); a plain integer is recognized by the character behind its digits, the rest is tried in order.
#include "frontend/hlo_text/lexer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <system_error>

#include "absl/strings/charconv.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "ir/hlo_words.h"

namespace astitch::hlo_text {
namespace {

constexpr size_t kNone = absl::string_view::npos;

bool IsLhsLabel(char c) { return IsDigit(c) || c == 'b' || c == 'f' || c == '?'; }
bool IsRhsLabel(char c) { return IsDigit(c) || c == 'i' || c == 'o' || c == '?'; }

template <typename Predicate>
size_t SkipWhile(absl::string_view text, size_t i, Predicate predicate) {
  while (i < text.size() && predicate(text[i])) ++i;
  return i;
}

size_t SkipDigits(absl::string_view text, size_t i) { return SkipWhile(text, i, IsDigit); }

// Each of these gives the end of its spelling when TEXT has it at FROM, else kNone.

size_t MatchDimLabels(absl::string_view text, size_t from) {
  const size_t lhs = SkipWhile(text, from, IsLhsLabel);
  if (lhs < from + 2 || lhs >= text.size() || text[lhs] != '_') return kNone;
  const size_t rhs = SkipWhile(text, lhs + 1, IsRhsLabel);
  if (rhs < lhs + 3 || text.substr(rhs, 2) != "->") return kNone;
  const size_t out = SkipWhile(text, rhs + 2, IsLhsLabel);
  return out < rhs + 4 ? kNone : out;
}

size_t MatchDims(absl::string_view text, size_t from) {
  size_t end = SkipDigits(text, from);
  size_t groups = 1;
  while (end < text.size() && text[end] == 'x') {
    const size_t digits = SkipDigits(text, end + 1);
    if (digits == end + 1) break;
    end = digits;
    ++groups;
  }
  return groups > 1 && end > from ? end : kNone;
}

// One group of a padding: low_high or low_high_interior.
size_t MatchPadGroup(absl::string_view text, size_t from) {
  const auto number = [text](size_t i, bool may_be_negative) {
    const size_t digits = may_be_negative && i < text.size() && text[i] == '-' ? i + 1 : i;
    const size_t end = SkipDigits(text, digits);
    return end == digits ? kNone : end;
  };
  const size_t low = number(from, true);
  if (low == kNone || low >= text.size() || text[low] != '_') return kNone;
  const size_t high = number(low + 1, true);
  if (high == kNone) return kNone;
  if (high >= text.size() || text[high] != '_') return high;
  const size_t interior = number(high + 1, false);
  return interior == kNone ? high : interior;
}

size_t MatchPadding(absl::string_view text, size_t from) {
  size_t end = MatchPadGroup(text, from);
  while (end != kNone && end < text.size() && text[end] == 'x') {
    const size_t group = MatchPadGroup(text, end + 1);
    if (group == kNone) break;
    end = group;
  }
  return end;
}

// Needs a '.' or an exponent: otherwise it is an integer.
size_t MatchDecimal(absl::string_view text, size_t from) {
  size_t i = from < text.size() && text[from] == '-' ? from + 1 : from;
  const size_t whole = SkipDigits(text, i);
  size_t end = whole;
  bool has_point = false;
  if (end < text.size() && text[end] == '.') {
    has_point = true;
    end = SkipDigits(text, end + 1);
    if (whole == i && end == whole + 1) return kNone;
  } else if (whole == i) {
    return kNone;
  }
  if (end < text.size() && (text[end] == 'e' || text[end] == 'E')) {
    size_t digits = end + 1;
    if (digits < text.size() && (text[digits] == '+' || text[digits] == '-')) ++digits;
    const size_t exponent = SkipDigits(text, digits);
    if (exponent > digits) return exponent;
  }
  return has_point ? end : kNone;
}

// "(0x12ab)" behind nan; kNone when it is not there.
size_t MatchNanPayload(absl::string_view text, size_t from) {
  if (text.substr(from, 3) != "(0x") return kNone;
  const size_t end = SkipWhile(text, from + 3, [](char c) {
    return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  });
  if (end == from + 3 || end >= text.size() || text[end] != ')') return kNone;
  return end + 1;
}

}  // namespace

void Lexer::CountLines(size_t from, size_t to) {
  for (size_t i = text_.find('\n', from); i < to; i = text_.find('\n', i + 1)) {
    ++line_;
    line_start_ = i + 1;
  }
}

void Lexer::Start() {
  token_ = Token();
  token_.begin = next_;
  token_.position = {line_, static_cast<int32_t>(next_ - line_start_) + 1};
}

void Lexer::Emit(TokenKind kind, size_t end) {
  token_.kind = kind;
  token_.end = next_ = end;
  token_.text = text_.substr(token_.begin, end - token_.begin);
}

void Lexer::EmitError(absl::string_view message, size_t end) {
  Emit(TokenKind::kError, end);
  token_.text = message;
}

void Lexer::SkipBlanks() {
  while (next_ < text_.size()) {
    const char c = text_[next_];
    if (c == '\n') {
      ++line_;
      line_start_ = ++next_;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++next_;
    } else if (c == '/' && At(next_ + 1) == '/') {
      next_ = std::min(text_.find('\n', next_), text_.size());
    } else if (c == '/' && At(next_ + 1) == '*') {
      const size_t end = text_.find("*/", next_ + 2);
      if (end == kNone) return;  // the '/' becomes an error token
      CountLines(next_, end);
      next_ = end + 2;
    } else {
      return;
    }
  }
}

void Lexer::Next() {
  SkipBlanks();
  Start();
  if (next_ >= text_.size()) return Emit(TokenKind::kEnd, text_.size());
  const char c = text_[next_];
  if (IsIdentifierStart(c)) return LexWord();
  if (c == '%') return LexPercentName();
  if (IsDigit(c) || c == '-' || c == '?') return LexNumber();
  if (c == '"' || c == '\'') return LexString();
  LexPunctuation();
}

TokenKind Lexer::PeekKind() const {
  Lexer ahead(*this);
  ahead.Next();
  return ahead.token_.kind;
}

void Lexer::LexWord() {
  const size_t end = SkipWhile(text_, next_, IsIdentifierChar);
  const absl::string_view word = text_.substr(next_, end - next_);
  if (At(end) == ':') {
    Emit(TokenKind::kName, end + 1);
  } else if (At(end) == '=') {
    Emit(TokenKind::kAttribute, end + 1);
  } else if (IsHloTypeWord(word)) {
    Emit(TokenKind::kType, end);
  } else if (word == "nan") {
    return LexNan(end);
  } else if (IsHloKeyword(word)) {
    Emit(TokenKind::kKeyword, end);
  } else if (const size_t labels = MatchDimLabels(text_, next_); labels != kNone) {
    return Emit(TokenKind::kDimLabels, labels);
  } else {
    Emit(TokenKind::kIdentifier, end);
  }
  token_.text = word;
}

void Lexer::LexPercentName() {
  const size_t from = next_ + 1;
  if (!IsIdentifierStart(At(from))) return EmitError("expected a name after '%'", from);
  Emit(TokenKind::kName, SkipWhile(text_, from, IsIdentifierChar));
  token_.text.remove_prefix(1);
}

// FROM is behind the word nan.
void Lexer::LexNan(size_t from) {
  const size_t payload = MatchNanPayload(text_, from);
  Emit(TokenKind::kDecimal, payload == kNone ? from : payload);
  token_.decimal =
      std::copysign(std::numeric_limits<double>::quiet_NaN(), token_.text[0] == '-' ? -1.0 : 1.0);
}

void Lexer::LexNumber() {
  const size_t from = next_;
  const bool negative = text_[from] == '-';
  if (negative && At(from + 1) == '>') return Emit(TokenKind::kArrow, from + 2);
  const size_t digits = from + (negative ? 1 : 0);
  const size_t end = SkipDigits(text_, digits);
  // Only these can continue a number into another spelling.
  constexpr absl::string_view kContinues = ".eEx_bfio?-";
  if (end == digits || kContinues.find(At(end)) != kNone) {
    if (const size_t decimal = MatchDecimal(text_, from); decimal != kNone) {
      Emit(TokenKind::kDecimal, decimal);
      const char* const begin = token_.text.data();
      const absl::from_chars_result read =
          absl::from_chars(begin, begin + token_.text.size(), token_.decimal);
      // What is too small reads as zero; what is too large is no number of ours.
      if (read.ec != std::errc() && std::fabs(token_.decimal) >= 1)
        EmitError("number out of the range of a double", decimal);
      return;
    }
    if (const size_t labels = MatchDimLabels(text_, from); labels != kNone)
      return Emit(TokenKind::kDimLabels, labels);
    if (const size_t dims = MatchDims(text_, from); dims != kNone)
      return Emit(TokenKind::kDims, dims);
    if (const size_t padding = MatchPadding(text_, from); padding != kNone)
      return Emit(TokenKind::kPadding, padding);
  }
  if (end == digits) {
    if (text_[from] == '?') return Emit(TokenKind::kQuestion, from + 1);
    if (text_.substr(from, 4) == "-inf") return Emit(TokenKind::kNegativeInfinity, from + 4);
    if (text_.substr(from, 4) == "-nan") return LexNan(from + 4);
    return EmitError("expected a number after '-'", from + 1);
  }
  Emit(TokenKind::kInteger, end);
  token_.negative = negative;
  uint64_t value = 0;
  for (size_t i = digits; i < end; ++i) {
    if (__builtin_mul_overflow(value, uint64_t{10}, &value) ||
        __builtin_add_overflow(value, static_cast<uint64_t>(text_[i] - '0'), &value))
      return EmitError("integer of more than 64 bits", end);
  }
  if (negative && value > uint64_t{1} << 63) return EmitError("integer of more than 64 bits", end);
  token_.integer = negative ? ~value + 1 : value;
}

void Lexer::LexString() {
  const char quote = text_[next_];
  size_t i = next_ + 1;
  while (i < text_.size() && text_[i] != quote) i += text_[i] == '\\' ? 2 : 1;
  if (i >= text_.size()) return EmitError("string without an end", text_.size());
  const size_t from = next_;
  Emit(TokenKind::kString, i + 1);
  CountLines(from, i);
}

void Lexer::LexPunctuation() {
  const char c = text_[next_];
  struct Punctuation {
    char character;
    TokenKind kind;
  };
  static constexpr Punctuation kOneCharacter[] = {
      {'=', TokenKind::kEquals},       {',', TokenKind::kComma},
      {':', TokenKind::kColon},        {'*', TokenKind::kStar},
      {'#', TokenKind::kHash},         {'+', TokenKind::kPlus},
      {'~', TokenKind::kTilde},        {'[', TokenKind::kLeftBracket},
      {']', TokenKind::kRightBracket}, {'{', TokenKind::kLeftBrace},
      {'}', TokenKind::kRightBrace},   {'(', TokenKind::kLeftParen},
      {')', TokenKind::kRightParen},
  };
  for (const Punctuation& p : kOneCharacter) {
    if (p.character == c) return Emit(p.kind, next_ + 1);
  }
  if (text_.substr(next_, 2) == "<=") return Emit(TokenKind::kLessEqual, next_ + 2);
  if (text_.substr(next_, 3) == "...") return Emit(TokenKind::kDots, next_ + 3);
  if (text_.substr(next_, 2) == "/*") return EmitError("comment without an end", text_.size());
  EmitError("no token begins so", next_ + 1);
}

bool Lexer::ReadBlob(absl::string_view* blob) {
  const size_t length = BraceBlobLength(text_.substr(token_.begin));
  if (length == kNone) {
    EmitError("'{' without a matching '}'", text_.size());
    return false;
  }
  *blob = text_.substr(token_.begin, length);
  next_ = token_.begin + length;
  CountLines(token_.begin, next_);
  Next();
  return true;
}

void Lexer::SkipToNextStatement() {
  while (token_.kind != TokenKind::kEnd) {
    const size_t newline = text_.find('\n', next_);
    if (newline == kNone) {
      next_ = text_.size();
      return Next();
    }
    next_ = line_start_ = newline + 1;
    ++line_;
    const size_t line_end = std::min(text_.find('\n', next_), text_.size());
    absl::string_view line = text_.substr(next_, std::min<size_t>(line_end - next_, 400));
    while (!line.empty() && (line[0] == ' ' || line[0] == '\t')) line.remove_prefix(1);
    const bool at_margin = line.data() == text_.data() + next_;
    const bool begins_body = at_margin && absl::EndsWith(line, "{");
    if (absl::StartsWith(line, "}") || begins_body || line.find(" = ") != kNone) return Next();
  }
}

absl::string_view Lexer::LineAt(size_t offset) const {
  constexpr size_t kMostShown = 4096;
  offset = std::min(offset, text_.size());
  const size_t before = offset == 0 ? kNone : text_.rfind('\n', offset - 1);
  const size_t begin = before == kNone ? 0 : before + 1;
  if (offset - begin > kMostShown) return "";
  const size_t end = std::min(text_.find('\n', offset), text_.size());
  return text_.substr(begin, std::min(end - begin, kMostShown));
}

std::string Describe(const Token& token) {
  if (token.kind == TokenKind::kEnd) return "end of input";
  constexpr size_t kMostShown = 60;
  std::string text(token.text.substr(0, kMostShown));
  if (token.kind == TokenKind::kName) text = absl::StrCat("%", text);
  if (token.kind == TokenKind::kAttribute) text += "=";
  return absl::StrCat("'", text, token.text.size() > kMostShown ? "...'" : "'");
}

}  // namespace astitch::hlo_text
