// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Errors as values: status helpers, positions in input text, and the two propagation macros.
//
// A message says what was expected, what came and where: lower case, no full stop, the values
// themselves. The position in the input travels as a payload, so that a tool can render file, line
// and caret, whoever produced the error.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace astitch {

// A position in input text; 1-based, 0 means unknown.
struct TextPosition {
  int32_t line = 0;
  int32_t column = 0;
  friend bool operator==(const TextPosition&, const TextPosition&) = default;
};

std::string ToString(const TextPosition& position);  // "7:29", or "" when unknown

// One located fault in input text. Several may travel in one status.
struct Diagnostic {
  TextPosition position;
  std::string message;    // "expected f32[128] for operand 1 of add, got f32[64]"
  std::string text_line;  // the offending line, empty when the text is no longer there
};

// An InvalidArgument status that carries the diagnostics; its message is their one-line forms.
absl::Status DiagnosticsError(const std::vector<Diagnostic>& diagnostics);
// The diagnostics a status carries; empty when it has none.
std::vector<Diagnostic> GetDiagnostics(const absl::Status& status);
// "FILE:7:29: error: message\n  line of text\n       ^", one block a diagnostic; a plain "FILE:
// error: message" without any.
std::string RenderError(const absl::Status& status, absl::string_view file);

// Puts "context: " before the message and keeps code and payloads.
absl::Status Annotate(const absl::Status& status, absl::string_view context);

}  // namespace astitch

#define ASTITCH_CONCAT_INNER(a, b) a##b
#define ASTITCH_CONCAT(a, b) ASTITCH_CONCAT_INNER(a, b)

#define ASTITCH_RETURN_IF_ERROR(expr)                                \
  if (::absl::Status astitch_status = (expr); astitch_status.ok()) { \
  } else                                                             \
    return astitch_status

#define ASTITCH_ASSIGN_OR_RETURN(lhs, expr) \
  ASTITCH_ASSIGN_OR_RETURN_IMPL(ASTITCH_CONCAT(astitch_statusor_, __LINE__), lhs, expr)
#define ASTITCH_ASSIGN_OR_RETURN_IMPL(tmp, lhs, expr) \
  auto tmp = (expr);                                  \
  if (!tmp.ok()) return tmp.status();                 \
  lhs = *std::move(tmp)
