// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Walks the plan's steps once; scratch of kernels shares one region behind the arena, since steps
// run one after another.
#include "compile/lower_host.h"

#include <algorithm>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/checked_math.h"
#include "codegen/host/host_compiler.h"
#include "ir/convolution_dims.h"

namespace astitch {
namespace {

constexpr int64_t kAlign = 64;

absl::StatusOr<DataType> LibraryType(const Instruction& at, ElementType type) {
  switch (type) {
    case ElementType::kF32:
      return DataType::kF32;
    case ElementType::kF16:
      return DataType::kF16;
    case ElementType::kBF16:
      return DataType::kBF16;
    case ElementType::kS8:
      return DataType::kS8;
    case ElementType::kU8:
      return DataType::kU8;
    case ElementType::kS32:
      return DataType::kS32;
    default:
      return ErrorAt(at, absl::StrCat("no library call takes ", ToString(type)));
  }
}

std::vector<int64_t> RowMajorStrides(const Shape& shape) {
  std::vector<int64_t> strides(shape.rank(), 1);
  for (int64_t d = shape.rank() - 2; d >= 0; --d) strides[d] = strides[d + 1] * shape.dim(d + 1);
  return strides;
}

class Lowering {
 public:
  Lowering(const Plan& plan, const EntrySpecs& specs, bool keep_texts)
      : plan_(plan), specs_(specs), keep_texts_(keep_texts) {}

  absl::StatusOr<HostLowering> Run() {
    ExecutableImage& image = out_.image;
    image.target = absl::StrCat("host:", HostCpuName());
    image.inputs = specs_.inputs;
    image.outputs = specs_.outputs;
    for (const InputOutputAlias& alias : specs_.aliases) {
      AliasedPair pair;
      pair.output = alias.output_index.empty() ? 0 : static_cast<int32_t>(alias.output_index[0]);
      pair.input = static_cast<int32_t>(alias.parameter);
      image.aliases.push_back(pair);
    }
    ASTITCH_RETURN_IF_ERROR(AddConstants());
    ASTITCH_RETURN_IF_ERROR(CompileKernels());
    int64_t scratch = 0;
    for (const PlanStep& step : plan_.steps) {
      if (const auto* kernel = std::get_if<KernelPlan>(&step))
        scratch = std::max(scratch, kernel->launch.scratch_bytes);
    }
    scratch_offset_ = RoundUp(plan_.arena_bytes, kAlign);
    image.arena_bytes = scratch_offset_ + RoundUp(scratch, kAlign);
    for (const PlanStep& step : plan_.steps) ASTITCH_RETURN_IF_ERROR(AddStep(step));
    return std::move(out_);
  }

 private:
  absl::Status AddConstants() {
    for (const BufferPlan& buffer : plan_.buffers) {
      if (buffer.space != BufferPlan::Space::kConstant) continue;
      const Instruction* value = buffer.value;
      while (value->opcode() != Opcode::kConstant && value->num_operands() == 1)
        value = value->operand(0);
      if (value->opcode() != Opcode::kConstant) return ErrorAt(*value, "expected a constant");
      if (value->literal().is_elided())
        return ErrorAt(*value, "the values of this constant are elided: {...}");
      auto& constants = out_.image.constants;
      if (buffer.index >= static_cast<int32_t>(constants.size()))
        constants.resize(buffer.index + 1);
      const absl::Span<const std::byte> bytes = value->literal().bytes();
      constants[buffer.index].assign(bytes.begin(), bytes.end());
    }
    return absl::OkStatus();
  }

  // Kernels are independent: two threads halve the time to the first run.
  absl::Status CompileKernels() {
    std::vector<const KernelPlan*> kernels;
    for (const PlanStep& step : plan_.steps) {
      if (const auto* kernel = std::get_if<KernelPlan>(&step)) kernels.push_back(kernel);
    }
    constexpr size_t kEnoughForTwo = 4;
    const size_t objects =
        kernels.size() >= kEnoughForTwo && std::thread::hardware_concurrency() > 1 ? 2 : 1;
    std::vector<std::vector<const KernelPlan*>> share(objects);
    for (size_t k = 0; k < kernels.size(); ++k) {
      share[k % objects].push_back(kernels[k]);
      object_of_[kernels[k]] = {static_cast<int32_t>(k % objects), share[k % objects].size() - 1};
    }
    HostCompileOptions options;
    options.keep_ir = options.keep_assembly = keep_texts_;
    std::vector<absl::StatusOr<HostObject>> results(objects, absl::UnknownError("not compiled"));
    std::vector<std::thread> threads;
    for (size_t o = 1; o < objects; ++o) {
      threads.emplace_back([&, o] { results[o] = CompileHostKernels(share[o], options); });
    }
    if (!kernels.empty()) results[0] = CompileHostKernels(share[0], options);
    for (std::thread& thread : threads) thread.join();
    if (kernels.empty()) return absl::OkStatus();
    for (auto& result : results) {
      ASTITCH_RETURN_IF_ERROR(result.status());
      const std::string& bytes = result->bytes;
      const std::byte* data = reinterpret_cast<const std::byte*>(bytes.data());
      out_.image.objects.emplace_back(data, data + bytes.size());
      absl::StrAppend(&out_.ir, result->ir);
      absl::StrAppend(&out_.assembly, result->assembly);
      objects_.push_back(*std::move(result));
    }
    return absl::OkStatus();
  }

  BufferRef Ref(const Instruction* value) const {
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

  absl::StatusOr<TensorView> View(const Instruction* value, std::vector<int64_t> strides) const {
    TensorView view;
    view.buffer = Ref(value);
    ASTITCH_ASSIGN_OR_RETURN(view.type, LibraryType(*value, value->shape().element_type()));
    view.strides = std::move(strides);
    return view;
  }

  absl::Status AddStep(const PlanStep& step) {
    if (const auto* kernel = std::get_if<KernelPlan>(&step)) return AddKernel(*kernel);
    if (const auto* dot = std::get_if<DotCall>(&step)) {
      ASTITCH_ASSIGN_OR_RETURN(MatmulStep matmul, MakeMatmulStep(*dot));
      matmul.lhs.buffer = Ref(dot->lhs.value);
      matmul.rhs.buffer = Ref(dot->rhs.value);
      matmul.out.buffer = Ref(dot->out.value);
      out_.image.steps.emplace_back(std::move(matmul));
      return absl::OkStatus();
    }
    if (const auto* call = std::get_if<ConvolutionCall>(&step)) {
      ASTITCH_ASSIGN_OR_RETURN(ConvolutionStep convolution,
                               MakeConvolutionStep(*call->convolution));
      convolution.in.buffer = Ref(call->convolution->operand(0));
      convolution.kernel.buffer = Ref(call->convolution->operand(1));
      convolution.out.buffer = Ref(call->convolution);
      out_.image.steps.emplace_back(std::move(convolution));
      return absl::OkStatus();
    }
    const CopyCall& copy = std::get<CopyCall>(step);
    CopyStep copy_step;
    copy_step.name = absl::StrCat("copy.", copy.from->name());
    copy_step.from = Ref(copy.from);
    copy_step.to = {BufferRef::Space::kOutput, copy.output, 0, copy_step.from.bytes};
    out_.image.steps.emplace_back(std::move(copy_step));
    return absl::OkStatus();
  }

  absl::Status AddKernel(const KernelPlan& kernel) {
    const auto [object, position] = object_of_.at(&kernel);
    const CompiledHostKernel& compiled = objects_[object].kernels[position];
    HostKernelStep step;
    step.name = kernel.name;
    step.symbol = compiled.symbol;
    step.object = object;
    for (const Instruction* input : kernel.inputs) step.buffers.push_back(Ref(input));
    for (const Instruction* output : kernel.outputs) step.buffers.push_back(Ref(output));
    if (kernel.launch.scratch_bytes > 0) {
      step.buffers.push_back(
          {BufferRef::Space::kArena, 0, scratch_offset_, kernel.launch.scratch_bytes});
    }
    step.tile_bytes = compiled.tile_bytes;
    step.max_workers = static_cast<int32_t>(std::clamp<int64_t>(kernel.launch.grid, 1, 1 << 16));
    out_.image.steps.emplace_back(std::move(step));
    return absl::OkStatus();
  }

  const Plan& plan_;
  const EntrySpecs& specs_;
  const bool keep_texts_;
  HostLowering out_;
  std::vector<HostObject> objects_;
  absl::flat_hash_map<const KernelPlan*, std::pair<int32_t, size_t>> object_of_;
  int64_t scratch_offset_ = 0;
};

}  // namespace

absl::StatusOr<MatmulStep> MakeMatmulStep(const DotCall& call) {
  MatmulStep step;
  step.name = call.dot->name();
  step.batch = call.batch;
  step.m = call.m;
  step.n = call.n;
  step.k = call.k;
  const std::pair<TensorView*, const StridedOperand*> operands[] = {
      {&step.lhs, &call.lhs}, {&step.rhs, &call.rhs}, {&step.out, &call.out}};
  for (const auto& [view, operand] : operands) {
    ASTITCH_ASSIGN_OR_RETURN(view->type,
                             LibraryType(*call.dot, operand->value->shape().element_type()));
    view->strides = operand->strides;
  }
  // Three buffers of their own, until the plan's are put in.
  step.lhs.buffer = {BufferRef::Space::kInput, 0, 0, call.lhs.value->shape().byte_size()};
  step.rhs.buffer = {BufferRef::Space::kInput, 1, 0, call.rhs.value->shape().byte_size()};
  step.out.buffer = {BufferRef::Space::kOutput, 0, 0, call.out.value->shape().byte_size()};
  ChooseSplit(step);
  return step;
}

absl::StatusOr<ConvolutionStep> MakeConvolutionStep(const Instruction& convolution) {
  const auto& attributes = convolution.as<ConvolutionAttributes>();
  ASTITCH_ASSIGN_OR_RETURN(const ConvolutionDims dims, ParseConvolutionDims(attributes.dim_labels));
  const Shape& in = convolution.operand(0)->shape();
  const Shape& kernel = convolution.operand(1)->shape();
  const Shape& out = convolution.shape();
  if (attributes.batch_group_count != 1)
    return ErrorAt(convolution, "no library call takes batch_group_count");
  ConvolutionStep step;
  step.name = convolution.name();
  step.batch = in.dim(dims.lhs_batch);
  step.in_channels = in.dim(dims.lhs_feature);
  step.out_channels = out.dim(dims.out_feature);
  step.groups = attributes.feature_group_count;
  const std::vector<int64_t> in_strides = RowMajorStrides(in),
                             kernel_strides = RowMajorStrides(kernel),
                             out_strides = RowMajorStrides(out);
  ASTITCH_ASSIGN_OR_RETURN(step.in.type, LibraryType(convolution, in.element_type()));
  ASTITCH_ASSIGN_OR_RETURN(step.kernel.type, LibraryType(convolution, kernel.element_type()));
  ASTITCH_ASSIGN_OR_RETURN(step.out.type, LibraryType(convolution, out.element_type()));
  step.in.strides = {in_strides[dims.lhs_batch], in_strides[dims.lhs_feature]};
  step.kernel.strides = {kernel_strides[dims.rhs_output_feature],
                         kernel_strides[dims.rhs_input_feature]};
  step.out.strides = {out_strides[dims.out_batch], out_strides[dims.out_feature]};
  for (int64_t s = 0; s < dims.num_spatial(); ++s) {
    const WindowDim& window = attributes.window[s];
    if (window.base_dilation != 1 || window.reversal) {
      return ErrorAt(convolution, "no library call takes base dilation or a reversed kernel");
    }
    step.in_spatial.push_back(in.dim(dims.lhs_spatial[s]));
    step.kernel_spatial.push_back(kernel.dim(dims.rhs_spatial[s]));
    step.out_spatial.push_back(out.dim(dims.out_spatial[s]));
    step.window.push_back({window.stride, window.pad_low, window.pad_high, window.window_dilation});
    step.in.strides.push_back(in_strides[dims.lhs_spatial[s]]);
    step.kernel.strides.push_back(kernel_strides[dims.rhs_spatial[s]]);
    step.out.strides.push_back(out_strides[dims.out_spatial[s]]);
  }
  ChooseSplit(step);
  return step;
}

absl::StatusOr<HostLowering> LowerForHost(const Plan& plan, const EntrySpecs& specs,
                                          bool keep_texts) {
  return Lowering(plan, specs, keep_texts).Run();
}

}  // namespace astitch
