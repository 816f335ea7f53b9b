// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

#include "tools/simt_report.h"

#include <numeric>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "nlohmann/json.hpp"
#include "tensor_io/format.h"

namespace astitch {
namespace {

using Json = nlohmann::ordered_json;

int64_t Total(const std::array<int64_t, simt::kNumOpClasses>& counts) {
  return std::accumulate(counts.begin(), counts.end(), int64_t{0});
}

void AppendStage(const simt::StageCounts& stage, const SimtArguments& arguments, std::string* out) {
  absl::StrAppend(out, "stage ", stage.stage.empty() ? "-" : stage.stage, "  warp instructions ",
                  Total(stage.warp_instructions), "  thread instructions ",
                  Total(stage.thread_instructions), "\n");
  for (int i = 0; i < simt::kNumOpClasses; ++i) {
    if (stage.warp_instructions[i] == 0) continue;
    absl::StrAppend(out, "  ", simt::ToString(static_cast<simt::OpClass>(i)), " ",
                    stage.warp_instructions[i], "\n");
  }
  if (stage.shared_accesses > 0) {
    absl::StrAppend(out, "  shared accesses ", stage.shared_accesses, "  bank conflicts ",
                    stage.bank_conflicts, "\n");
  }
  if (stage.block_barriers + stage.warp_barriers + stage.cluster_barriers > 0) {
    absl::StrAppend(out, "  barriers: block ", stage.block_barriers, "  warp ", stage.warp_barriers,
                    "  cluster ", stage.cluster_barriers, "\n");
  }
  for (size_t b = 0; b < arguments.buffers.size() && b < stage.buffers.size(); ++b) {
    const simt::BufferTraffic& t = stage.buffers[b];
    if (t.l2_load_sectors + t.l2_store_sectors == 0) continue;
    absl::StrAppend(out, "  ", arguments.buffers[b].name, ": L2 sectors loaded ", t.l2_load_sectors,
                    " stored ", t.l2_store_sectors, "  DRAM sectors read ", t.dram_read_sectors,
                    " written ", t.dram_write_sectors, "\n");
  }
}

Json StageJson(const simt::StageCounts& stage, const SimtArguments& arguments) {
  Json warps = Json::object(), threads = Json::object(), buffers = Json::object();
  for (int i = 0; i < simt::kNumOpClasses; ++i) {
    if (stage.warp_instructions[i] == 0) continue;
    const std::string name(simt::ToString(static_cast<simt::OpClass>(i)));
    warps[name] = stage.warp_instructions[i];
    threads[name] = stage.thread_instructions[i];
  }
  for (size_t b = 0; b < arguments.buffers.size() && b < stage.buffers.size(); ++b) {
    const simt::BufferTraffic& t = stage.buffers[b];
    buffers[arguments.buffers[b].name] = {{"l2_load_sectors", t.l2_load_sectors},
                                          {"l2_store_sectors", t.l2_store_sectors},
                                          {"dram_read_sectors", t.dram_read_sectors},
                                          {"dram_write_sectors", t.dram_write_sectors}};
  }
  return {{"stage", stage.stage},
          {"warp_instructions", warps},
          {"thread_instructions", threads},
          {"shared_accesses", stage.shared_accesses},
          {"bank_conflicts", stage.bank_conflicts},
          {"block_barriers", stage.block_barriers},
          {"warp_barriers", stage.warp_barriers},
          {"cluster_barriers", stage.cluster_barriers},
          {"buffers", buffers}};
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
  for (const simt::StageCounts& stage : result.stages) AppendStage(stage, arguments, &out);
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
  for (const simt::StageCounts& stage : result.stages)
    stages.push_back(StageJson(stage, arguments));
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
