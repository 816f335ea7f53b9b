// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Plain layouts are used when oneDNN has a fast kernel for them, its own blocked ones otherwise.
#include "runtime/library/convolution_code.h"

#include <algorithm>

#include "base/checked_math.h"
#include "base/status.h"
#include "runtime/library/dense.h"

namespace astitch {
namespace {

using dnnl::memory;
using ForwardDesc = dnnl::convolution_forward::primitive_desc;

constexpr int64_t kAlign = 64;
constexpr int64_t kKernelSlice = 64;  // output channels: a multiple of every block oneDNN has

memory::desc F32(const std::vector<int64_t>& dims, const std::vector<int64_t>& strides) {
  return memory::desc(dims, memory::data_type::f32, strides);
}
memory::desc AnyLayout(const std::vector<int64_t>& dims) {
  return memory::desc(dims, memory::data_type::f32, memory::format_tag::any);
}
int64_t SizeOf(const memory::desc& form) { return static_cast<int64_t>(form.get_size()); }

bool IsReference(const ForwardDesc& chosen) {
  return std::string(chosen.impl_info_str()).rfind("ref", 0) == 0;
}
bool IsFast(const ForwardDesc& chosen) {
  return !IsReference(chosen) && std::string(chosen.impl_info_str()).rfind("gemm", 0) != 0;
}

// As a caller has it, or dense where it must be packed first.
memory::desc FormOf(const TensorView& view, bool direct, const std::vector<int64_t>& dims) {
  return F32(dims, direct ? view.strides : DenseStrides(dims, view.strides));
}

class Builder {
 public:
  Builder(const ConvolutionProblem& problem, const dnnl::engine& engine)
      : p_(problem), step_(problem.step), engine_(engine) {}

  absl::StatusOr<ConvolutionCode> Build() {
    for (int64_t i = 0; i < p_.num_parts(); ++i) {
      const ConvolutionPart part = p_.Part(i);
      if (part.empty() || code_.parts.count(part.shape) != 0) continue;
      ASTITCH_RETURN_IF_ERROR(BuildPart(part.shape));
    }
    BuildKernel();
    return std::move(code_);
  }

 private:
  absl::Status BuildPart(const ConvolutionShape& shape) {
    const memory::desc in = FormOf(step_.in, p_.in_direct, p_.InDims(shape));
    const memory::desc out = FormOf(step_.out, p_.out_direct, p_.OutDims(shape));
    // The first shape decides the form of the kernel for all.
    std::vector<int64_t> kernel_dims = p_.KernelDims(), unused = kernel_dims;
    SplitGroups(kernel_dims, unused);
    const memory::desc kernel = code_.parts.empty() ? AnyLayout(kernel_dims) : kernel_form_;
    ForwardDesc chosen = Choose(shape, in, kernel, out);
    if (!IsFast(chosen)) {
      const ForwardDesc blocked =
          Choose(shape, AnyLayout(p_.InDims(shape)), kernel, AnyLayout(p_.OutDims(shape)));
      if (IsFast(blocked) || IsReference(chosen)) chosen = blocked;
    }
    if (IsReference(chosen)) {
      return absl::UnimplementedError("oneDNN has only its slow reference for this convolution");
    }
    kernel_form_ = chosen.weights_desc();
    code_.parts.emplace(shape, MakePart(shape, chosen, in, out));
    return absl::OkStatus();
  }

  ForwardDesc Choose(const ConvolutionShape& shape, const memory::desc& in,
                     const memory::desc& kernel, const memory::desc& out) const {
    memory::dims strides, dilations, low, high;
    for (size_t i = 0; i < step_.window.size(); ++i) {
      const ConvolutionWindowDim& w = step_.window[i];
      strides.push_back(w.stride);
      dilations.push_back(w.dilation - 1);
      low.push_back(w.pad_low);
      // The padding that windows reach; HLO may state more.
      high.push_back((step_.out_spatial[i] - 1) * w.stride +
                     (step_.kernel_spatial[i] - 1) * w.dilation + 1 - step_.in_spatial[i] -
                     w.pad_low);
    }
    low[0] = shape.pad_low, high[0] = shape.pad_high;
    dnnl::post_ops ops;
    for (size_t i = p_.bias() != nullptr ? 1 : 0; i < step_.epilogue.size(); ++i) {
      if (static_cast<int32_t>(i) == p_.addend_index) {
        ops.append_sum(1.0f);
      } else {
        AppendPostOp(step_.epilogue[i], out, ops);
      }
    }
    dnnl::primitive_attr attr;
    attr.set_post_ops(ops);
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    constexpr auto kInference = dnnl::prop_kind::forward_inference;
    constexpr auto kDirect = dnnl::algorithm::convolution_direct;
    using Desc = dnnl::convolution_forward::desc;
    const Desc desc =
        p_.bias() != nullptr
            ? Desc(kInference, kDirect, in, kernel, Bias(), out, strides, dilations, low, high)
            : Desc(kInference, kDirect, in, kernel, out, strides, dilations, low, high);
    return ForwardDesc(desc, attr, engine_);
  }

  memory::desc Bias() const { return F32({step_.out_channels}, {1}); }

  ConvolutionPartCode MakePart(const ConvolutionShape& shape, const ForwardDesc& chosen,
                               const memory::desc& in, const memory::desc& out) const {
    ConvolutionPartCode part;
    part.in_dims = p_.InDims(shape);
    part.out_dims = p_.OutDims(shape);
    OneDnnPrimitive& c = part.convolution;
    c.primitive = dnnl::convolution_forward(chosen);
    c.arguments = {{DNNL_ARG_SRC, chosen.src_desc()},
                   {DNNL_ARG_WEIGHTS, chosen.weights_desc()},
                   {DNNL_ARG_DST, chosen.dst_desc()}};
    if (p_.bias() != nullptr) c.arguments.emplace_back(DNNL_ARG_BIAS, Bias());
    c.arguments.emplace_back(DNNL_ARG_SCRATCHPAD, chosen.scratchpad_desc());
    int64_t scratchpad = SizeOf(chosen.scratchpad_desc());
    if (chosen.src_desc() != in) part.reorder_in = Reorder(in, chosen.src_desc(), scratchpad);
    if (chosen.dst_desc() != out) part.reorder_out = Reorder(chosen.dst_desc(), out, scratchpad);
    int64_t packed_addend = 0;
    if (p_.addend() != nullptr) {
      const memory::desc form = FormOf(p_.addend()->view, p_.addend_direct, part.out_dims);
      part.reorder_addend = Reorder(form, chosen.dst_desc(), scratchpad);
      if (!p_.addend_direct) packed_addend = SizeOf(form);
    }
    const auto reserve = [&part](int64_t size) {
      const int64_t at = part.tile_bytes;
      part.tile_bytes = RoundUp(at + size, kAlign);
      return at;
    };
    part.packed_in = reserve(p_.in_direct ? 0 : SizeOf(in));
    part.reordered_in = reserve(part.reorder_in ? SizeOf(chosen.src_desc()) : 0);
    part.raw_out = reserve(part.reorder_out ? SizeOf(chosen.dst_desc()) : 0);
    part.packed_out = reserve(p_.out_direct ? 0 : SizeOf(out));
    part.packed_addend = reserve(packed_addend);
    part.bias = reserve(p_.bias() != nullptr ? SizeOf(Bias()) : 0);
    part.scratchpad = reserve(scratchpad);
    return part;
  }

  OneDnnPrimitive Reorder(const memory::desc& from, const memory::desc& to,
                          int64_t& scratchpad) const {
    dnnl::primitive_attr attr;
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    const dnnl::reorder::primitive_desc chosen(engine_, from, engine_, to, attr);
    OneDnnPrimitive result;
    result.primitive = dnnl::reorder(chosen);
    result.arguments = {
        {DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}, {DNNL_ARG_SCRATCHPAD, chosen.scratchpad_desc()}};
    scratchpad = std::max(scratchpad, SizeOf(chosen.scratchpad_desc()));
    return result;
  }

  // oneDNN wants groups as a dimension of their own.
  void SplitGroups(std::vector<int64_t>& dims, std::vector<int64_t>& strides) const {
    if (step_.groups == 1) return;
    dims[0] /= step_.groups;
    dims.insert(dims.begin(), step_.groups);
    strides.insert(strides.begin(), strides[0] * dims[1]);
  }

  memory::desc KernelForm(std::vector<int64_t> dims) const {
    std::vector<int64_t> strides =
        p_.kernel_direct ? step_.kernel.strides : DenseStrides(dims, step_.kernel.strides);
    SplitGroups(dims, strides);
    return F32(dims, strides);
  }

  void BuildKernel() {
    ConvolutionKernelCode& kernel = code_.kernel;
    kernel.slice_dims = p_.KernelDims();
    if (p_.kernel_direct && kernel_form_ == KernelForm(kernel.slice_dims)) return;
    memory::desc to = kernel_form_;
    const dnnl_blocking_desc_t& blocking = kernel_form_.data.format_desc.blocking;
    int64_t block = 1;
    for (int i = 0; i < blocking.inner_nblks; ++i) {
      if (blocking.inner_idxs[i] == 0) block *= blocking.inner_blks[i];
    }
    if (step_.groups == 1 && step_.out_channels % kKernelSlice == 0 && kKernelSlice % block == 0) {
      kernel.slice_dims[0] = kKernelSlice;
      to = kernel_form_.submemory_desc(kernel.slice_dims,
                                       std::vector<int64_t>(kernel.slice_dims.size(), 0));
    }
    kernel.slices = step_.out_channels / kernel.slice_dims[0];
    kernel.slice_bytes =
        kernel.slice_dims[0] / block * blocking.strides[0] * int64_t{sizeof(float)};
    const memory::desc from = KernelForm(kernel.slice_dims);
    int64_t scratchpad = 0;
    kernel.reorder = Reorder(from, to, scratchpad);
    kernel.scratchpad = p_.kernel_direct ? 0 : RoundUp(SizeOf(from), kAlign);
    kernel.tile_bytes = kernel.scratchpad + RoundUp(scratchpad, kAlign);
    kernel.reordered_bytes = SizeOf(kernel_form_);
  }

  const ConvolutionProblem& p_;
  const ConvolutionStep& step_;
  const dnnl::engine& engine_;
  memory::desc kernel_form_;
  ConvolutionCode code_;
};

}  // namespace

absl::StatusOr<ConvolutionCode> BuildConvolution(const ConvolutionProblem& problem,
                                                 const dnnl::engine& engine) {
  absl::StatusOr<ConvolutionCode> code = absl::UnknownError("not built");
  ASTITCH_RETURN_IF_ERROR(
      WithOneDnn("preparing a convolution", [&] { code = Builder(problem, engine).Build(); }));
  return code;
}

}  // namespace astitch
