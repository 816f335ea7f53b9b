// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Layouts of a dot's and a convolution's operands become strides; the plan keeps everything
// row-major.
#include "compile/library_steps.h"

#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "ir/convolution_dims.h"

namespace astitch {
namespace {

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

Epilogue::Kind KindOf(EpilogueKind kind) {
  switch (kind) {
    case EpilogueKind::kAdd:
      return Epilogue::Kind::kAdd;
    case EpilogueKind::kScale:
      return Epilogue::Kind::kScale;
    case EpilogueKind::kRelu:
      return Epilogue::Kind::kRelu;
    case EpilogueKind::kGeluTanh:
      return Epilogue::Kind::kGeluTanh;
    case EpilogueKind::kGeluErf:
      return Epilogue::Kind::kGeluErf;
  }
  ASTITCH_UNREACHABLE();
}

absl::StatusOr<Epilogue> MakeEpilogue(const Instruction& at, const EpilogueOp& op) {
  Epilogue out;
  out.kind = KindOf(op.kind);
  out.scale = static_cast<float>(op.scale);
  if (op.addend.value == nullptr) return out;
  const Shape& shape = op.addend.value->shape();
  ASTITCH_ASSIGN_OR_RETURN(out.view.type, LibraryType(at, shape.element_type()));
  out.view.strides = op.addend.strides;
  out.view.buffer = {BufferRef::Space::kInput, 2, 0, shape.byte_size()};
  return out;
}

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
  for (const EpilogueOp& op : call.epilogue) {
    ASTITCH_ASSIGN_OR_RETURN(Epilogue epilogue, MakeEpilogue(*call.dot, op));
    step.epilogue.push_back(std::move(epilogue));
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
  step.in.buffer = {BufferRef::Space::kInput, 0, 0, in.byte_size()};
  step.kernel.buffer = {BufferRef::Space::kInput, 1, 0, kernel.byte_size()};
  step.out.buffer = {BufferRef::Space::kOutput, 0, 0, out.byte_size()};
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

}  // namespace astitch
