// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// HLO text in, HLO text out: what every test of a pass is written in.
//
// Texts are the lines of an entry computation, or whole computations with an ENTRY among them; the
// HloModule line is added. Expected text is compared as the printer spells it, names included.
#pragma once

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "frontend/hlo_text/parser.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph.h"
#include "ir/hlo_printer.h"
#include "passes/pass_runner.h"

namespace astitch {

inline std::string ModuleText(absl::string_view text) {
  if (text.find("HloModule") != absl::string_view::npos) return std::string(text);
  if (text.find("ENTRY") != absl::string_view::npos) return absl::StrCat("HloModule m\n", text);
  return absl::StrCat("HloModule m\nENTRY main {\n", text, "\n}\n");
}

inline std::unique_ptr<Graph> ParseModule(absl::string_view text) {
  auto graph = ParseHloText(ModuleText(text));
  EXPECT_TRUE(graph.ok()) << graph.status() << "\n" << text;
  return graph.ok() ? *std::move(graph) : nullptr;
}

// The pass (or group) changes BEFORE into AFTER, and says that it changed something.
inline void ExpectRewrite(const std::string& pass, absl::string_view before,
                          absl::string_view after) {
  SCOPED_TRACE(std::string(before));
  const std::unique_ptr<Graph> graph = ParseModule(before);
  const std::unique_ptr<Graph> expected = ParseModule(after);
  ASSERT_TRUE(graph != nullptr && expected != nullptr);
  const absl::StatusOr<bool> changed = RunPasses(*graph, {pass});
  ASSERT_TRUE(changed.ok()) << changed.status();
  EXPECT_TRUE(*changed);
  EXPECT_EQ(ToHloText(*graph), ToHloText(*expected));
}

// The pass changes nothing, and says so.
inline void ExpectUnchanged(const std::string& pass, absl::string_view text) {
  SCOPED_TRACE(std::string(text));
  const std::unique_ptr<Graph> graph = ParseModule(text);
  ASSERT_TRUE(graph != nullptr);
  const std::string before = ToHloText(*graph);
  const absl::StatusOr<bool> changed = RunPasses(*graph, {pass});
  ASSERT_TRUE(changed.ok()) << changed.status();
  EXPECT_FALSE(*changed);
  EXPECT_EQ(ToHloText(*graph), before);
}

}  // namespace astitch
