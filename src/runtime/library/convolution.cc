// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Convolutions through oneDNN.
//
//   kernel --> [pack to f32] --> [reorder] --.       once for all parts, by all workers
//   in ------> [pack to f32] --> [reorder] --+--> convolution --> [reorder] --> [round] --> out
//   addend --> [pack to f32] --> reorder ----'
//
// What is in brackets happens where it must: packing for types and layouts that oneDNN does not
// read, reordering where its only fast kernel wants blocked layouts.
#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "artifact/executable_image.h"
#include "base/status.h"
#include "runtime/library/convert.h"
#include "runtime/library/convolution_code.h"
#include "runtime/library/convolution_problem.h"
#include "runtime/library/dense.h"
#include "runtime/library/library_call.h"
#include "runtime/library/onednn.h"
#include "runtime/library/support.h"

namespace astitch {
namespace {

class ConvolutionState final : public LibraryCall::State {
 public:
  struct Part {
    std::optional<OneDnnArguments> convolution, reorder_in, reorder_addend, reorder_out;
  };

  ConvolutionState(const ConvolutionCode& code, const dnnl::engine& engine) : stream(engine) {
    for (const auto& [shape, part] : code.parts) {
      Part& arguments = parts[shape];
      arguments.convolution.emplace(part.convolution, engine);
      if (part.reorder_in) arguments.reorder_in.emplace(*part.reorder_in, engine);
      if (part.reorder_addend) arguments.reorder_addend.emplace(*part.reorder_addend, engine);
      if (part.reorder_out) arguments.reorder_out.emplace(*part.reorder_out, engine);
      pointers.reserve(part.convolution.arguments.size());
    }
    if (code.kernel.reorder) reorder_kernel.emplace(*code.kernel.reorder, engine);
  }

  dnnl::stream stream;
  std::map<ConvolutionShape, Part> parts;
  std::optional<OneDnnArguments> reorder_kernel;
  std::vector<void*> pointers;
};

std::byte* At(void* base, const TensorView& view, int64_t elements) {
  return static_cast<std::byte*>(base) + elements * ByteWidth(view.type);
}

class ConvolutionCall final : public LibraryCall {
 public:
  ConvolutionCall(ConvolutionProblem problem, dnnl::engine engine, ConvolutionCode code)
      : p_(std::move(problem)), engine_(std::move(engine)), code_(std::move(code)) {
    buffers_ = p_.buffers;
    max_workers_ = static_cast<int32_t>(p_.num_parts());
    shared_bytes_ = code_.kernel.reordered_bytes;
    tile_bytes_ = code_.kernel.tile_bytes;
    for (const auto& [shape, part] : code_.parts) {
      tile_bytes_ = std::max(tile_bytes_, part.tile_bytes);
    }
  }

  absl::StatusOr<std::unique_ptr<State>> NewState() const override {
    std::unique_ptr<State> state;
    ASTITCH_RETURN_IF_ERROR(WithOneDnn(
        "preparing a run", [&] { state = std::make_unique<ConvolutionState>(code_, engine_); }));
    return state;
  }

  absl::Status Run(const HostKernelArgs& args, std::byte* shared, State& base) const override {
    ConvolutionState& state = static_cast<ConvolutionState&>(base);
    const SequentialOpenMp sequential;
    absl::Status status;
    if (code_.kernel.reorder) {
      const Share slices = ShareOf(code_.kernel.slices, args.worker, args.num_workers);
      for (int64_t i = slices.begin; i < slices.end && status.ok(); ++i) {
        status = ReorderKernel(args, shared, i, state);
      }
      args.barrier(args.team);
    }
    const Share share = ShareOf(p_.num_parts(), args.worker, args.num_workers);
    for (int64_t i = share.begin; i < share.end && status.ok(); ++i) {
      const ConvolutionPart part = p_.Part(i);
      if (!part.empty()) status = RunPart(args, shared, part, state);
    }
    return status;
  }

 private:
  absl::Status ReorderKernel(const HostKernelArgs& args, std::byte* shared, int64_t slice,
                             ConvolutionState& state) const {
    const ConvolutionKernelCode& kernel = code_.kernel;
    const TensorView& view = p_.step.kernel;
    std::byte* from = At(args.buffers[1], view, slice * kernel.slice_dims[0] * view.strides[0]);
    if (!p_.kernel_direct) {
      LoadDense(view.type, from, kernel.slice_dims, view.strides,
                reinterpret_cast<float*>(args.tile));
      from = args.tile;
    }
    return state.reorder_kernel->Execute(
        *kernel.reorder, state.stream,
        {from, shared + slice * kernel.slice_bytes, args.tile + kernel.scratchpad});
  }

  // The input of a part in the form its convolution reads.
  absl::StatusOr<void*> FetchIn(const HostKernelArgs& args, const ConvolutionPart& part,
                                const ConvolutionPartCode& code, ConvolutionState& state) const {
    const TensorView& view = p_.step.in;
    std::byte* in =
        At(args.buffers[0], view, part.image * view.strides[0] + part.in_row * view.strides[2]);
    if (!p_.in_direct) {
      std::byte* const packed = args.tile + code.packed_in;
      LoadDense(view.type, in, code.in_dims, view.strides, reinterpret_cast<float*>(packed));
      in = packed;
    }
    if (!code.reorder_in) return in;
    std::byte* const reordered = args.tile + code.reordered_in;
    ASTITCH_RETURN_IF_ERROR(state.parts.at(part.shape)
                                .reorder_in->Execute(*code.reorder_in, state.stream,
                                                     {in, reordered, args.tile + code.scratchpad}));
    return reordered;
  }

  std::byte* LoadBias(const HostKernelArgs& args, const ConvolutionPartCode& code) const {
    const TensorView& view = p_.bias()->view;
    const Matrix row = {1, p_.step.out_channels, 0, view.strides[1]};
    std::byte* const bias = args.tile + code.bias;
    LoadAsF32(view.type, args.buffers[3], row, reinterpret_cast<float*>(bias));
    return bias;
  }

  absl::Status LoadAddend(const HostKernelArgs& args, const ConvolutionPart& part,
                          const ConvolutionPartCode& code, ConvolutionState& state,
                          std::byte* to) const {
    const TensorView& view = p_.addend()->view;
    std::byte* from = At(args.buffers[p_.bias() != nullptr ? 4 : 3], view,
                         part.image * view.strides[0] + part.row * view.strides[2]);
    if (!p_.addend_direct) {
      std::byte* const packed = args.tile + code.packed_addend;
      LoadDense(view.type, from, code.out_dims, view.strides, reinterpret_cast<float*>(packed));
      from = packed;
    }
    return state.parts.at(part.shape)
        .reorder_addend->Execute(*code.reorder_addend, state.stream,
                                 {from, to, args.tile + code.scratchpad});
  }

  absl::Status RunPart(const HostKernelArgs& args, std::byte* shared, const ConvolutionPart& part,
                       ConvolutionState& state) const {
    const ConvolutionPartCode& code = code_.parts.at(part.shape);
    ConvolutionState::Part& arguments = state.parts.at(part.shape);
    ASTITCH_ASSIGN_OR_RETURN(void* const in, FetchIn(args, part, code, state));
    const TensorView& view = p_.step.out;
    std::byte* const out =
        At(args.buffers[2], view, part.image * view.strides[0] + part.row * view.strides[2]);
    std::byte* const form = p_.out_direct ? out : args.tile + code.packed_out;
    std::byte* const raw = code.reorder_out ? args.tile + code.raw_out : form;
    std::byte* const scratchpad = args.tile + code.scratchpad;
    void* const kernel = code_.kernel.reorder ? static_cast<void*>(shared) : args.buffers[1];
    if (p_.addend() != nullptr) {
      ASTITCH_RETURN_IF_ERROR(LoadAddend(args, part, code, state, raw));
    }
    state.pointers.assign({in, kernel, raw});
    if (p_.bias() != nullptr) state.pointers.push_back(LoadBias(args, code));
    state.pointers.push_back(scratchpad);
    ASTITCH_RETURN_IF_ERROR(
        arguments.convolution->Execute(code.convolution, state.stream, state.pointers));
    if (code.reorder_out) {
      ASTITCH_RETURN_IF_ERROR(
          arguments.reorder_out->Execute(*code.reorder_out, state.stream, {raw, form, scratchpad}));
    }
    if (!p_.out_direct) {
      StoreDense(view.type, reinterpret_cast<const float*>(form), code.out_dims, view.strides, out);
    }
    return absl::OkStatus();
  }

  const ConvolutionProblem p_;
  const dnnl::engine engine_;
  const ConvolutionCode code_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<LibraryCall>> PrepareConvolution(const ConvolutionStep& step) {
  ASTITCH_ASSIGN_OR_RETURN(ConvolutionProblem problem, NormalizeConvolution(step));
  dnnl::engine engine;
  ASTITCH_RETURN_IF_ERROR(
      WithOneDnn("making an engine", [&] { engine = dnnl::engine(dnnl::engine::kind::cpu, 0); }));
  ASTITCH_ASSIGN_OR_RETURN(ConvolutionCode code, BuildConvolution(problem, engine));
  return std::make_unique<ConvolutionCall>(std::move(problem), std::move(engine), std::move(code));
}

absl::Status CanRunConvolution(const ConvolutionStep& step) {
  ASTITCH_RETURN_IF_ERROR(ValidateStep(step));
  return PrepareConvolution(step).status();
}

}  // namespace astitch
