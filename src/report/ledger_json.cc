// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The ledger as JSON, with the values and steps that its lines speak of. docs/ledger.schema.json
// describes it; tests/report compares the two. Every object has all its keys, in a fixed order.
#include <nlohmann/json.hpp>

#include "plan/reference_call.h"
#include "report/improve.h"
#include "report/ledger_report.h"

namespace astitch {
namespace {

using Json = nlohmann::ordered_json;

// 1: edges, steps without their stages. 2: values, all of a kernel, steps of edges, improvements.
// 3: predictions. 4: reference steps.
constexpr int kSchema = 4;

std::string Word(absl::string_view word) { return std::string(word); }

Json NamesOf(const std::vector<const Instruction*>& values) {
  Json out = Json::array();
  for (const Instruction* value : values) out.push_back(value->name());
  return out;
}

Json TrafficJson(const Traffic& traffic) {
  return {{"read", traffic.read}, {"written", traffic.written}, {"bound", traffic.bound}};
}

Json PredictionJson(const Prediction& p) {
  return {{"ns", p.ns},
          {"bound", Word(ToString(p.bound))},
          {"dram_bytes", p.dram_bytes},
          {"cache_bytes", p.cache_bytes},
          {"operations", p.operations},
          {"latency_ns", p.latency_ns},
          {"barriers", p.barriers}};
}

Json LaunchJson(const Launch& launch) {
  return {{"grid", launch.grid},
          {"block", launch.block},
          {"registers", launch.registers},
          {"shared_bytes", launch.shared_bytes},
          {"scratch_bytes", launch.scratch_bytes},
          {"cooperative", launch.cooperative},
          {"blocks_per_sm", launch.blocks_per_sm}};
}

Json RootJson(const Root& root) {
  return {{"value", root.value->name()},
          {"kind", Word(ToString(root.kind))},
          {"over", Word(ToString(root.over))},
          {"partial", root.partial},
          {"parts", root.parts},
          {"partial_inner", root.partial_inner},
          {"map", root.map}};
}

Json StageJson(const Stage& stage) {
  Json out = {{"columns", stage.columns},
              {"barrier", Word(ToString(stage.barrier))},
              {"vector", stage.vector},
              {"vector_rows", stage.vector_rows},
              {"chunk", stage.chunk},
              {"cols_per_task", stage.cols_per_task},
              {"unroll", stage.unroll},
              {"peel", Word(ToString(stage.peel))},
              {"streaming", stage.streaming},
              {"fetch_ahead", stage.fetch_ahead},
              {"predicted", PredictionJson(stage.predicted)},
              {"roots", Json::array()}};
  for (const Root& root : stage.roots) out["roots"].push_back(RootJson(root));
  return out;
}

Json PhaseJson(const Phase& phase) {
  Json out = {{"barrier", Word(ToString(phase.barrier))},
              {"rows", phase.rows},
              {"batch_axes", phase.batch_axes},
              {"rows_per_task", phase.rows_per_task},
              {"tile_rows", phase.tile_rows},
              {"cols_per_task", phase.cols_per_task},
              {"tasks", phase.num_tasks()},
              {"threads_per_row", phase.threads_per_row},
              {"rows_at_once", phase.rows_at_once},
              {"cluster", phase.cluster},
              {"repeated", phase.repeated},
              {"backward", phase.backward},
              {"slice", phase.slice},
              {"stages", Json::array()}};
  for (const Stage& stage : phase.stages) out["stages"].push_back(StageJson(stage));
  return out;
}

Json PlacementJson(const Placement& place) {
  return {{"value", place.value->name()},
          {"home", Word(ToString(place.home))},
          {"keep", Word(ToString(place.keep))},
          {"kept_rows", place.kept_rows},
          {"stays_from", place.stays_from},
          {"offset", place.offset},
          {"bytes", place.bytes},
          {"pitch", place.pitch},
          {"output", place.output},
          {"partial_offset", place.partial_offset},
          {"partial_bytes", place.partial_bytes}};
}

Json KernelJson(const KernelPlan& kernel) {
  Json out = {{"kind", "kernel"},
              {"name", kernel.name},
              {"launch", LaunchJson(kernel.launch)},
              {"traffic", TrafficJson(kernel.traffic)},
              {"predicted", PredictionJson(kernel.predicted)},
              {"inputs", NamesOf(kernel.inputs)},
              {"outputs", NamesOf(kernel.outputs)},
              {"places", Json::array()},
              {"phases", Json::array()}};
  for (const Placement& place : kernel.placements) out["places"].push_back(PlacementJson(place));
  for (const Phase& phase : kernel.phases) out["phases"].push_back(PhaseJson(phase));
  return out;
}

Json OperandJson(const StridedOperand& operand) {
  return {{"value", operand.value->name()}, {"strides", operand.strides}};
}

Json DotJson(const DotCall& dot) {
  Json out = {{"kind", "dot"},
              {"name", dot.dot->name()},
              {"batch", dot.batch},
              {"m", dot.m},
              {"n", dot.n},
              {"k", dot.k},
              {"lhs", OperandJson(dot.lhs)},
              {"rhs", OperandJson(dot.rhs)},
              {"out", OperandJson(dot.out)},
              {"predicted", PredictionJson(dot.predicted)},
              {"epilogue", Json::array()}};
  for (const EpilogueOp& op : dot.epilogue) {
    Json epilogue = {{"kind", Word(ToString(op.kind))}, {"addend", nullptr}, {"scale", nullptr}};
    if (op.kind == EpilogueKind::kAdd) epilogue["addend"] = OperandJson(op.addend);
    if (op.kind == EpilogueKind::kScale) epilogue["scale"] = op.scale;
    out["epilogue"].push_back(std::move(epilogue));
  }
  return out;
}

Json ReferenceJson(const ReferenceCall& call) {
  return {{"kind", "reference"},
          {"name", call.instruction->name()},
          {"predicted", PredictionJson(call.predicted)},
          {"inputs", NamesOf(ReferenceInputs(*call.instruction))},
          {"outputs", NamesOf(ReferenceOutputs(*call.instruction))}};
}

Json StepJson(const PlanStep& step) {
  if (const auto* kernel = std::get_if<KernelPlan>(&step)) return KernelJson(*kernel);
  if (const auto* dot = std::get_if<DotCall>(&step)) return DotJson(*dot);
  if (const auto* call = std::get_if<ConvolutionCall>(&step))
    return {{"kind", "convolution"},
            {"name", call->convolution->name()},
            {"predicted", PredictionJson(call->predicted)}};
  if (const auto* call = std::get_if<ReferenceCall>(&step)) return ReferenceJson(*call);
  const CopyCall& copy = std::get<CopyCall>(step);
  return {{"kind", "copy"},
          {"name", copy.from->name()},
          {"output", copy.output},
          {"predicted", PredictionJson(copy.predicted)}};
}

// Of tuples the dimensions and bytes are those of nothing: their elements have values of their own.
Json ValueJson(const Instruction& value) {
  const Shape& shape = value.shape();
  const bool array = shape.IsArray();
  return {{"name", value.name()},
          {"opcode", Word(ToString(value.opcode()))},
          {"type", array ? Word(ToString(shape.element_type())) : "tuple"},
          {"shape", array ? Json(shape.dims()) : Json::array()},
          {"bytes", array ? shape.byte_size() : 0}};
}

Json BufferJson(const BufferPlan& buffer) {
  return {{"value", buffer.value->name()},
          {"space", Word(ToString(buffer.space))},
          {"index", buffer.index},
          {"offset", buffer.offset},
          {"bytes", buffer.bytes}};
}

Json EdgeJson(PlanFacts& facts, const PlanLimits& limits, size_t line) {
  const LedgerEntry& entry = facts.plan().ledger[line];
  const std::string improve = ImprovementOf(facts, limits, line);
  Json edge = {{"producer", entry.producer->name()},
               {"consumer", nullptr},
               {"step", nullptr},
               {"home", entry.home},
               {"reason", entry.reason},
               {"bytes", entry.bytes},
               {"detail", nullptr},
               {"improve", nullptr}};
  if (entry.consumer != nullptr) edge["consumer"] = entry.consumer->name();
  if (facts.StepOfLine(line) != PlanFacts::kNone) edge["step"] = facts.StepOfLine(line);
  if (!entry.detail.empty()) edge["detail"] = entry.detail;
  if (!improve.empty()) edge["improve"] = improve;
  return edge;
}

}  // namespace

std::string LedgerJson(const Plan& plan, const PlanLimits& limits) {
  Json root = {{"schema", kSchema},
               {"target", plan.target},
               {"fusion", plan.fusion},
               {"summary",
                {{"kernels", plan.num_kernels()},
                 {"library_calls", plan.num_library_calls()},
                 {"reference_calls", plan.num_reference_calls()},
                 {"arena_bytes", plan.arena_bytes},
                 {"traffic", TrafficJson(plan.total_traffic())},
                 {"predicted_kernels_ns", plan.predicted_kernels_ns()},
                 {"predicted_others_ns", plan.predicted_others_ns()}}},
               {"values", Json::array()},
               {"buffers", Json::array()},
               {"steps", Json::array()},
               {"edges", Json::array()}};
  for (const Instruction* value : plan.graph->entry()->post_order())
    root["values"].push_back(ValueJson(*value));
  for (const BufferPlan& buffer : plan.buffers) root["buffers"].push_back(BufferJson(buffer));
  for (const PlanStep& step : plan.steps) root["steps"].push_back(StepJson(step));
  PlanFacts facts(plan);
  for (size_t n = 0; n < plan.ledger.size(); ++n)
    root["edges"].push_back(EdgeJson(facts, limits, n));
  return root.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace astitch
