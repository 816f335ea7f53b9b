// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Reports faults and reads the small values.
#include "frontend/hlo_text/reader.h"

#include <algorithm>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "frontend/hlo_text/limits.h"

namespace astitch::hlo_text {
namespace {

// A blob's text without comments, each run of blanks as one. Strings in either quote stay as they
// are.
std::string Tidy(absl::string_view blob) {
  std::string out;
  out.reserve(blob.size());
  char quote = 0;
  for (size_t i = 0; i < blob.size(); ++i) {
    const char c = blob[i];
    if (quote != 0) {
      out += c;
      if (c == '\\' && i + 1 < blob.size()) out += blob[++i];
      if (c == quote) quote = 0;
    } else if (c == '/' && blob.substr(i, 2) == "/*") {
      const size_t end = blob.find("*/", i + 2);
      if (end == absl::string_view::npos) return std::string(blob);
      i = end + 1;
    } else if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      if (!out.empty() && out.back() != ' ') out += ' ';
    } else {
      if (c == '"' || c == '\'') quote = c;
      out += c;
    }
  }
  // An unpaired quote is no string after all.
  return quote == 0 ? out : std::string(blob);
}

}  // namespace

bool Reader::Fail(absl::string_view expected) {
  // A fault of the lexer says more than what was expected instead.
  if (Is(TokenKind::kError)) {
    constexpr size_t kMostShown = 20;
    const size_t length = std::min(token().end - token().begin, kMostShown);
    return FailAt(token(),
                  absl::StrCat(token().text, ": '",
                               absl::CEscape(lexer_.text().substr(token().begin, length)), "'"));
  }
  return FailAt(token(), absl::StrCat("expected ", expected, ", got ", Describe(token())));
}

bool Reader::FailAt(const Token& at, absl::string_view message) {
  if (!is_full()) {
    diagnostics_.push_back(
        {at.position, std::string(message), std::string(lexer_.LineAt(at.begin))});
  }
  return false;
}

bool Reader::is_full() const { return diagnostics_.size() >= kMaxDiagnostics; }

absl::Status Reader::status() const {
  return has_failed() ? DiagnosticsError(diagnostics_) : absl::OkStatus();
}

bool Reader::ReadInteger(absl::string_view what, int64_t* out) {
  if (!Is(TokenKind::kInteger)) return Fail(what);
  if (!token().negative && token().integer > uint64_t{INT64_MAX}) return Fail(what);
  *out = static_cast<int64_t>(token().integer);
  Next();
  return true;
}

bool Reader::ReadNonNegative(absl::string_view what, int64_t* out) {
  if (Is(TokenKind::kInteger) && token().negative && token().integer != 0) return Fail(what);
  return ReadInteger(what, out);
}

bool Reader::ReadBool(absl::string_view what, bool* out) {
  if (!IsKeyword("true") && !IsKeyword("false")) return Fail(what);
  *out = token().text == "true";
  Next();
  return true;
}

bool Reader::ReadFloat(absl::string_view what, double* out) {
  if (Is(TokenKind::kDecimal) && token().decimal == token().decimal) {
    *out = token().decimal;
  } else if (Is(TokenKind::kInteger)) {
    *out = token().negative ? static_cast<double>(static_cast<int64_t>(token().integer))
                            : static_cast<double>(token().integer);
  } else {
    return Fail(what);
  }
  Next();
  return true;
}

bool Reader::ReadString(absl::string_view what, std::string* out) {
  if (!Is(TokenKind::kString)) return Fail(what);
  absl::string_view inside = token().text;
  inside.remove_prefix(1);
  inside.remove_suffix(1);
  std::string why;
  if (!absl::CUnescape(inside, out, &why))
    return FailAt(token(), absl::StrCat("bad escape in string: ", why));
  Next();
  return true;
}

bool Reader::ReadName(absl::string_view what, std::string* out) {
  if (!Is(TokenKind::kName) && !Is(TokenKind::kIdentifier)) return Fail(what);
  *out = std::string(token().text);
  Next();
  return true;
}

bool Reader::ReadWord(absl::string_view what, std::string* out) {
  if (!Is(TokenKind::kKeyword) && !Is(TokenKind::kIdentifier)) return Fail(what);
  *out = std::string(token().text);
  Next();
  return true;
}

bool Reader::ReadIntList(absl::string_view what, std::vector<int64_t>* out) {
  return ReadBracedList(*this, what, [&] {
    out->push_back(0);
    return ReadInteger("an integer", &out->back());
  });
}

bool Reader::ReadStringOrBlob(absl::string_view what, std::string* out) {
  if (!Is(TokenKind::kLeftBrace)) return ReadString(what, out);
  absl::string_view blob;
  if (!lexer_.ReadBlob(&blob)) return Fail(what);
  *out = std::string(blob);
  return true;
}

bool Reader::ReadTidyBlob(absl::string_view what, std::string* out) {
  if (!Is(TokenKind::kLeftBrace)) return Fail(what);
  absl::string_view blob;
  if (!lexer_.ReadBlob(&blob)) return Fail(what);
  *out = Tidy(blob);
  return true;
}

}  // namespace astitch::hlo_text
