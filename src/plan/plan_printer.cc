// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Prints a plan; plan_parser.cc reads exactly this back.
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "ir/hlo_printer.h"
#include "plan/plan_text.h"

namespace astitch {
namespace {

std::string Name(const Instruction* instruction) { return absl::StrCat("%", instruction->name()); }
std::string List(const std::vector<int64_t>& values) {
  return absl::StrCat("[", absl::StrJoin(values, ","), "]");
}

// " key=value" unless VALUE is the default.
template <typename T>
std::string Field(absl::string_view key, const T& value, const T& default_value) {
  if (value == default_value) return "";
  return absl::StrCat(" ", key, "=", value);
}
std::string Flag(absl::string_view key, bool value) {
  return value ? absl::StrCat(" ", key, "=1") : "";
}
template <typename Enum>
std::string Word(absl::string_view key, Enum value, Enum default_value) {
  return value == default_value ? "" : absl::StrCat(" ", key, "=", ToString(value));
}

std::string MapText(const IndexMap& map) {
  std::string out;
  for (const std::vector<int32_t>& axes : map)
    absl::StrAppend(&out, "(", absl::StrJoin(axes, ","), ")");
  return out;
}

std::string RootLine(const Root& root) {
  return absl::StrCat(ToString(root.kind), " ", Name(root.value),
                      Word("over", root.over, ReduceOver::kNone), Flag("partial", root.partial),
                      Field<int64_t>("parts", root.parts, 1),
                      Field<int64_t>("partial_inner", root.partial_inner, 1),
                      root.map.empty() ? "" : absl::StrCat(" map=", MapText(root.map)));
}

std::string StageLine(const Stage& stage) {
  return absl::StrCat(
      "stage columns=", List(stage.columns), Word("barrier", stage.barrier, StageBarrier::kNone),
      Field<int32_t>("vector", stage.vector, 1), Flag("vector_rows", stage.vector_rows),
      Field<int64_t>("chunk", stage.chunk, 0),
      Field<int64_t>("cols_per_task", stage.cols_per_task, 0),
      Field<int32_t>("unroll", stage.unroll, 1), Word("peel", stage.peel, Peel::kNone),
      Flag("streaming", stage.streaming), Flag("fetch_ahead", stage.fetch_ahead));
}

std::string PhaseLine(const Phase& phase) {
  return absl::StrCat("phase rows=", List(phase.rows),
                      Word("barrier", phase.barrier, PhaseBarrier::kNone),
                      Field<int64_t>("batch_axes", phase.batch_axes, 0),
                      Field<int64_t>("rows_per_task", phase.rows_per_task, 1),
                      Field<int64_t>("tile_rows", phase.tile_rows, 1),
                      Field<int64_t>("cols_per_task", phase.cols_per_task, 0),
                      Field<int32_t>("threads_per_row", phase.threads_per_row, 1),
                      Field<int32_t>("rows_at_once", phase.rows_at_once, 1),
                      Field<int32_t>("cluster", phase.cluster, 1), Flag("repeated", phase.repeated),
                      Flag("backward", phase.backward), Field<int64_t>("slice", phase.slice, 0));
}

std::string PlacementLine(const Placement& p) {
  return absl::StrCat(
      "place ", Name(p.value), " ", ToString(p.home), Word("keep", p.keep, Keep::kNone),
      Field<int64_t>("kept_rows", p.kept_rows, 0), Field<int32_t>("stays_from", p.stays_from, -1),
      Field<int64_t>("offset", p.offset, 0), Field<int64_t>("bytes", p.bytes, 0),
      Field<int64_t>("pitch", p.pitch, 0), Field<int32_t>("output", p.output, -1),
      Field<int64_t>("partial_offset", p.partial_offset, 0),
      Field<int64_t>("partial_bytes", p.partial_bytes, 0));
}

std::string LaunchFields(const Launch& launch) {
  const Launch d;
  return absl::StrCat(Field("grid", launch.grid, d.grid), Field("block", launch.block, d.block),
                      Field("registers", launch.registers, d.registers),
                      Field("shared", launch.shared_bytes, d.shared_bytes),
                      Field("scratch", launch.scratch_bytes, d.scratch_bytes),
                      Flag("cooperative", launch.cooperative),
                      Field("blocks_per_sm", launch.blocks_per_sm, d.blocks_per_sm));
}

std::string OperandText(const StridedOperand& operand) {
  return absl::StrCat(Name(operand.value), ":", List(operand.strides));
}

std::string EpilogueText(const EpilogueOp& op) {
  std::string out = absl::StrCat(" then=", ToString(op.kind));
  if (op.kind == EpilogueKind::kAdd) absl::StrAppend(&out, ":", OperandText(op.addend));
  if (op.kind == EpilogueKind::kScale)
    absl::StrAppend(&out, ":", absl::StrFormat("%.9g", op.scale));
  return out;
}

std::string DotLine(const DotCall& dot) {
  std::string out = absl::StrCat("dot ", Name(dot.dot), " batch=", List(dot.batch), " m=", dot.m,
                                 " n=", dot.n, " k=", dot.k, " lhs=", OperandText(dot.lhs),
                                 " rhs=", OperandText(dot.rhs), " out=", OperandText(dot.out));
  for (const EpilogueOp& op : dot.epilogue) absl::StrAppend(&out, EpilogueText(op));
  return out + "\n";
}

// A line of its own, unless nothing is predicted.
std::string PredictedLine(absl::string_view indent, const Prediction& p) {
  if (p == Prediction{}) return "";
  return absl::StrCat(
      indent, "predicted ns=", p.ns, " bound=", ToString(p.bound),
      Field<int64_t>("dram", p.dram_bytes, 0), Field<int64_t>("cache", p.cache_bytes, 0),
      Field<int64_t>("operations", p.operations, 0), Field<int64_t>("latency", p.latency_ns, 0),
      Field<int64_t>("barriers", p.barriers, 0), "\n");
}

std::string StepLines(const PlanStep& step) {
  if (const auto* kernel = std::get_if<KernelPlan>(&step)) return KernelLines(*kernel);
  const std::string predicted = PredictedLine("  ", PredictionOf(step));
  if (const auto* dot = std::get_if<DotCall>(&step)) return DotLine(*dot) + predicted;
  if (const auto* call = std::get_if<ConvolutionCall>(&step)) {
    return absl::StrCat("convolution ", Name(call->convolution), "\n", predicted);
  }
  if (const auto* call = std::get_if<ReferenceCall>(&step)) {
    return absl::StrCat("reference ", Name(call->instruction), "\n", predicted);
  }
  const CopyCall& copy = std::get<CopyCall>(step);
  return absl::StrCat("copy ", Name(copy.from), " output=", copy.output, "\n", predicted);
}

std::string LedgerLine(const LedgerEntry& entry) {
  std::string out = absl::StrCat("ledger ", Name(entry.producer));
  if (entry.consumer != nullptr) absl::StrAppend(&out, " -> ", Name(entry.consumer));
  absl::StrAppend(&out, " home=", entry.home, " reason=", entry.reason,
                  Field<int64_t>("bytes", entry.bytes, 0));
  if (!entry.detail.empty()) absl::StrAppend(&out, " detail=\"", absl::CEscape(entry.detail), "\"");
  return out;
}

}  // namespace

std::string KernelLines(const KernelPlan& kernel) {
  std::string out = absl::StrCat("kernel ", kernel.name, LaunchFields(kernel.launch), "\n");
  absl::StrAppend(&out, "  traffic read=", kernel.traffic.read, " written=", kernel.traffic.written,
                  " bound=", kernel.traffic.bound, "\n", PredictedLine("  ", kernel.predicted));
  for (const Instruction* input : kernel.inputs) absl::StrAppend(&out, "  in ", Name(input), "\n");
  for (const Instruction* output : kernel.outputs)
    absl::StrAppend(&out, "  out ", Name(output), "\n");
  for (const Placement& placement : kernel.placements)
    absl::StrAppend(&out, "  ", PlacementLine(placement), "\n");
  for (const Phase& phase : kernel.phases) {
    absl::StrAppend(&out, "  ", PhaseLine(phase), "\n");
    for (const Stage& stage : phase.stages) {
      absl::StrAppend(&out, "    ", StageLine(stage), "\n",
                      PredictedLine("      ", stage.predicted));
      for (const Root& root : stage.roots) absl::StrAppend(&out, "      ", RootLine(root), "\n");
    }
  }
  return out;
}

std::string PlanLines(const Plan& plan) {
  std::string out = absl::StrCat("plan 1\ntarget ", plan.target, " fusion=", plan.fusion,
                                 Field<int64_t>("arena", plan.arena_bytes, 0), "\n");
  for (const BufferPlan& buffer : plan.buffers) {
    absl::StrAppend(&out, "buffer ", Name(buffer.value), " ", ToString(buffer.space),
                    Field<int32_t>("index", buffer.index, 0),
                    Field<int64_t>("offset", buffer.offset, 0), " bytes=", buffer.bytes, "\n");
  }
  for (const PlanStep& step : plan.steps) out += StepLines(step);
  for (const LedgerEntry& entry : plan.ledger) absl::StrAppend(&out, LedgerLine(entry), "\n");
  return out;
}

std::string ToText(const Plan& plan) {
  return absl::StrCat(PlanLines(plan), "graph\n", ToHloText(*plan.graph));
}

}  // namespace astitch
