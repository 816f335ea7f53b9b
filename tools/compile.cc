// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// astitch-compile: compiles a graph, or a plan, and writes the texts of the stages.
#include "astitch/compile.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "tools/common/compile_phases.h"
#include "tools/common/graph_input.h"
#include "tools/common/time_report.h"
#include "tools/emit.h"

namespace astitch {
namespace {

struct Options {
  std::string input, output = "-", input_format = "auto", elided;
  std::vector<std::string> emit = {"plan"};
  CompileOptions compile;
  bool json = false, time_report = false;
};

void AddFlags(CLI::App& app, Options& o) {
  app.add_option("IN", o.input, "HLO text or a plan; - is standard input")->required();
  app.add_option("-o", o.output, "A file for one kind, a folder for several; - is standard output")
      ->type_name("OUT");
  app.add_option("--target", o.compile.target,
                 "host, a GPU (a100, h100, sm_80, ...), or @FILE.json, a machine of your own")
      ->capture_default_str();
  app.add_option("--fusion", o.compile.fusion,
                 "stitch; none: a kernel an operation; xla, tvm: fused by their rules")
      ->check(CLI::IsMember(ListFusions()))
      ->capture_default_str();
  app.add_option("--threads", o.compile.threads, "Workers the plan is made for; 0: all CPUs")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  app.add_option("--emit", o.emit, "hlo, plan, ledger, ledger.json, report, llvm, ptx, asm")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("KIND,...")
      ->capture_default_str();
  app.add_option("--input-format", o.input_format, "hlo or plan; auto looks at the first line")
      ->check(CLI::IsMember({"auto", "hlo", "plan"}))
      ->capture_default_str();
  app.add_flag("--wide-indices", o.compile.wide_indices,
               "GPU: 64-bit indices even where 32 bits would do");
  app.add_option("--ptxas", o.compile.assembler,
                 "GPU: the vendor's assembler; kernels that spill in it are planned again")
      ->type_name("PROGRAM");
  app.add_flag("--json", o.json, "Reports as JSON: ledger means ledger.json");
  app.add_flag("--time-report", o.time_report, "Times of the phases, on standard error");
  AddElidedFlag(app, o.elided);
}

// What the compiler has to do for KINDS.
void SetEffort(const std::vector<EmitKind>& kinds, CompileOptions& options) {
  options.plan_only = true;
  for (const EmitKind kind : kinds) {
    const bool text = kind == EmitKind::kLlvm || kind == EmitKind::kAsm;
    options.keep_texts |= text;
    if (text || kind == EmitKind::kPtx) options.plan_only = false;
  }
}

void AppendKernels(const std::vector<KernelText>& kernels, EmitKind kind,
                   std::vector<EmittedText>& out) {
  for (const KernelText& kernel : kernels) {
    const int index = static_cast<int>(&kernel - kernels.data());
    out.push_back({kind, KernelFileName(index, kernel.name, kind), kernel.text});
  }
}

absl::StatusOr<std::vector<EmittedText>> Texts(const Compiled& compiled,
                                               const std::vector<EmitKind>& kinds) {
  std::vector<EmittedText> out;
  for (const EmitKind kind : kinds) {
    const size_t before = out.size();
    const auto add = [&](std::string text) {
      out.push_back({kind, std::string(FileOf(kind)), std::move(text)});
    };
    switch (kind) {
      case EmitKind::kHlo:
        add(compiled.CanonicalHlo());
        break;
      case EmitKind::kPlan:
        add(compiled.PlanText());
        break;
      case EmitKind::kLedger:
        add(compiled.LedgerText());
        break;
      case EmitKind::kLedgerJson:
        add(compiled.LedgerJson());
        break;
      case EmitKind::kReport:
        add(compiled.ReportHtml());
        break;
      case EmitKind::kLlvm:
        AppendKernels(compiled.Llvm(), kind, out);
        break;
      case EmitKind::kPtx:
        AppendKernels(compiled.Ptx(), kind, out);
        break;
      case EmitKind::kAsm:
        AppendKernels(compiled.Assembly(), kind, out);
        break;
    }
    if (out.size() == before && compiled.Summary().kernels > 0) {
      return absl::InvalidArgumentError(absl::StrCat("this target has no ", ToString(kind)));
    }
  }
  return out;
}

// What is wrong with a plan as a whole is shown at its first line.
absl::Status Located(const absl::Status& status) {
  if (!GetDiagnostics(status).empty()) return status;
  Diagnostic diagnostic;
  diagnostic.position = {1, 1};
  diagnostic.message = std::string(status.message());
  return DiagnosticsError({diagnostic});
}

// Compiles what IN holds; CODE is the exit code in case of an error.
absl::StatusOr<std::unique_ptr<Compiled>> CompileInput(const Options& o, GraphInput& input,
                                                       ExitCode& code) {
  code = kExitUserError;
  ASTITCH_RETURN_IF_ERROR(ReadSource(o.input, input.source));
  const bool plan = o.input_format == "plan" ||
                    (o.input_format == "auto" && absl::StartsWith(input.source.text, "plan "));
  absl::StatusOr<std::unique_ptr<Compiled>> compiled;
  if (plan) {
    compiled = CompilePlan(input.source.text, o.compile);
    if (absl::IsInvalidArgument(compiled.status())) return Located(compiled.status());
  } else {
    ASTITCH_RETURN_IF_ERROR(ParseSource(o.elided, input));
    compiled = Compile(*input.graph, o.compile);
  }
  code = CompileExitCode(compiled.status());
  return compiled;
}

int Body(Options& o) {
  absl::StatusOr<std::vector<EmitKind>> kinds = ParseEmitKinds(o.emit);
  if (!kinds.ok()) return Fail(kinds.status(), kExitUserError);
  for (EmitKind& kind : *kinds) {
    if (o.json && kind == EmitKind::kLedger) kind = EmitKind::kLedgerJson;
  }
  SetEffort(*kinds, o.compile);
  GraphInput input;
  ExitCode code = kExitOk;
  const absl::StatusOr<std::unique_ptr<Compiled>> compiled = CompileInput(o, input, code);
  if (!compiled.ok()) return Fail(compiled.status(), code, &input.source);
  if (o.time_report) PrintTimeReport(CompilePhases(input.parse_ms, (*compiled)->times()));
  const absl::StatusOr<std::vector<EmittedText>> texts = Texts(**compiled, *kinds);
  if (!texts.ok()) return Fail(texts.status(), kExitUserError);
  const absl::Status status = WriteEmitted(*texts, kinds->size(), o.output);
  return status.ok() ? kExitOk : Fail(status, kExitUserError);
}

}  // namespace
}  // namespace astitch

int main(int argc, char** argv) {
  CLI::App app("Compiles a graph or a plan and writes the texts of its stages", "astitch-compile");
  astitch::Options options;
  astitch::AddFlags(app, options);
  return astitch::RunTool(app, argc, argv, [&] { return astitch::Body(options); });
}
