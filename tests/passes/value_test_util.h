// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Passes that rewrite an operation away: the interpreter gives the same bits before and after.
//
// Graphs have no parameters, so that their text is all of the case.
#pragma once

#include <string>

#include "interp/interpreter.h"
#include "ir/literal_text.h"
#include "tests/passes/pass_test_util.h"

namespace astitch {

inline std::string ValueOf(const Graph& graph) {
  const auto value = Evaluate(graph, {});
  EXPECT_TRUE(value.ok()) << value.status();
  return value.ok() ? LiteralText(*value) : "";
}

// PASS leaves no OPERATION in TEXT, whose value is VALUE, or any if that is null.
inline void ExpectSameWithout(absl::string_view operation, const std::string& pass,
                              absl::string_view text, const char* value = nullptr) {
  SCOPED_TRACE(std::string(text));
  const std::unique_ptr<Graph> graph = ParseModule(text);
  ASSERT_TRUE(graph != nullptr);
  const std::string before = ValueOf(*graph);
  if (value != nullptr) {
    EXPECT_EQ(before, value);
  }
  const absl::StatusOr<bool> changed = RunPasses(*graph, {pass});
  ASSERT_TRUE(changed.ok()) << changed.status();
  EXPECT_TRUE(*changed);
  EXPECT_EQ(ToHloText(*graph).find(absl::StrCat(operation, "(")), std::string::npos);
  EXPECT_EQ(ValueOf(*graph), before);
}

}  // namespace astitch
