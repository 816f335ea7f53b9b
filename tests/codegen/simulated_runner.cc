// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/codegen/simulated_runner.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "codegen/nvptx/nvptx_compiler.h"
#include "interp/interpreter.h"
#include "simt/ptx/parser.h"
#include "tensor_io/compare.h"
#include "tests/codegen/plan_runner.h"

namespace astitch::testing {
namespace {

using Values = std::map<const Instruction*, Literal>;

simt::Buffer InputBuffer(const Instruction* value, const Literal& literal) {
  const auto bytes = literal.bytes();
  simt::Buffer buffer = simt::Buffer::Of(
      value->name(), {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
  buffer.read_only = true;
  return buffer;
}

// What a launch writes; barrier state is what the last one left.
void ForgetResults(const KernelPlan& plan, std::vector<simt::Buffer>& buffers) {
  const size_t state = plan.launch.cooperative ? 1 : 0;
  for (size_t i = plan.inputs.size(); i + state < buffers.size(); ++i)
    buffers[i] = simt::Buffer::Unwritten(buffers[i].name, buffers[i].bytes.size());
}

absl::Status Simulate(const KernelPlan& plan, const SimOptions& options, Values& values) {
  ASTITCH_ASSIGN_OR_RETURN(
      PtxKernel ptx, CompileToPtx(plan, {.sm = options.sm, .wide_indices = options.wide_indices}));
  if (options.edit) ptx.text = options.edit(std::move(ptx.text));
  ASTITCH_ASSIGN_OR_RETURN(const simt::Module module, simt::ParsePtx(ptx.text));
  std::vector<simt::Buffer> buffers;
  for (const Instruction* input : plan.inputs) {
    const Literal& value =
        input->opcode() == Opcode::kConstant ? input->literal() : values.at(input);
    buffers.push_back(InputBuffer(input, value));
  }
  for (const Instruction* output : plan.outputs)
    buffers.push_back(simt::Buffer::Unwritten(output->name(), output->shape().byte_size()));
  if (plan.launch.scratch_bytes > 0)
    buffers.push_back(simt::Buffer::Unwritten("scratch", plan.launch.scratch_bytes));
  if (plan.launch.cooperative) {
    const std::vector<uint8_t> zero(ptx.barrier_bytes);
    buffers.push_back(simt::Buffer::Of("barrier", zero));
  }
  simt::LaunchParams params;
  params.kernel = ptx.entry;
  const int64_t clusters = std::min(options.max_grid, plan.launch.grid) / ptx.cluster;
  params.grid = {std::max<int64_t>(1, clusters) * ptx.cluster, 1, 1};
  params.resident_blocks = options.resident_blocks;
  params.block = {plan.launch.block, 1, 1};
  params.dynamic_smem_bytes = ptx.shared_bytes;
  params.cooperative = plan.launch.cooperative;
  params.order = options.order;
  params.max_steps = options.max_steps;
  params.seed = 7;
  for (size_t i = 0; i < buffers.size(); ++i)
    params.arguments.emplace_back().buffer = static_cast<int32_t>(i);
  for (int launch = 0; launch < options.launches; ++launch) {
    ForgetResults(plan, buffers);
    ASTITCH_ASSIGN_OR_RETURN(simt::LaunchResult result,
                             simt::Launch(module, params, absl::MakeSpan(buffers)));
    for (const simt::Report& report : result.reports)
      return absl::InternalError(absl::StrCat(simt::ToString(report), "\n", ptx.text));
  }
  for (size_t k = 0; k < plan.outputs.size(); ++k) {
    const std::vector<uint8_t>& bytes = buffers[plan.inputs.size() + k].bytes;
    const auto* data = reinterpret_cast<const std::byte*>(bytes.data());
    values.insert_or_assign(plan.outputs[k],
                            Literal(plan.outputs[k]->shape(), {data, data + bytes.size()}));
  }
  return absl::OkStatus();
}

}  // namespace

std::string CheckSimulated(const Plan& plan, const SimOptions& options) {
  const std::vector<Literal> arguments = RandomArguments(*plan.graph, 3);
  Values values;
  for (size_t i = 0; i < arguments.size(); ++i)
    values.emplace(plan.graph->entry()->parameters()[i], arguments[i]);
  for (const PlanStep& step : plan.steps) {
    const auto* kernel = std::get_if<KernelPlan>(&step);
    if (kernel == nullptr) continue;
    const absl::Status status = Simulate(*kernel, options, values);
    if (!status.ok()) return std::string(status.message());
  }
  const absl::StatusOr<Literal> expected = Evaluate(*plan.graph, arguments);
  if (!expected.ok()) return std::string(expected.status().message());
  const Instruction* root = plan.graph->entry()->root();
  const bool tuple = root->shape().IsTuple();
  for (int64_t i = 0; i < (tuple ? root->num_operands() : 1); ++i) {
    const Instruction* leaf = tuple ? root->operand(i) : root;
    const Literal& want = tuple ? expected->elements()[i] : *expected;
    const ElementType type = leaf->shape().element_type();
    const Comparison comparison = Compare(values.at(leaf), want, DefaultTolerance(type));
    if (!comparison.ok()) return absl::StrCat("result ", i, ": ", comparison.Describe());
  }
  return "";
}

}  // namespace astitch::testing
