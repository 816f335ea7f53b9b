// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Text to verified graph. The verifier knows positions only, so the lines of the text are put back
// into its diagnostics here, where the text still is.
#include <algorithm>
#include <utility>
#include <vector>

#include "astitch/graph.h"
#include "base/status.h"
#include "frontend/hlo_text/parser.h"
#include "ir/verifier.h"

namespace astitch {
namespace {

// Line NUMBER (from 1) of TEXT without its end, empty when there is none.
absl::string_view LineOf(absl::string_view text, int32_t number) {
  size_t start = 0;
  for (int32_t line = 1; line < number; ++line) {
    const size_t end = text.find('\n', start);
    if (end == absl::string_view::npos) return "";
    start = end + 1;
  }
  return text.substr(start, std::min(text.find('\n', start), text.size()) - start);
}

absl::Status WithTextLines(const absl::Status& status, absl::string_view text) {
  std::vector<Diagnostic> diagnostics = GetDiagnostics(status);
  if (diagnostics.empty()) return status;
  for (Diagnostic& d : diagnostics) {
    if (d.position.line > 0 && d.text_line.empty())
      d.text_line = std::string(LineOf(text, d.position.line));
  }
  return DiagnosticsError(diagnostics);
}

}  // namespace

absl::StatusOr<GraphPtr> ParseGraph(absl::string_view hlo_text) {
  ASTITCH_ASSIGN_OR_RETURN(std::unique_ptr<Graph> graph, ParseHloText(hlo_text));
  const absl::Status status = VerifyGraph(*graph);
  if (!status.ok()) return WithTextLines(status, hlo_text);
  return GraphPtr(graph.release());
}

}  // namespace astitch
