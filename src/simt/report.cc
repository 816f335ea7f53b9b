// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Keeps each fault once, by kind and line, and prints it with its place in the plan.
#include "simt/report.h"

#include "absl/strings/str_cat.h"
#include "base/check.h"

namespace astitch::simt {

absl::string_view ToString(ReportKind kind) {
  switch (kind) {
#define X(enumerator, word)    \
  case ReportKind::enumerator: \
    return word;
    ASTITCH_SIMT_REPORTS(X)
#undef X
  }
  ASTITCH_UNREACHABLE();
}

std::string ToString(const Report& report) {
  std::string out = absl::StrCat(report.line, ": ", ToString(report.kind));
  if (!report.stage.empty()) absl::StrAppend(&out, " (stage ", report.stage, ")");
  absl::StrAppend(&out, ": ", report.message, " [block ", report.block, ", thread ", report.thread);
  if (report.count > 1) absl::StrAppend(&out, "; ", report.count, " times");
  return absl::StrCat(out, "]");
}

bool ReportSink::Count(ReportKind kind, int32_t line, int32_t other_line) {
  const auto [it, inserted] =
      index_.emplace(std::make_tuple(kind, line, other_line), reports_.size());
  if (!inserted) {
    if (it->second < reports_.size()) ++reports_[it->second].count;
    return false;
  }
  if (!full()) return true;
  it->second = SIZE_MAX;
  return false;
}

}  // namespace astitch::simt
