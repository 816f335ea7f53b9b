// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// astitch-simt: launches a kernel of a PTX file on the simulated device, for people with no GPU.
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/file.h"
#include "base/status.h"
#include "simt/launch.h"
#include "tensor_io/load.h"
#include "tools/common/cli.h"
#include "tools/simt_arguments.h"
#include "tools/simt_report.h"

namespace astitch {
namespace {

struct Options {
  std::string input = "-", grid = "1", block = "1", cluster, output, order = "forward";
  std::vector<std::string> args;
  simt::LaunchParams launch;
  int64_t l2_mib = 40;
  bool no_races = false, no_traffic = false, json = false;
};

void AddFlags(CLI::App& app, Options& o) {
  app.add_option("FILE", o.input, "PTX text; - is standard input")->required();
  app.add_option("--kernel", o.launch.kernel, "The entry; may be left out where there is one");
  app.add_option("--grid", o.grid, "Blocks: X, X,Y or X,Y,Z")->capture_default_str();
  app.add_option("--block", o.block, "Threads of a block, likewise")->capture_default_str();
  app.add_option("--cluster", o.cluster,
                 "Blocks of a cluster, likewise; .reqnctapercluster if absent");
  app.add_option("--smem", o.launch.dynamic_smem_bytes, "Bytes of dynamic shared memory")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--arg", o.args,
                 "The next parameter: a SPEC (a scalar is passed by value, an array as a read-only "
                 "buffer), inout:SPEC, out:BYTES or out:4x8xf32")
      ->allow_extra_args(false)
      ->type_name("ARG");
  app.add_option("--output", o.output, "@out.npz (out0, out1, ...: the out and inout arguments)")
      ->type_name("@FILE");
  app.add_flag("--cooperative", o.launch.cooperative, "Refuse a grid that is not resident at once");
  app.add_option("--resident", o.launch.resident_blocks, "Blocks that are resident at a time")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--order", o.order, "Who runs next: forward, reverse, random or starve")
      ->check(CLI::IsMember(simt::OrderWords()))
      ->capture_default_str();
  app.add_option("--seed", o.launch.seed, "Of --order=random");
  app.add_option("--slice", o.launch.slice, "Instructions of a warp before the next one runs")
      ->check(CLI::PositiveNumber);
  app.add_option("--max-steps", o.launch.max_steps, "Instructions of warps before it is given up")
      ->check(CLI::PositiveNumber);
  app.add_option("--l2", o.l2_mib, "MiB of L2")->check(CLI::PositiveNumber)->capture_default_str();
  app.add_flag("--no-races", o.no_races, "Do not look for data races: several times faster");
  app.add_flag("--no-traffic", o.no_traffic, "Do not count sectors and bank conflicts");
  app.add_flag("--json", o.json, "Print one JSON object instead of text");
}

absl::Status ParseDims(const std::string& text, std::array<int64_t, 3>& out) {
  out = {1, 1, 1};
  const std::vector<std::string> parts = absl::StrSplit(text, absl::ByAnyChar(",x"));
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i >= 3 || !absl::SimpleAtoi(parts[i], &out[i]) || out[i] < 1) {
      return absl::InvalidArgumentError(absl::StrCat("expected X, X,Y or X,Y,Z, got '", text, "'"));
    }
  }
  return absl::OkStatus();
}

absl::Status FinishParams(Options& o) {
  ASTITCH_RETURN_IF_ERROR(ParseDims(o.grid, o.launch.grid));
  ASTITCH_RETURN_IF_ERROR(ParseDims(o.block, o.launch.block));
  if (!o.cluster.empty()) {
    ASTITCH_RETURN_IF_ERROR(ParseDims(o.cluster, o.launch.cluster));
  }
  o.launch.order = simt::OrderOf(o.order);
  o.launch.l2_bytes = o.l2_mib << 20;
  o.launch.races = !o.no_races;
  o.launch.traffic = !o.no_traffic;
  return absl::OkStatus();
}

// A device that would refuse the launch is a device problem; everything else is the user's.
ExitCode CodeOf(const absl::Status& status) {
  return absl::IsFailedPrecondition(status) ? kExitDeviceProblem : kExitUserError;
}

int Body(Options& o) {
  if (absl::Status s = FinishParams(o); !s.ok()) return Fail(s, kExitUserError);
  absl::StatusOr<std::string> text = ReadFile(o.input);
  if (!text.ok()) return Fail(text.status(), kExitUserError);
  const Source source{o.input == "-" ? "<stdin>" : o.input, *std::move(text)};
  absl::StatusOr<simt::Module> module = simt::ParsePtx(source.text);
  if (!module.ok()) return Fail(module.status(), kExitUserError, &source);
  absl::StatusOr<SimtArguments> arguments = LoadSimtArguments(o.args);
  if (!arguments.ok()) return Fail(arguments.status(), kExitUserError);
  o.launch.arguments = arguments->values;
  absl::StatusOr<simt::LaunchResult> result =
      simt::Launch(*module, o.launch, absl::MakeSpan(arguments->buffers));
  if (!result.ok()) return Fail(result.status(), CodeOf(result.status()), &source);
  const std::vector<Literal> outputs = arguments->Outputs();
  if (!o.output.empty()) {
    if (absl::Status s = SaveOutputs(o.output, outputs); !s.ok()) return Fail(s, kExitUserError);
  }
  const int printed = Emit("-", o.json ? SimtJson(*result, *arguments)
                                       : SimtText(*result, *arguments, o.output.empty()));
  if (printed != kExitOk || result->reports.empty()) return printed;
  return Fail(SimtReportsError(result->reports), kExitMismatch, &source);
}

}  // namespace
}  // namespace astitch

int main(int argc, char** argv) {
  CLI::App app("Runs a kernel of a PTX file on the simulated device", "astitch-simt");
  astitch::Options options;
  astitch::AddFlags(app, options);
  return astitch::RunTool(app, argc, argv, [&] { return astitch::Body(options); });
}
