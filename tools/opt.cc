// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// astitch-opt: runs passes by name over a graph and prints the graph; without passes it prints what
// it read.
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/status.h"
#include "ir/hlo_printer.h"
#include "passes/pass_runner.h"
#include "tools/common/graph_input.h"
#include "tools/common/stopwatch.h"
#include "tools/common/time_report.h"

namespace astitch {
namespace {

struct Options {
  std::string input, output = "-", elided;
  std::vector<std::string> passes;
  bool list_passes = false, time_report = false;
};

void AddFlags(CLI::App& app, Options& o) {
  app.add_option("IN", o.input, "HLO text; - is standard input");
  app.add_option("-o", o.output, "Where the graph goes; - is standard output")->type_name("FILE");
  app.add_option("--passes", o.passes,
                 "Passes or groups to run, in order; 'standard' is what a compilation runs")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("A,B");
  app.add_flag("--list-passes", o.list_passes, "List passes and groups, and leave");
  app.add_flag("--time-report", o.time_report, "Times of the phases, on standard error");
  AddElidedFlag(app, o.elided);
}

std::string PassList() {
  std::string out;
  for (const PassInfo& pass : ListPasses()) {
    absl::StrAppendFormat(&out, "%-24s %s\n", pass.name, pass.description);
  }
  for (const PassGroup& group : PassGroups()) {
    absl::StrAppendFormat(&out, "%-24s %s\n", group.name, group.description);
  }
  return out;
}

std::vector<std::string> ExpandStandard(const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const std::string& name : names) {
    if (name != "standard") {
      out.push_back(name);
      continue;
    }
    for (std::string& pass : StandardPipeline()) out.push_back(std::move(pass));
  }
  return out;
}

int Body(const Options& o) {
  if (o.list_passes) return Emit("-", PassList());
  if (o.input.empty()) {
    return Fail(absl::InvalidArgumentError("IN is required; see --help"), kExitUserError);
  }
  GraphInput input;
  if (absl::Status s = ReadGraph(o.input, o.elided, input); !s.ok()) {
    return Fail(s, kExitUserError, &input.source);
  }
  const Stopwatch watch;
  const absl::StatusOr<bool> changed = RunPasses(*input.graph, ExpandStandard(o.passes));
  if (!changed.ok()) {
    const bool unknown = absl::IsNotFound(changed.status());
    return Fail(changed.status(), unknown ? kExitUserError : kExitCompileFailure, &input.source);
  }
  if (o.time_report) {
    PrintTimeReport({{"parse", input.parse_ms}, {"passes", watch.ElapsedMs()}});
  }
  return Emit(o.output, ToHloText(*input.graph, HloPrintOptions::Complete()));
}

}  // namespace
}  // namespace astitch

int main(int argc, char** argv) {
  CLI::App app("Runs passes over a graph and prints it", "astitch-opt");
  astitch::Options options;
  astitch::AddFlags(app, options);
  return astitch::RunTool(app, argc, argv, [&] { return astitch::Body(options); });
}
