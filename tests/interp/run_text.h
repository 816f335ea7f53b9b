// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Runs HLO text on the interpreter and shows the result as text, so that a test is two strings.
#pragma once

#include <ostream>
#include <regex>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "frontend/hlo_text/parser.h"
#include "gtest/gtest.h"
#include "interp/interpreter.h"
#include "ir/literal_text.h"
#include "ir/verifier.h"

namespace astitch {

inline absl::StatusOr<Literal> RunText(absl::string_view text, std::vector<Literal> arguments = {},
                                       const InterpreterOptions& options = {}) {
  ASTITCH_ASSIGN_OR_RETURN(const std::unique_ptr<Graph> graph, ParseHloText(text));
  ASTITCH_RETURN_IF_ERROR(VerifyGraph(*graph));
  return Evaluate(*graph, arguments, options);
}

// The value as constant(...) would print it; NaNs without sign and payload unless KEEP_NAN.
inline std::string ValueText(const absl::StatusOr<Literal>& value, bool keep_nan = false) {
  if (!value.ok()) return std::string(value.status().message());
  const std::string text = LiteralText(*value);
  if (keep_nan) return text;
  return std::regex_replace(text, std::regex("-?nan(\\(0x[0-9a-f]+\\))?"), "nan");
}

// One instruction, its operands written as constants in place.
struct OneInstruction {
  const char* instruction;
  const char* value;
};

inline void PrintTo(const OneInstruction& row, std::ostream* out) { *out << row.instruction; }

inline std::string RunOne(absl::string_view instruction, bool keep_nan = false) {
  return ValueText(RunText(absl::StrCat("ENTRY e {\n  ROOT r = ", instruction, "\n}\n")), keep_nan);
}

template <size_t kRows>
void ExpectAll(const OneInstruction (&rows)[kRows], bool keep_nan = false) {
  for (const OneInstruction& row : rows) {
    EXPECT_EQ(RunOne(row.instruction, keep_nan), row.value) << row.instruction;
  }
}

}  // namespace astitch
