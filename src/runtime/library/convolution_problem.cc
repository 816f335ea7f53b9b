// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Which rows of the input a range of output rows needs, and what of them is padding.
#include "runtime/library/convolution_problem.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/checked_math.h"
#include "base/status.h"

namespace astitch {
namespace {

bool IsFloat(DataType type) {
  return type == DataType::kF32 || type == DataType::kF16 || type == DataType::kBF16;
}

std::vector<int64_t> Dims(int64_t a, int64_t b, const std::vector<int64_t>& spatial) {
  std::vector<int64_t> out = {a, b};
  out.insert(out.end(), spatial.begin(), spatial.end());
  return out;
}

// f32, and no element stands for several.
bool IsDirect(const TensorView& view, const std::vector<int64_t>& dims) {
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] > 1 && view.strides[i] == 0) return false;
  }
  return view.type == DataType::kF32;
}

bool IsBias(const Epilogue& e, const std::vector<int64_t>& out_dims) {
  if (e.kind != Epilogue::Kind::kAdd) return false;
  for (size_t i = 0; i < out_dims.size(); ++i) {
    if (i != 1 && out_dims[i] > 1 && e.view.strides[i] != 0) return false;
  }
  return true;
}

absl::Status CheckSupported(const ConvolutionStep& step) {
  for (const TensorView* view : {&step.in, &step.kernel, &step.out}) {
    if (!IsFloat(view->type)) {
      return absl::UnimplementedError(absl::StrCat("convolution of ", ToString(view->type)));
    }
  }
  for (const ConvolutionWindowDim& w : step.window) {
    if (w.pad_low < 0 || w.pad_high < 0) {
      return absl::UnimplementedError("convolution with negative padding");
    }
  }
  bool empty = step.batch == 0 || step.in_channels == 0 || step.out_channels == 0;
  for (size_t i = 0; i < step.window.size(); ++i) {
    empty |= step.in_spatial[i] == 0 || step.out_spatial[i] == 0;
  }
  if (empty) return absl::UnimplementedError("a convolution without elements");
  return absl::OkStatus();
}

}  // namespace

ConvolutionPart ConvolutionProblem::Part(int64_t index) const {
  ConvolutionPart part;
  const int64_t images = CeilDiv(step.batch, step.batch_parts);
  part.image = std::min(index / step.row_parts * images, step.batch);
  part.shape.images = std::min(images, step.batch - part.image);
  const int64_t rows = CeilDiv(step.out_spatial[0], step.row_parts);
  part.row = std::min(index % step.row_parts * rows, step.out_spatial[0]);
  part.shape.rows = std::min(rows, step.out_spatial[0] - part.row);
  if (part.empty()) return part;
  const ConvolutionWindowDim& w = step.window[0];
  // Rows of the input from the first tap of the first window to the last tap of the last.
  const int64_t begin = part.row * w.stride - w.pad_low;
  const int64_t end = (part.row + part.shape.rows - 1) * w.stride - w.pad_low +
                      (step.kernel_spatial[0] - 1) * w.dilation + 1;
  part.in_row = std::clamp<int64_t>(begin, 0, step.in_spatial[0]);
  part.shape.in_rows = std::clamp<int64_t>(end, part.in_row, step.in_spatial[0]) - part.in_row;
  part.shape.pad_low = part.in_row - begin;
  part.shape.pad_high = end - part.in_row - part.shape.in_rows;
  return part;
}

std::vector<int64_t> ConvolutionProblem::InDims(const ConvolutionShape& shape) const {
  std::vector<int64_t> dims = Dims(shape.images, step.in_channels, step.in_spatial);
  dims[2] = shape.in_rows;
  return dims;
}

std::vector<int64_t> ConvolutionProblem::OutDims(const ConvolutionShape& shape) const {
  std::vector<int64_t> dims = Dims(shape.images, step.out_channels, step.out_spatial);
  dims[2] = shape.rows;
  return dims;
}

std::vector<int64_t> ConvolutionProblem::KernelDims() const {
  return Dims(step.out_channels, step.in_channels / step.groups, step.kernel_spatial);
}

absl::StatusOr<ConvolutionProblem> NormalizeConvolution(const ConvolutionStep& step) {
  ASTITCH_RETURN_IF_ERROR(CheckSupported(step));
  ConvolutionProblem p;
  p.step = step;
  const std::vector<int64_t> out_dims = Dims(step.batch, step.out_channels, step.out_spatial);
  p.in_direct = IsDirect(step.in, Dims(step.batch, step.in_channels, step.in_spatial));
  p.kernel_direct = IsDirect(step.kernel, p.KernelDims());
  p.out_direct = IsDirect(step.out, out_dims);
  p.buffers = {step.in.buffer, step.kernel.buffer, step.out.buffer};
  for (size_t i = 0; i < step.epilogue.size(); ++i) {
    const Epilogue& e = step.epilogue[i];
    if (e.kind != Epilogue::Kind::kAdd) continue;
    if (!IsFloat(e.view.type)) {
      return absl::UnimplementedError(
          absl::StrCat("convolution epilogue operand of type ", ToString(e.view.type)));
    }
    p.buffers.push_back(e.view.buffer);
    if (i == 0 && IsBias(e, out_dims)) {
      p.bias_index = 0;
    } else if (p.addend_index < 0) {
      p.addend_index = static_cast<int32_t>(i);
      p.addend_direct = IsDirect(e.view, out_dims);
    } else {
      return absl::UnimplementedError("convolution followed by the addition of two arrays");
    }
  }
  for (int64_t i = 0; i < p.num_parts(); ++i) {
    if (!p.Part(i).empty() && p.Part(i).shape.in_rows == 0) {
      return absl::UnimplementedError("convolution with windows that lie in the padding alone");
    }
  }
  return p;
}

}  // namespace astitch
