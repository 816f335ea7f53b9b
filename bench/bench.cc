// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// astitch-bench: plans against each other. All plans of a graph are compiled first and then run in
// turn, with a copy of memory between the rounds, so that whatever the machine does meanwhile
// happens to all of them alike.
#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "astitch/compile.h"
#include "base/status.h"
#include "bench/bench_report.h"
#include "bench/copy_bandwidth.h"
#include "bench/plan_rows.h"
#include "bench/simulated_rows.h"
#include "tensor_io/layout.h"
#include "tools/common/compile_phases.h"
#include "tools/common/graph_input.h"
#include "tools/common/host_execution.h"
#include "tools/common/inputs.h"

namespace astitch {
namespace {

// Each buffer of the copy: several times any last-level cache.
constexpr int64_t kCopyBytes = int64_t{256} << 20;

struct Options {
  std::vector<std::string> graphs, fusions = {"none", "stitch"};
  std::string manifest, elided, simulated, plans;
  int repeat = 20, threads = 0;
  bool json = false;
};

void AddFlags(CLI::App& app, Options& o) {
  app.add_option("GRAPH", o.graphs, "HLO texts")->required();
  app.add_option("--fusion", o.fusions, "Plans to compare: stitch, tvm, xla, none")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember(ListFusions()))
      ->capture_default_str();
  CLI::Option* manifest = app.add_option(
      "--manifest", o.manifest,
      "Distributions of the inputs; if absent, manifest.json beside each graph, if any");
  CLI::Option* repeat =
      app.add_option("--repeat", o.repeat, "Timed runs of each plan, after one that is not");
  repeat->check(CLI::Range(1, 1000000))->capture_default_str();
  CLI::Option* threads = app.add_option("--threads", o.threads, "Workers; 0: all CPUs");
  threads->check(CLI::Range(0, 4096))->capture_default_str();
  CLI::Option* simt =
      app.add_option("--simt", o.simulated,
                     "Do not time: run once on a simulated GPU and print what each kernel moves "
                     "beside what its plan states");
  simt->type_name("GPU")->excludes(repeat, threads);
  app.add_option("--plans", o.plans,
                 "Do not run: compare plans for a target, with the least that dependences allow")
      ->type_name("TARGET")
      ->excludes(manifest, repeat, threads, simt);
  app.add_flag("--json", o.json, "Google Benchmark's JSON instead of a table");
  AddElidedFlag(app, o.elided);
}

struct Contestant {
  BenchRow row;
  std::unique_ptr<Compiled> compiled;  // outlives the execution
  std::unique_ptr<Execution> execution;
  std::vector<double> run_ms;
};

// "bert_layer/full" for .../bert_layer/full/module.hlo, else the file's name.
std::string GraphName(const std::string& path) {
  const std::filesystem::path p(path);
  if (p.filename() != "module.hlo" || !p.has_parent_path()) return p.stem().string();
  return (p.parent_path().parent_path().filename() / p.parent_path().filename()).string();
}

// --manifest, or the file beside GRAPH, or "" when there is none.
std::string FindManifest(const Options& o, const std::string& graph) {
  if (!o.manifest.empty()) return o.manifest;
  const std::string beside =
      (std::filesystem::path(graph).parent_path() / "manifest.json").string();
  std::error_code error;
  return std::filesystem::exists(beside, error) ? beside : "";
}

absl::StatusOr<Contestant> MakeContestant(const Options& o, const Graph& graph,
                                          const std::string& fusion) {
  CompileOptions options;
  options.fusion = fusion;
  options.threads = o.threads;
  Contestant out;
  const Stopwatch watch;
  ASTITCH_ASSIGN_OR_RETURN(out.compiled, Compile(graph, options));
  out.row.compile_ms = watch.ElapsedMs();
  out.row.fusion = fusion;
  const PlanSummary summary = out.compiled->Summary();
  out.row.kernels = summary.kernels;
  out.row.library_calls = summary.library_calls;
  out.row.reference_calls = summary.reference_calls;
  out.row.traffic_bytes = summary.bytes_read + summary.bytes_written;
  out.row.lower_bound_bytes = summary.bytes_bound;
  out.row.predicted_ms = (summary.predicted_kernels_us + summary.predicted_others_us) / 1e3;
  out.row.predicted_library_ms = summary.predicted_others_us / 1e3;
  out.execution = MakeHostExecution(*out.compiled->executable(), EntryInputShapes(graph),
                                    EntryOutputShapes(graph));
  return out;
}

// Round 0 is the warm-up. COPY's samples go to COPY_GBS.
absl::Status RunRounds(const Options& o, std::vector<Contestant>& contestants, CopyBenchmark& copy,
                       std::vector<double>& copy_gbs) {
  for (int round = 0; round <= o.repeat; ++round) {
    for (Contestant& c : contestants) {
      const Stopwatch watch;
      ASTITCH_RETURN_IF_ERROR(c.execution->Run());
      if (round > 0) c.run_ms.push_back(watch.ElapsedMs());
    }
    const double gbs = copy.RunOnce();
    if (round > 0) copy_gbs.push_back(gbs);
  }
  return absl::OkStatus();
}

// Reads the graph at PATH and draws its inputs; the exit code.
int LoadGraph(const Options& o, const std::string& path, GraphInput& input,
              std::vector<Literal>& inputs) {
  if (absl::Status s = ReadGraph(path, o.elided, input); !s.ok()) {
    return Fail(s, kExitUserError, &input.source);
  }
  Source manifest_source;
  std::optional<Manifest> manifest;
  if (absl::Status s = ReadManifest(FindManifest(o, path), manifest_source, manifest); !s.ok()) {
    return Fail(s, kExitUserError, &manifest_source);
  }
  absl::StatusOr<std::vector<Literal>> drawn =
      LoadGraphInputs(*input.graph, {"random:0"}, manifest ? &*manifest : nullptr);
  if (!drawn.ok()) return Fail(drawn.status(), kExitUserError);
  inputs = *std::move(drawn);
  return kExitOk;
}

int BenchGraph(const Options& o, const std::string& path, CopyBenchmark& copy,
               std::vector<double>& copy_gbs, BenchReport& report) {
  GraphInput input;
  std::vector<Literal> inputs;
  if (const int code = LoadGraph(o, path, input, inputs); code != kExitOk) return code;
  std::vector<Contestant> contestants;
  for (const std::string& fusion : o.fusions) {
    absl::StatusOr<Contestant> c = MakeContestant(o, *input.graph, fusion);
    if (!c.ok()) return Fail(c.status(), CompileExitCode(c.status()), &input.source);
    contestants.push_back(*std::move(c));
  }
  absl::Status status;
  for (Contestant& c : contestants) {
    if (status.ok()) status = c.execution->SetInputs(inputs);
  }
  if (status.ok()) status = RunRounds(o, contestants, copy, copy_gbs);
  if (!status.ok()) return Fail(status, kExitCompileFailure);
  int64_t bound = contestants[0].row.lower_bound_bytes;
  for (const Contestant& c : contestants) bound = std::min(bound, c.row.lower_bound_bytes);
  for (Contestant& c : contestants) {
    c.row.graph = GraphName(path);
    c.row.lower_bound_bytes = bound;
    c.row.repeats = o.repeat;
    c.row.run_ms = SpreadOf(c.run_ms);
    report.rows.push_back(std::move(c.row));
  }
  return kExitOk;
}

// What the simulator finds wrong with a kernel is a failed verification.
ExitCode SimulationExitCode(const absl::Status& status) {
  if (absl::IsDataLoss(status)) return kExitMismatch;
  if (absl::IsFailedPrecondition(status)) return kExitDeviceProblem;
  return CompileExitCode(status);
}

int BenchOnSimulator(const Options& o) {
  std::vector<SimulatedRow> rows;
  for (const std::string& path : o.graphs) {
    GraphInput input;
    std::vector<Literal> inputs;
    if (const int code = LoadGraph(o, path, input, inputs); code != kExitOk) return code;
    for (const std::string& fusion : o.fusions) {
      absl::StatusOr<std::vector<SimulatedRow>> of_graph =
          SimulateGraph(*input.graph, inputs, o.simulated, fusion);
      if (!of_graph.ok())
        return Fail(of_graph.status(), SimulationExitCode(of_graph.status()), &input.source);
      for (SimulatedRow& row : *of_graph) {
        row.graph = GraphName(path);
        rows.push_back(std::move(row));
      }
    }
  }
  return Emit("-", o.json ? SimulatedRowsJson(rows, o.simulated) : SimulatedTable(rows));
}

int BenchPlans(const Options& o) {
  std::vector<PlanRow> rows;
  for (const std::string& path : o.graphs) {
    GraphInput input;
    if (absl::Status s = ReadGraph(path, o.elided, input); !s.ok())
      return Fail(s, kExitUserError, &input.source);
    for (const std::string& fusion : o.fusions) {
      absl::StatusOr<PlanRow> row = PlanGraph(*input.graph, o.plans, fusion);
      if (!row.ok()) return Fail(row.status(), CompileExitCode(row.status()), &input.source);
      row->graph = GraphName(path);
      rows.push_back(*std::move(row));
    }
  }
  return Emit("-", o.json ? PlanRowsJson(rows, o.plans) : PlanTable(rows));
}

int Body(const Options& o) {
  if (!o.plans.empty()) return BenchPlans(o);
  if (!o.simulated.empty()) return BenchOnSimulator(o);
  BenchReport report;
  report.threads =
      o.threads > 0 ? o.threads : static_cast<int>(std::thread::hardware_concurrency());
  CopyBenchmark copy(kCopyBytes, report.threads);
  std::vector<double> copy_gbs;
  for (const std::string& path : o.graphs) {
    const int code = BenchGraph(o, path, copy, copy_gbs, report);
    if (code != kExitOk) return code;
  }
  report.copy_gigabytes_per_second = SpreadOf(copy_gbs).median;
  return Emit("-", o.json ? report.ToJson() : report.ToText());
}

}  // namespace
}  // namespace astitch

int main(int argc, char** argv) {
  CLI::App app("Times plans of a graph against each other and against a copy of memory",
               "astitch-bench");
  astitch::Options options;
  astitch::AddFlags(app, options);
  return astitch::RunTool(app, argc, argv, [&] { return astitch::Body(options); });
}
