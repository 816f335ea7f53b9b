// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Diagnostics survive their trip in a status and render with a caret.
#include "base/status.h"

#include <gtest/gtest.h>

namespace astitch {
namespace {

TEST(Status, DiagnosticsTravelAndRenderWithACaret) {
  const absl::Status status =
      DiagnosticsError({{{7, 3}, "expected a shape, got ','", "  , f32[2]"}});
  ASSERT_EQ(GetDiagnostics(status).size(), 1u);
  EXPECT_EQ(GetDiagnostics(status)[0].position, (TextPosition{7, 3}));
  EXPECT_EQ(RenderError(status, "m.hlo"),
            "m.hlo:7:3: error: expected a shape, got ','\n    , f32[2]\n    ^\n");
}

TEST(Status, AnnotateKeepsCodeAndDiagnostics) {
  const absl::Status status = Annotate(DiagnosticsError({{{1, 1}, "bad", "x"}}), "while parsing");
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(GetDiagnostics(status).size(), 1u);
  EXPECT_EQ(status.message(), "while parsing: 1:1: bad");
}

TEST(Status, ALongLineIsShownAsAWindow) {
  const absl::Status status = DiagnosticsError({{{1, 5000}, "bad", std::string(10000, 'x')}});
  EXPECT_LT(RenderError(status, "f").size(), 500u);
}

}  // namespace
}  // namespace astitch
