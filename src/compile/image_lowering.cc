// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Buffers become ranges, library calls steps; scratch of kernels shares one region behind the arena,
// since steps run one after another.
#include "compile/image_lowering.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/checked_math.h"
#include "base/status.h"
#include "compile/library_steps.h"
#include "compile/reference_steps.h"
#include "interp/interpreter.h"
#include "plan/reference_call.h"

namespace astitch {
namespace {

constexpr int64_t kAlign = 64;

// Blocks of random numbers that the graph has drawn when it comes to INSTRUCTION, modulo 2^63.
int64_t RandomStart(const Instruction& instruction) {
  uint64_t blocks = 0;
  for (const auto& other : instruction.parent()->instructions()) {
    if (other.get() == &instruction) break;
    blocks += static_cast<uint64_t>(RandomBlocks(*other));
  }
  return static_cast<int64_t>(blocks & INT64_MAX);
}

}  // namespace

ImageLowering::ImageLowering(const Plan& plan, const EntrySpecs& specs) : plan_(plan) {
  image_.inputs = specs.inputs;
  image_.outputs = specs.outputs;
  for (const InputOutputAlias& alias : specs.aliases) {
    AliasedPair pair;
    pair.output = alias.output_index.empty() ? 0 : static_cast<int32_t>(alias.output_index[0]);
    pair.input = static_cast<int32_t>(alias.parameter);
    image_.aliases.push_back(pair);
  }
  int64_t scratch = 0;
  for (const PlanStep& step : plan_.steps) {
    if (const auto* kernel = std::get_if<KernelPlan>(&step))
      scratch = std::max(scratch, kernel->launch.scratch_bytes);
  }
  scratch_offset_ = RoundUp(plan_.arena_bytes, kAlign);
  image_.arena_bytes = scratch_offset_ + RoundUp(scratch, kAlign);
}

absl::Status ImageLowering::AddConstants() {
  for (const BufferPlan& buffer : plan_.buffers) {
    if (buffer.space != BufferPlan::Space::kConstant) continue;
    const Instruction* value = buffer.value;
    while (value->opcode() != Opcode::kConstant && value->num_operands() == 1)
      value = value->operand(0);
    if (value->opcode() != Opcode::kConstant) return ErrorAt(*value, "expected a constant");
    if (value->literal().is_elided())
      return ErrorAt(*value, "the values of this constant are elided: {...}");
    auto& constants = image_.constants;
    if (buffer.index >= static_cast<int32_t>(constants.size())) constants.resize(buffer.index + 1);
    const absl::Span<const std::byte> bytes = value->literal().bytes();
    constants[buffer.index].assign(bytes.begin(), bytes.end());
  }
  return absl::OkStatus();
}

BufferRef ImageLowering::Ref(const Instruction* value) const {
  const BufferPlan* buffer = plan_.FindBuffer(value);
  ASTITCH_CHECK(buffer != nullptr) << value->name();
  BufferRef ref;
  switch (buffer->space) {
    case BufferPlan::Space::kInput:
      ref.space = BufferRef::Space::kInput;
      break;
    case BufferPlan::Space::kOutput:
      ref.space = BufferRef::Space::kOutput;
      break;
    case BufferPlan::Space::kArena:
      ref.space = BufferRef::Space::kArena;
      break;
    case BufferPlan::Space::kConstant:
      ref.space = BufferRef::Space::kConstant;
      break;
  }
  ref.index = buffer->space == BufferPlan::Space::kArena ? 0 : buffer->index;
  ref.offset = buffer->offset;
  ref.bytes = buffer->bytes;
  return ref;
}

BufferRef ImageLowering::Scratch(const KernelPlan& kernel) const {
  return {BufferRef::Space::kArena, 0, scratch_offset_, kernel.launch.scratch_bytes};
}

absl::Status ImageLowering::AddCall(const PlanStep& step) {
  if (const auto* dot = std::get_if<DotCall>(&step)) {
    ASTITCH_ASSIGN_OR_RETURN(MatmulStep matmul, MakeMatmulStep(*dot));
    matmul.lhs.buffer = Ref(dot->lhs.value);
    matmul.rhs.buffer = Ref(dot->rhs.value);
    matmul.out.buffer = Ref(dot->out.value);
    for (size_t i = 0; i < dot->epilogue.size(); ++i) {
      if (dot->epilogue[i].addend.value != nullptr)
        matmul.epilogue[i].view.buffer = Ref(dot->epilogue[i].addend.value);
    }
    image_.steps.emplace_back(std::move(matmul));
    return absl::OkStatus();
  }
  if (const auto* call = std::get_if<ConvolutionCall>(&step)) {
    ASTITCH_ASSIGN_OR_RETURN(ConvolutionStep convolution, MakeConvolutionStep(*call->convolution));
    convolution.in.buffer = Ref(call->convolution->operand(0));
    convolution.kernel.buffer = Ref(call->convolution->operand(1));
    convolution.out.buffer = Ref(call->convolution);
    image_.steps.emplace_back(std::move(convolution));
    return absl::OkStatus();
  }
  if (const auto* call = std::get_if<ReferenceCall>(&step)) return AddReference(*call->instruction);
  const CopyCall& copy = std::get<CopyCall>(step);
  CopyStep copy_step;
  copy_step.name = absl::StrCat("copy.", copy.from->name());
  copy_step.from = Ref(copy.from);
  copy_step.to = {BufferRef::Space::kOutput, copy.output, 0, copy_step.from.bytes};
  image_.steps.emplace_back(std::move(copy_step));
  return absl::OkStatus();
}

absl::Status ImageLowering::AddReference(const Instruction& instruction) {
  ASTITCH_ASSIGN_OR_RETURN(ReferenceStep step, MakeReferenceStep(instruction));
  for (const Instruction* input : ReferenceInputs(instruction)) step.inputs.push_back(Ref(input));
  for (const Instruction* output : ReferenceOutputs(instruction))
    step.outputs.push_back(Ref(output));
  if (RandomBlocks(instruction) > 0) step.random_start = RandomStart(instruction);
  image_.steps.emplace_back(std::move(step));
  return absl::OkStatus();
}

}  // namespace astitch
