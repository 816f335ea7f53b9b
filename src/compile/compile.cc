// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The one place that knows the whole pipeline: passes, plan, code, executable.
#include "astitch/compile.h"

#include <chrono>
#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/dump.h"
#include "base/file.h"
#include "codegen/nvptx/nvptx_compiler.h"
#include "compile/complex_pairs.h"
#include "compile/entry_layout.h"
#include "compile/expand_dots.h"
#include "compile/fit_registers.h"
#include "compile/library_steps.h"
#include "compile/lower_gpu.h"
#include "compile/lower_host.h"
#include "frontend/hlo_text/parser.h"
#include "ir/hlo_printer.h"
#include "passes/pass_runner.h"
#include "passes/split_complex.h"
#include "plan/least.h"
#include "plan/plan_text.h"
#include "plan/verify.h"
#include "report/ledger_report.h"
#include "report/report_page.h"
#include "runtime/library/support.h"
#include "runtime/load.h"
#include "stitch/host_machine.h"
#include "stitch/plan_limits.h"
#include "stitch/planner.h"

namespace astitch {

class Compiled::Impl {
 public:
  Plan plan;
  EntrySpecs specs;
  TimeReport times;
  std::unique_ptr<Executable> executable;
  std::vector<KernelText> ptx, llvm, assembly;
  PlanLimits limits;
  MachineModel machine;
  std::vector<PtxKernel> gpu_kernels;
};

namespace {

using Clock = std::chrono::steady_clock;
double MillisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

absl::StatusOr<MachineModel> MachineFor(const CompileOptions& options) {
  if (options.target == "host") return DetectHost(options.threads);
  if (!options.target.empty() && options.target[0] == '@') {
    const std::string file = options.target.substr(1);
    ASTITCH_ASSIGN_OR_RETURN(const std::string json, ReadFile(file));
    return ParseMachine(json, file);
  }
  return FindMachine(options.target);
}

bool LibraryTakes(const DotCall& call) {
  const absl::StatusOr<MatmulStep> step = MakeMatmulStep(call);
  return step.ok() && CanRunMatmul(*step).ok();
}

// Convolutions that the host's library refuses, by name.
std::vector<std::string> RefusedConvolutions(const Graph& graph) {
  std::vector<std::string> refused;
  for (const auto& instruction : graph.entry()->instructions()) {
    if (instruction->opcode() != Opcode::kConvolution) continue;
    const absl::StatusOr<ConvolutionStep> step = MakeConvolutionStep(*instruction);
    if (!step.ok() || !CanRunConvolution(*step).ok()) refused.push_back(instruction->name());
  }
  return refused;
}

absl::Status RunPipeline(Graph& graph, Dumper& dumper) {
  PassRunnerOptions options;
  options.dumper = &dumper;
  ASTITCH_RETURN_IF_ERROR(RunPasses(graph, StandardPipeline(), options).status());
  return absl::OkStatus();
}

absl::Status DumpPlan(const Plan& plan, Dumper& dumper) {
  constexpr absl::string_view kName = "plan.txt";
  return dumper.Wants(kName) ? dumper.Write(kName, ToText(plan)) : absl::OkStatus();
}

// A plan that somebody wrote may leave out what only tells, and be for a host of more workers.
absl::Status VerifyWritten(const Plan& plan, const MachineModel& machine) {
  VerifyOptions options;
  options.complete = false;
  if (!machine.is_host()) options.limits = LimitsOf(machine);
  return VerifyPlan(plan, options);
}

// Debug builds look at every plan of the planner.
absl::Status VerifyPlanned([[maybe_unused]] const Plan& plan,
                           [[maybe_unused]] const MachineModel& machine) {
#ifndef NDEBUG
  VerifyOptions options;
  options.limits = LimitsOf(machine);
  const absl::Status status = VerifyPlan(plan, options);
  if (!status.ok())
    return absl::InternalError(absl::StrCat("the planner's plan is wrong: ", status.message()));
#endif
  return absl::OkStatus();
}

NvptxOptions NvptxOptionsFor(const CompileOptions& options, const MachineModel& machine) {
  NvptxOptions nvptx;
  nvptx.sm = machine.sm;
  nvptx.keep_ir = options.keep_texts;
  nvptx.wide_indices = options.wide_indices;
  return nvptx;
}

// GRAPH's plan; where an assembler is named, one whose kernels it finds registers for.
absl::StatusOr<Plan> PlanFor(std::unique_ptr<Graph> graph, const MachineModel& machine,
                             const CompileOptions& options) {
  PlannerOptions planner;
  ASTITCH_ASSIGN_OR_RETURN(planner.fusion, ParseFusion(options.fusion));
  planner.no_library = RefusedConvolutions(*graph);
  if (options.assembler.empty()) return MakePlan(std::move(graph), machine, planner);
  if (machine.is_host()) {
    return absl::InvalidArgumentError(
        "expected a GPU as target with an assembler, got the host, which needs none");
  }
  ASTITCH_ASSIGN_OR_RETURN(const std::string path, FindAssembler(options.assembler));
  const std::unique_ptr<Graph> again = graph->Clone();
  ASTITCH_ASSIGN_OR_RETURN(Plan plan, MakePlan(std::move(graph), machine, planner));
  const auto replan = [&](const std::vector<int64_t>& more_registers) {
    planner.more_registers = more_registers;
    return MakePlan(again->Clone(), machine, planner);
  };
  const auto assemble = [&](const std::string& ptx) { return AssemblePtx(path, ptx, machine.sm); };
  return FitRegisters(std::move(plan), machine, NvptxOptionsFor(options, machine), replan,
                      assemble);
}

absl::Status MakePtx(const CompileOptions& options, const MachineModel& machine,
                     Compiled::Impl& out) {
  const NvptxOptions nvptx = NvptxOptionsFor(options, machine);
  for (const PlanStep& step : out.plan.steps) {
    const auto* kernel = std::get_if<KernelPlan>(&step);
    if (kernel == nullptr) continue;
    ASTITCH_ASSIGN_OR_RETURN(PtxKernel ptx, CompileToPtx(*kernel, nvptx));
    out.ptx.push_back({kernel->name, ptx.text});
    if (options.keep_texts) out.llvm.push_back({kernel->name, std::move(ptx.ir)});
    out.gpu_kernels.push_back(std::move(ptx));
  }
  return absl::OkStatus();
}

absl::Status MakeCode(const CompileOptions& options, const MachineModel& machine,
                      Compiled::Impl& out) {
  if (options.wide_indices && machine.is_host()) {
    return absl::InvalidArgumentError(
        "expected a GPU as target with wide indices, got the host, whose indices always are");
  }
  out.limits = LimitsOf(machine);
  if (options.plan_only) return absl::OkStatus();
  const Clock::time_point codegen = Clock::now();
  if (!machine.is_host()) {
    out.machine = machine;
    ASTITCH_RETURN_IF_ERROR(MakePtx(options, machine, out));
    out.times.codegen_ms = MillisecondsSince(codegen);
    return absl::OkStatus();
  }
  ASTITCH_ASSIGN_OR_RETURN(HostLowering lowered,
                           LowerForHost(out.plan, out.specs, options.keep_texts));
  if (options.keep_texts) {
    out.llvm.push_back({"host", std::move(lowered.ir)});
    out.assembly.push_back({"host", std::move(lowered.assembly)});
  }
  lowered.image.plan_text = PlanLines(out.plan);
  out.times.codegen_ms = MillisecondsSince(codegen);
  const Clock::time_point load = Clock::now();
  LoadOptions load_options;
  load_options.threads = options.threads;
  ASTITCH_ASSIGN_OR_RETURN(out.executable, LoadExecutable(std::move(lowered.image), load_options));
  out.times.load_ms = MillisecondsSince(load);
  return absl::OkStatus();
}

}  // namespace

Compiled::Compiled(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Compiled::~Compiled() = default;

const Executable* Compiled::executable() const { return impl_->executable.get(); }
absl::StatusOr<ExecutableImage> Compiled::GpuImage() const {
  if (impl_->machine.is_host() || impl_->machine.name.empty())
    return absl::InvalidArgumentError(
        absl::StrCat("expected a GPU as target, got ", impl_->plan.target));
  ASTITCH_ASSIGN_OR_RETURN(ExecutableImage image, LowerForGpu(impl_->plan, impl_->specs,
                                                              impl_->machine, impl_->gpu_kernels));
  image.plan_text = PlanLines(impl_->plan);
  return image;
}
std::string Compiled::CanonicalHlo() const { return ToHloText(*impl_->plan.graph); }
std::string Compiled::PlanText() const { return ToText(impl_->plan); }
std::string Compiled::LedgerText() const { return astitch::LedgerText(impl_->plan, impl_->limits); }
std::string Compiled::LedgerJson() const { return astitch::LedgerJson(impl_->plan, impl_->limits); }
std::string Compiled::ReportHtml() const { return astitch::ReportHtml(impl_->plan, impl_->limits); }
TimeReport Compiled::times() const { return impl_->times; }
const std::vector<KernelText>& Compiled::Ptx() const { return impl_->ptx; }
const std::vector<KernelText>& Compiled::Llvm() const { return impl_->llvm; }
const std::vector<KernelText>& Compiled::Assembly() const { return impl_->assembly; }

PlanSummary Compiled::Summary() const {
  const Traffic traffic = impl_->plan.total_traffic();
  PlanSummary summary;
  summary.kernels = impl_->plan.num_kernels();
  summary.library_calls = impl_->plan.num_library_calls();
  summary.reference_calls = impl_->plan.num_reference_calls();
  summary.copies = impl_->plan.num_copies();
  summary.bytes_read = traffic.read;
  summary.bytes_written = traffic.written;
  summary.bytes_bound = traffic.bound;
  const LeastPlan least = LeastOf(impl_->plan);
  summary.least_kernels = least.kernels;
  summary.least_bytes = least.bytes;
  summary.predicted_kernels_us = static_cast<double>(impl_->plan.predicted_kernels_ns()) / 1e3;
  summary.predicted_others_us = static_cast<double>(impl_->plan.predicted_others_ns()) / 1e3;
  return summary;
}

absl::StatusOr<std::unique_ptr<Compiled>> Compile(const Graph& graph,
                                                  const CompileOptions& options) {
  ASTITCH_ASSIGN_OR_RETURN(const MachineModel machine, MachineFor(options));
  ASTITCH_ASSIGN_OR_RETURN(Dumper dumper, Dumper::FromEnvironment());
  auto impl = std::make_unique<Compiled::Impl>();
  const Clock::time_point passes = Clock::now();
  std::unique_ptr<Graph> work = graph.Clone();
  FlattenParameters(*work);
  ASTITCH_RETURN_IF_ERROR(RunPipeline(*work, dumper));
  ASTITCH_ASSIGN_OR_RETURN(impl->specs, ApplyEntryLayout(*work));
  ASTITCH_RETURN_IF_ERROR(SplitComplex().Run(*work).status());
  PairComplex(*work);
  ASTITCH_RETURN_IF_ERROR(ExpandDots(*work, LibraryTakes).status());
  impl->times.passes_ms = MillisecondsSince(passes);
  const Clock::time_point plan = Clock::now();
  ASTITCH_ASSIGN_OR_RETURN(impl->plan, PlanFor(std::move(work), machine, options));
  impl->times.plan_ms = MillisecondsSince(plan);
  ASTITCH_RETURN_IF_ERROR(DumpPlan(impl->plan, dumper));
  ASTITCH_RETURN_IF_ERROR(VerifyPlanned(impl->plan, machine));
  ASTITCH_RETURN_IF_ERROR(MakeCode(options, machine, *impl));
  return std::make_unique<Compiled>(std::move(impl));
}

absl::StatusOr<std::unique_ptr<Compiled>> CompilePlan(absl::string_view plan_text,
                                                      const CompileOptions& options) {
  ASTITCH_ASSIGN_OR_RETURN(const PlanTextParts parts, SplitPlanText(plan_text));
  ASTITCH_ASSIGN_OR_RETURN(std::unique_ptr<Graph> graph, ParseHloText(parts.graph));
  if (!options.assembler.empty()) {
    return absl::InvalidArgumentError(
        "expected a graph with an assembler, got a plan, whose launches stay as written");
  }
  auto impl = std::make_unique<Compiled::Impl>();
  ASTITCH_ASSIGN_OR_RETURN(impl->specs, ApplyEntryLayout(*graph));
  ASTITCH_ASSIGN_OR_RETURN(impl->plan, ParsePlan(parts.lines, std::move(graph)));
  CompileOptions own = options;
  own.target = impl->plan.target;
  ASTITCH_ASSIGN_OR_RETURN(const MachineModel machine, MachineFor(own));
  ASTITCH_RETURN_IF_ERROR(VerifyWritten(impl->plan, machine));
  ASTITCH_RETURN_IF_ERROR(MakeCode(own, machine, *impl));
  return std::make_unique<Compiled>(std::move(impl));
}

std::vector<std::string> ListFusions() { return FusionNames(); }

}  // namespace astitch
