// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A convolution step and its parts: which images, which rows of the output, and the rows of the
// input that their windows reach. A part is a convolution of its own with padding of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "artifact/step.h"

namespace astitch {

// What the code for a part depends on.
struct ConvolutionShape {
  int64_t images = 0, rows = 0, in_rows = 0;
  int64_t pad_low = 0, pad_high = 0;  // of the rows
  friend auto operator<=>(const ConvolutionShape&, const ConvolutionShape&) = default;
};

struct ConvolutionPart {
  int64_t image = 0, row = 0, in_row = 0;
  ConvolutionShape shape;
  bool empty() const { return shape.images == 0 || shape.rows == 0; }
};

struct ConvolutionProblem {
  ConvolutionStep step;
  bool in_direct = false, kernel_direct = false, out_direct = false;  // f32, read or written there
  // What the epilogue adds: a value a channel, when that is the first; one array. Null: neither.
  const Epilogue* bias() const { return bias_index < 0 ? nullptr : &step.epilogue[bias_index]; }
  const Epilogue* addend() const {
    return addend_index < 0 ? nullptr : &step.epilogue[addend_index];
  }
  bool addend_direct = false;
  std::vector<BufferRef> buffers;  // in, kernel, out, then bias and addend where there are such

  int32_t bias_index = -1, addend_index = -1;  // in the epilogue

  int64_t num_parts() const { return int64_t{step.batch_parts} * step.row_parts; }
  ConvolutionPart Part(int64_t index) const;
  std::vector<int64_t> InDims(const ConvolutionShape& shape) const;
  std::vector<int64_t> OutDims(const ConvolutionShape& shape) const;
  std::vector<int64_t> KernelDims() const;  // without a dimension for groups
};

// REQUIRES: ValidateStep(step). Unimplemented for types, windows and epilogues
// that no library here takes.
absl::StatusOr<ConvolutionProblem> NormalizeConvolution(const ConvolutionStep& step);

}  // namespace astitch
