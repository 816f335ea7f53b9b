// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// astitch-run: runs a graph on given or drawn inputs and shows, stores or checks what comes out.
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "artifact/executable_image.h"
#include "astitch/compile.h"
#include "base/status.h"
#include "runtime/simt/simulated_device.h"
#include "tensor_io/layout.h"
#include "tensor_io/load.h"
#include "tools/common/compile_phases.h"
#include "tools/common/execution.h"
#include "tools/common/graph_input.h"
#include "tools/common/host_execution.h"
#include "tools/common/inputs.h"
#include "tools/run_report.h"

namespace astitch {
namespace {

constexpr absl::string_view kSimulated = "simt:";

struct Options {
  std::string input, target = "host", elided, manifest, output, simt_order = "forward";
  std::vector<std::string> inputs, expected;
  std::optional<double> rtol, atol;
  CompileOptions compile;
  SimulatorOptions simulator;
  std::vector<const CLI::Option*> of_simulator;  // flags that only a simulated GPU heeds
  int repeat = 1;
  bool time = false, json = false, time_report = false, simt_report = false;
};

// "host", "interp" or "simt:GPU".
std::string CheckTarget(const std::string& target) {
  if (target == "host" || target == "interp" || absl::StartsWith(target, kSimulated)) return "";
  return absl::StrCat("expected host, interp or ", kSimulated, "GPU, got ", target);
}

void AddFlags(CLI::App& app, Options& o) {
  app.add_option("IN", o.input, "HLO text; - is standard input")->required();
  app.add_option("--target", o.target,
                 "host, interp, or simt:GPU, a simulated GPU (simt:a100, simt:sm_80, "
                 "simt:@FILE.json)")
      ->check(CLI::Validator(CheckTarget, ""))
      ->capture_default_str();
  app.add_option("--fusion", o.compile.fusion,
                 "stitch; none: a kernel an operation; xla, tvm: fused by their rules")
      ->check(CLI::IsMember(ListFusions()))
      ->capture_default_str();
  app.add_option("--threads", o.compile.threads, "Workers of a run; 0: all CPUs")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  app.add_option("--input", o.inputs,
                 "@x.npy, @all.npz (arg0, arg1, ...), 2x2xf32=1,2,3,4, 2x2xf32=0 or random:SEED; "
                 "each fills the next parameter, random as the last one all that are left")
      ->allow_extra_args(false)
      ->type_name("SPEC");
  app.add_option("--manifest", o.manifest,
                 "Distributions for random inputs and tolerances for --expect, from manifest.json");
  app.add_option("--output", o.output, "@out.npz (out0, out1, ...) or @x.npy")->type_name("@FILE");
  app.add_option("--expect", o.expected, "Compare the outputs: SPECs, or @all.npz with out0, ...")
      ->allow_extra_args(false)
      ->type_name("SPEC");
  app.add_option("--rtol", o.rtol, "|got - want| <= atol + rtol |want|; by type if absent")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--atol", o.atol, "See --rtol")->check(CLI::NonNegativeNumber);
  app.add_option("--repeat", o.repeat, "Runs; each is compared")
      ->check(CLI::Range(1, 1000000000))
      ->capture_default_str();
  app.add_flag("--time", o.time, "Print the time of the runs");
  app.add_flag("--json", o.json, "Print one JSON object instead of text");
  app.add_flag("--time-report", o.time_report, "Times of the phases, on standard error");
  CLI::Option* order =
      app.add_option("--simt-order", o.simt_order, "Who runs next on the simulated GPU");
  order->check(CLI::IsMember(simt::OrderWords()))->capture_default_str();
  CLI::Option* seed = app.add_option("--simt-seed", o.simulator.seed, "Of --simt-order=random");
  CLI::Option* resident =
      app.add_option("--simt-resident", o.simulator.resident_blocks,
                     "Blocks that are resident at a time; as the GPU holds them if absent");
  CLI::Option* l2 =
      app.add_option("--simt-l2", o.simulator.l2_bytes, "Bytes of L2; as the GPU has if absent");
  for (CLI::Option* number : {resident, l2}) number->check(CLI::PositiveNumber);
  CLI::Option* wide = app.add_flag("--wide-indices", o.compile.wide_indices,
                                   "GPU: 64-bit indices even where 32 bits would do");
  CLI::Option* report = app.add_flag("--simt-report", o.simt_report,
                                     "Print what each simulated kernel did and moved");
  o.of_simulator = {order, seed, resident, l2, wide, report};
  AddElidedFlag(app, o.elided);
}

Tolerance ToleranceOf(const Options& o, const std::optional<Manifest>& manifest, size_t output,
                      ElementType type) {
  Tolerance out = DefaultTolerance(type);
  if (manifest && output < manifest->outputs.size() && manifest->outputs[output].tolerance) {
    out = *manifest->outputs[output].tolerance;
  }
  if (o.rtol) out.rtol = *o.rtol;
  if (o.atol) out.atol = *o.atol;
  return out;
}

struct Tensors {
  std::optional<Manifest> manifest;
  std::vector<Literal> inputs;
  std::vector<std::optional<Literal>> expected;
};

absl::StatusOr<Tensors> LoadTensors(const Options& o, const Graph& graph,
                                    std::optional<Manifest> manifest) {
  Tensors out;
  out.manifest = std::move(manifest);
  ASTITCH_ASSIGN_OR_RETURN(
      out.inputs, LoadGraphInputs(graph, o.inputs, out.manifest ? &*out.manifest : nullptr));
  ASTITCH_ASSIGN_OR_RETURN(out.expected, LoadExpected(o.expected, EntryOutputShapes(graph)));
  return out;
}

// Runs once and compares; a later run's comparison replaces an earlier one that was right.
absl::Status RunAndCompare(const Options& o, const Tensors& tensors, Execution& execution,
                           RunReport& report) {
  const Stopwatch watch;
  ASTITCH_RETURN_IF_ERROR(execution.Run());
  report.run_ms.push_back(watch.ElapsedMs());
  const bool last = static_cast<int>(report.run_ms.size()) == o.repeat;
  if (!last && o.expected.empty()) return absl::OkStatus();
  report.outputs = execution.Outputs();
  report.comparisons.resize(report.outputs.size());
  for (size_t i = 0; i < report.outputs.size(); ++i) {
    if (!tensors.expected[i]) continue;
    const ElementType type = report.outputs[i].shape().element_type();
    report.comparisons[i] =
        Compare(report.outputs[i], *tensors.expected[i], ToleranceOf(o, tensors.manifest, i, type));
  }
  return absl::OkStatus();
}

// The exit code of a graph that could not be run: what the caller gave, what the simulator found
// wrong, what a device would refuse, or what we lack.
ExitCode CodeOf(const absl::Status& status) {
  if (absl::IsDataLoss(status)) return kExitMismatch;
  if (absl::IsFailedPrecondition(status)) return kExitDeviceProblem;
  return absl::IsInvalidArgument(status) ? kExitUserError : kExitCompileFailure;
}

struct Prepared {
  std::unique_ptr<Compiled> compiled;  // null on the interpreter; outlives the execution
  SimulatedExecutable simulated;       // of a simulated GPU; outlives the execution
  std::unique_ptr<Execution> execution;
};

absl::StatusOr<SimulatedExecutable> Simulated(const Options& o, const Compiled& compiled) {
  ASTITCH_ASSIGN_OR_RETURN(ExecutableImage image, compiled.GpuImage());
  SimulatorOptions options = o.simulator;
  options.order = simt::OrderOf(o.simt_order);
  return LoadOnSimulator(std::move(image), options);
}

absl::StatusOr<Prepared> Prepare(const Options& o, const GraphInput& input) {
  Prepared out;
  if (o.target == "interp") {
    out.execution = MakeInterpreterExecution(*input.graph);
    if (o.time_report) PrintTimeReport({{"parse", input.parse_ms}});
    return out;
  }
  CompileOptions options = o.compile;
  const bool simulated = absl::StartsWith(o.target, kSimulated);
  if (simulated) options.target = o.target.substr(kSimulated.size());
  ASTITCH_ASSIGN_OR_RETURN(out.compiled, Compile(*input.graph, options));
  if (o.time_report) PrintTimeReport(CompilePhases(input.parse_ms, out.compiled->times()));
  if (simulated) {
    ASTITCH_ASSIGN_OR_RETURN(out.simulated, Simulated(o, *out.compiled));
  }
  const Executable& executable =
      simulated ? *out.simulated.executable : *out.compiled->executable();
  out.execution = MakeHostExecution(executable, EntryInputShapes(*input.graph),
                                    EntryOutputShapes(*input.graph));
  return out;
}

// Flags that would do nothing on the target.
absl::Status CheckFlags(const Options& o) {
  if (absl::StartsWith(o.target, kSimulated)) return absl::OkStatus();
  for (const CLI::Option* flag : o.of_simulator) {
    if (flag->count() > 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          flag->get_name(), " needs --target=", kSimulated, "GPU, got --target=", o.target));
    }
  }
  return absl::OkStatus();
}

int Body(const Options& o) {
  if (absl::Status s = CheckFlags(o); !s.ok()) return Fail(s, kExitUserError);
  GraphInput input;
  if (absl::Status s = ReadGraph(o.input, o.elided, input); !s.ok()) {
    return Fail(s, kExitUserError, &input.source);
  }
  Source manifest_source;
  std::optional<Manifest> manifest;
  if (absl::Status s = ReadManifest(o.manifest, manifest_source, manifest); !s.ok()) {
    return Fail(s, kExitUserError, &manifest_source);
  }
  absl::StatusOr<Tensors> tensors = LoadTensors(o, *input.graph, std::move(manifest));
  if (!tensors.ok()) {
    const bool too_large = absl::IsResourceExhausted(tensors.status());
    return Fail(tensors.status(), too_large ? kExitCompileFailure : kExitUserError);
  }
  absl::StatusOr<Prepared> prepared = Prepare(o, input);
  if (!prepared.ok()) {
    return Fail(prepared.status(), CompileExitCode(prepared.status()), &input.source);
  }
  Execution& execution = *prepared->execution;
  RunReport report;
  report.graph = input.source.name;
  report.target = o.target;
  report.with_values = o.output.empty();
  report.with_times = o.time;
  absl::Status status = execution.SetInputs(std::move(tensors->inputs));
  for (int i = 0; i < o.repeat && status.ok() && report.AllRight(); ++i) {
    status = RunAndCompare(o, *tensors, execution, report);
  }
  if (!status.ok()) return Fail(status, CodeOf(status), &input.source);
  const std::shared_ptr<const std::vector<SimulatedStep>>& log = prepared->simulated.log;
  if (o.simt_report && log != nullptr) report.simulated = *log;
  if (!o.output.empty()) {
    status = SaveOutputs(o.output, report.outputs);
    if (!status.ok()) return Fail(status, kExitUserError);
  }
  const int printed = Emit("-", o.json ? report.ToJson() : report.ToText());
  if (printed != kExitOk || report.AllRight()) return printed;
  return Fail(absl::DataLossError("the outputs are not the expected ones"), kExitMismatch);
}

}  // namespace
}  // namespace astitch

int main(int argc, char** argv) {
  CLI::App app("Runs a graph and shows, stores or checks its results", "astitch-run");
  astitch::Options options;
  astitch::AddFlags(app, options);
  return astitch::RunTool(app, argc, argv, [&] { return astitch::Body(options); });
}
