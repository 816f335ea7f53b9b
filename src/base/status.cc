// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Diagnostics travel in a status payload as records of four fields separated by the ASCII unit and
// record separators.
#include "base/status.h"

#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"

namespace astitch {
namespace {

constexpr char kUrl[] = "astitch.dev/diagnostics";
constexpr char kField = '\x1f';
constexpr char kRecord = '\x1e';

std::string Clean(absl::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c == kField || c == kRecord) c = ' ';
  }
  return out;
}

}  // namespace

std::string ToString(const TextPosition& position) {
  if (position.line == 0) return "";
  return absl::StrCat(position.line, ":", position.column);
}

absl::Status DiagnosticsError(const std::vector<Diagnostic>& diagnostics) {
  std::string message, payload;
  for (const Diagnostic& d : diagnostics) {
    if (!message.empty()) message += "\n";
    const std::string at = ToString(d.position);
    absl::StrAppend(&message, at, at.empty() ? "" : ": ", d.message);
    absl::StrAppend(&payload, d.position.line, std::string(1, kField), d.position.column,
                    std::string(1, kField), Clean(d.message), std::string(1, kField),
                    Clean(d.text_line), std::string(1, kRecord));
  }
  absl::Status status = absl::InvalidArgumentError(message);
  status.SetPayload(kUrl, absl::Cord(payload));
  return status;
}

std::vector<Diagnostic> GetDiagnostics(const absl::Status& status) {
  std::vector<Diagnostic> out;
  const absl::optional<absl::Cord> payload = status.GetPayload(kUrl);
  if (!payload.has_value()) return out;
  const std::string text(*payload);
  for (absl::string_view record : absl::StrSplit(text, kRecord, absl::SkipEmpty())) {
    const std::vector<std::string> fields = absl::StrSplit(record, kField);
    if (fields.size() != 4) continue;
    Diagnostic d;
    if (!absl::SimpleAtoi(fields[0], &d.position.line) ||
        !absl::SimpleAtoi(fields[1], &d.position.column))
      continue;
    d.message = fields[2];
    d.text_line = fields[3];
    out.push_back(std::move(d));
  }
  return out;
}

std::string RenderError(const absl::Status& status, absl::string_view file) {
  const std::vector<Diagnostic> diagnostics = GetDiagnostics(status);
  if (diagnostics.empty()) return absl::StrCat(file, ": error: ", status.message(), "\n");
  std::string out;
  for (const Diagnostic& d : diagnostics) {
    const std::string at = ToString(d.position);
    absl::StrAppend(&out, file, ":", at, at.empty() ? "" : ":", " error: ", d.message, "\n");
    if (d.text_line.empty() || d.position.column < 1) continue;
    // A line of many thousand characters is shown as a window around the column.
    constexpr int kWindow = 160;
    int column = d.position.column - 1;
    absl::string_view line = d.text_line;
    if (static_cast<int>(line.size()) > kWindow) {
      const int from = column > kWindow / 2 ? column - kWindow / 2 : 0;
      line = line.substr(from, kWindow);
      column -= from;
    }
    absl::StrAppend(&out, "  ", line, "\n  ", std::string(column, ' '), "^\n");
  }
  return out;
}

absl::Status Annotate(const absl::Status& status, absl::string_view context) {
  if (status.ok()) return status;
  absl::Status out(status.code(), absl::StrCat(context, ": ", status.message()));
  status.ForEachPayload(
      [&out](absl::string_view url, const absl::Cord& payload) { out.SetPayload(url, payload); });
  return out;
}

}  // namespace astitch
