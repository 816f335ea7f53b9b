// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

#include "tools/simt_report.h"

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "nlohmann/json.hpp"
#include "tensor_io/format.h"
#include "tools/simt_counts.h"

namespace astitch {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> BufferNames(const SimtArguments& arguments) {
  std::vector<std::string> names;
  for (const simt::Buffer& buffer : arguments.buffers) names.push_back(buffer.name);
  return names;
}

// The line is where the error is printed, so it's left out of the words.
std::string Words(const simt::Report& report) {
  const std::string text = simt::ToString(report);
  return text.substr(text.find(": ") + 2);
}

}  // namespace

std::string SimtText(const simt::LaunchResult& result, const SimtArguments& arguments,
                     bool with_values) {
  std::string out;
  if (with_values) {
    int number = 0;
    for (const Literal& value : arguments.Outputs()) {
      absl::StrAppend(&out, "out", number++, " ", Summarize(value), "\n");
    }
  }
  const std::vector<std::string> names = BufferNames(arguments);
  for (const simt::StageCounts& stage : result.stages) AppendStage(stage, names, &out);
  return out;
}

std::string SimtJson(const simt::LaunchResult& result, const SimtArguments& arguments) {
  Json reports = Json::array(), stages = Json::array(), outputs = Json::array();
  for (const simt::Report& report : result.reports) {
    reports.push_back({{"kind", std::string(simt::ToString(report.kind))},
                       {"line", report.line},
                       {"other_line", report.other_line},
                       {"stage", report.stage},
                       {"block", report.block},
                       {"thread", report.thread},
                       {"count", report.count},
                       {"message", report.message}});
  }
  const std::vector<std::string> names = BufferNames(arguments);
  for (const simt::StageCounts& stage : result.stages) stages.push_back(StageJson(stage, names));
  for (const Literal& value : arguments.Outputs()) outputs.push_back(Summarize(value));
  const Json all = {{"reports", reports},
                    {"outputs", outputs},
                    {"warp_instructions", result.steps},
                    {"stages", stages}};
  return all.dump(2) + "\n";
}

absl::Status SimtReportsError(const std::vector<simt::Report>& reports) {
  std::vector<Diagnostic> diagnostics;
  for (const simt::Report& report : reports) {
    diagnostics.push_back({{report.line, 1}, Words(report), ""});
  }
  return DiagnosticsError(diagnostics);
}

}  // namespace astitch
