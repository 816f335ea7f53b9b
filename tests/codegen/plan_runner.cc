// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

#include "tests/codegen/plan_runner.h"

#include <algorithm>
#include <barrier>
#include <cstring>
#include <map>
#include <random>
#include <thread>

#include "artifact/host_kernel_abi.h"
#include "base/status.h"
#include "codegen/host/host_compiler.h"
#include "frontend/hlo_text/parser.h"
#include "interp/interpreter.h"
#include "ir/number.h"
#include "plan/plan_text.h"
#include "runtime/host/object_loader.h"
#include "stitch/host_machine.h"
#include "stitch/planner.h"
#include "tensor_io/compare.h"

namespace astitch::testing {
namespace {

constexpr size_t kGuard = 256;
constexpr uint8_t kGuardByte = 0xA5;

// Memory between two guards.
class GuardedBuffer {
 public:
  GuardedBuffer(size_t bytes, size_t offset) : bytes_(bytes), memory_(bytes + 2 * kGuard + 128) {
    const auto address = reinterpret_cast<uintptr_t>(memory_.data()) + kGuard;
    const uintptr_t start = (address + 63) / 64 * 64 + offset;
    data_ = memory_.data() + (start - reinterpret_cast<uintptr_t>(memory_.data()));
    std::memset(memory_.data(), kGuardByte, memory_.size());
  }
  std::byte* data() { return reinterpret_cast<std::byte*>(data_); }
  size_t size() const { return bytes_; }
  bool Intact() const {
    const uint8_t* begin = memory_.data();
    const uint8_t* end = begin + memory_.size();
    const auto clean = [](uint8_t byte) { return byte == kGuardByte; };
    return std::all_of(begin, static_cast<const uint8_t*>(data_), clean) &&
           std::all_of(static_cast<const uint8_t*>(data_) + bytes_, end, clean);
  }

 private:
  size_t bytes_;
  std::vector<uint8_t> memory_;
  uint8_t* data_;
};

using Buffers = std::map<const Instruction*, std::unique_ptr<GuardedBuffer>>;

void Barrier(void* team) { static_cast<std::barrier<>*>(team)->arrive_and_wait(); }

std::unique_ptr<GuardedBuffer> MakeBuffer(const Shape& shape, bool misalign) {
  const size_t offset = misalign ? ByteWidth(shape.element_type()) : 0;
  return std::make_unique<GuardedBuffer>(shape.byte_size(), offset);
}

absl::Status RunKernel(const KernelPlan& plan, HostKernel kernel, int64_t tile_bytes,
                       Buffers& buffers, const RunOptions& options) {
  std::vector<void*> pointers;
  for (const Instruction* input : plan.inputs) {
    auto& buffer = buffers[input];
    if (buffer == nullptr && input->opcode() == Opcode::kConstant) {
      buffer = MakeBuffer(input->shape(), options.misalign);
      const auto bytes = input->literal().bytes();
      std::copy(bytes.begin(), bytes.end(), buffer->data());
    }
    if (buffer == nullptr) return absl::InternalError("no value for input " + input->name());
    pointers.push_back(buffer->data());
  }
  for (const Instruction* output : plan.outputs) {
    buffers[output] = MakeBuffer(output->shape(), options.misalign);
    pointers.push_back(buffers[output]->data());
  }
  GuardedBuffer scratch(plan.launch.scratch_bytes, 0);
  if (plan.launch.scratch_bytes > 0) pointers.push_back(scratch.data());
  const int workers = static_cast<int>(std::min<int64_t>(options.workers, plan.launch.grid));
  std::barrier<> team(workers);
  std::vector<std::unique_ptr<GuardedBuffer>> tiles;
  std::vector<HostKernelArgs> args(workers);
  for (int w = 0; w < workers; ++w) {
    tiles.push_back(std::make_unique<GuardedBuffer>(tile_bytes, 0));
    args[w] = {pointers.data(), tiles[w]->data(), w, workers, &Barrier, &team};
  }
  std::vector<std::thread> threads;
  for (int w = 1; w < workers; ++w) threads.emplace_back([&, w] { kernel(&args[w]); });
  kernel(&args[0]);
  for (std::thread& thread : threads) thread.join();
  for (const auto& tile : tiles) {
    if (!tile->Intact()) return absl::InternalError(plan.name + " wrote outside its tile memory");
  }
  if (!scratch.Intact()) return absl::InternalError(plan.name + " wrote outside its scratch");
  for (const auto& [value, buffer] : buffers) {
    if (!buffer->Intact())
      return absl::InternalError(plan.name + " wrote outside %" + value->name());
  }
  return absl::OkStatus();
}

Literal ToLiteral(const Instruction* value, GuardedBuffer& buffer) {
  return Literal(value->shape(), {buffer.data(), buffer.data() + buffer.size()});
}

// Library calls are the interpreter's.
absl::Status RunCall(const Instruction* call, Buffers& buffers) {
  std::vector<Literal> operands;
  for (const Instruction* operand : call->operands())
    operands.push_back(ToLiteral(operand, *buffers.at(operand)));
  ASTITCH_ASSIGN_OR_RETURN(Literal result, EvaluateInstruction(*call, operands));
  buffers[call] = MakeBuffer(call->shape(), false);
  std::copy(result.bytes().begin(), result.bytes().end(), buffers[call]->data());
  return absl::OkStatus();
}

std::vector<const Instruction*> Leaves(const Graph& graph) {
  const Instruction* root = graph.entry()->root();
  if (!root->shape().IsTuple()) return {root};
  return {root->operands().begin(), root->operands().end()};
}

}  // namespace

absl::StatusOr<Plan> PlanFromText(const std::string& text) {
  std::string whole = text;
  if (whole.find("plan 1") == std::string::npos)
    whole = "plan 1\ntarget host fusion=stitch\n" + whole;
  ASTITCH_ASSIGN_OR_RETURN(PlanTextParts parts, SplitPlanText(whole));
  ASTITCH_ASSIGN_OR_RETURN(std::unique_ptr<Graph> graph, ParseHloText(parts.graph));
  return ParsePlan(parts.lines, std::move(graph));
}

absl::StatusOr<Plan> PlanOf(const std::string& hlo, int workers) {
  ASTITCH_ASSIGN_OR_RETURN(std::unique_ptr<Graph> graph, ParseHloText(hlo));
  return MakePlan(std::move(graph), DetectHost(workers), {});
}

Plan StorePlan(std::unique_ptr<Graph> graph, const StoreSweep& sweep) {
  Plan plan;
  KernelPlan kernel;
  kernel.name = "k";
  kernel.launch.grid = 2;
  for (const auto& instruction : graph->entry()->instructions()) {
    const bool array_constant =
        instruction->opcode() == Opcode::kConstant && instruction->shape().rank() > 0;
    if (instruction->opcode() == Opcode::kParameter || array_constant)
      kernel.inputs.push_back(instruction.get());
  }
  const Instruction* root = graph->entry()->root();
  std::vector<const Instruction*> leaves = {root};
  if (root->shape().IsTuple()) leaves = {root->operands().begin(), root->operands().end()};
  for (const Instruction* leaf : leaves) {
    Phase phase;
    Stage stage;
    Root store;
    store.value = leaf;
    const auto& dims = leaf->shape().dims();
    for (size_t d = 0; d < dims.size(); ++d) store.map.push_back({static_cast<int32_t>(d)});
    const size_t num_rows = sweep.rows && !dims.empty() ? 1 : 0;
    phase.rows.assign(dims.begin(), dims.begin() + num_rows);
    stage.columns.assign(dims.begin() + num_rows, dims.end());
    stage.vector = sweep.vector;
    stage.unroll = sweep.unroll;
    stage.vector_rows = sweep.vector_rows;
    if (num_rows == 1) {
      phase.tile_rows = 5;
      phase.rows_per_task = 10;
    }
    stage.roots.push_back(store);
    phase.stages.push_back(stage);
    kernel.phases.push_back(phase);
    Placement home;
    home.value = leaf;
    home.home = Home::kOutput;
    home.output = static_cast<int32_t>(kernel.outputs.size());
    kernel.placements.push_back(home);
    kernel.outputs.push_back(leaf);
  }
  plan.graph = std::move(graph);
  plan.steps.push_back(std::move(kernel));
  return plan;
}

std::vector<Literal> RandomArguments(const Graph& graph, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Literal> arguments;
  for (const Instruction* parameter : graph.entry()->parameters()) {
    Literal literal(parameter->shape());
    const ElementType type = parameter->shape().element_type();
    const int64_t width = ByteWidth(type);
    auto bytes = literal.mutable_bytes();
    for (size_t at = 0; at < bytes.size(); at += width) {
      const double uniform = static_cast<double>(random() >> 11) * 0x1p-53;
      double value = IsFloat(type) ? 4 * uniform - 2 : std::floor(uniform * 20) - 5;
      if (IsPred(type)) value = uniform < 0.5;
      StoreFromDouble(type, bytes.data() + at, value);
    }
    arguments.push_back(std::move(literal));
  }
  return arguments;
}

absl::StatusOr<std::vector<Literal>> RunOnHost(const Plan& plan,
                                               absl::Span<const Literal> arguments,
                                               const RunOptions& options) {
  std::vector<const KernelPlan*> kernels;
  for (const PlanStep& step : plan.steps) {
    if (const auto* kernel = std::get_if<KernelPlan>(&step)) kernels.push_back(kernel);
  }
  ASTITCH_ASSIGN_OR_RETURN(HostObject object, CompileHostKernels(kernels));
  const auto* bytes = reinterpret_cast<const std::byte*>(object.bytes.data());
  ASTITCH_ASSIGN_OR_RETURN(std::unique_ptr<LoadedObject> loaded,
                           LoadObject({bytes, object.bytes.size()}));
  Buffers buffers;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Instruction* parameter = plan.graph->entry()->parameters()[i];
    buffers[parameter] = MakeBuffer(parameter->shape(), options.misalign);
    std::copy(arguments[i].bytes().begin(), arguments[i].bytes().end(), buffers[parameter]->data());
  }
  size_t next = 0;
  for (const PlanStep& step : plan.steps) {
    if (const auto* kernel = std::get_if<KernelPlan>(&step)) {
      const CompiledHostKernel& compiled = object.kernels[next++];
      auto function = reinterpret_cast<HostKernel>(loaded->Find(compiled.symbol));
      if (function == nullptr) return absl::InternalError("no symbol " + compiled.symbol);
      ASTITCH_RETURN_IF_ERROR(RunKernel(*kernel, function, compiled.tile_bytes, buffers, options));
    } else if (const auto* dot = std::get_if<DotCall>(&step)) {
      ASTITCH_RETURN_IF_ERROR(RunCall(dot->dot, buffers));
    }
  }
  std::vector<Literal> results;
  for (const Instruction* leaf : Leaves(*plan.graph)) {
    if (!buffers.contains(leaf)) return absl::InternalError("no value for " + leaf->name());
    results.push_back(ToLiteral(leaf, *buffers.at(leaf)));
  }
  return results;
}

std::string Check(const Plan& plan, const RunOptions& options, uint64_t seed) {
  const std::vector<Literal> arguments = RandomArguments(*plan.graph, seed);
  const absl::StatusOr<std::vector<Literal>> got = RunOnHost(plan, arguments, options);
  if (!got.ok()) return std::string(got.status().message());
  const absl::StatusOr<Literal> expected = Evaluate(*plan.graph, arguments);
  if (!expected.ok()) return std::string(expected.status().message());
  std::vector<Literal> leaves = expected->elements();
  if (!expected->shape().IsTuple()) leaves = {*expected};
  for (size_t i = 0; i < leaves.size(); ++i) {
    const ElementType type = leaves[i].shape().element_type();
    const Comparison comparison = Compare((*got)[i], leaves[i], DefaultTolerance(type));
    if (!comparison.ok()) return absl::StrCat("result ", i, ": ", comparison.Describe());
  }
  return "";
}

}  // namespace astitch::testing
