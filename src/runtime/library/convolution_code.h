// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The oneDNN primitives of a convolution: for each shape of part one convolution and what must
// happen before and after it, and the way of the kernel to the form that they all read.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "runtime/library/convolution_problem.h"
#include "runtime/library/onednn.h"

namespace astitch {

// Offsets in bytes of a worker's tile.
struct ConvolutionPartCode {
  OneDnnPrimitive convolution;  // in, kernel, out, bias if any, scratchpad
  // From, to, scratchpad. An addend is put where the convolution writes, which then adds to it.
  std::optional<OneDnnPrimitive> reorder_in, reorder_addend, reorder_out;
  std::vector<int64_t> in_dims, out_dims;
  int64_t packed_in = 0, reordered_in = 0, raw_out = 0, packed_out = 0, packed_addend = 0, bias = 0,
          scratchpad = 0;
  int64_t tile_bytes = 0;
};

// The kernel is reordered in slices of output channels, which are whole blocks of its form and
// follow one another there; if they do not, in one piece.
struct ConvolutionKernelCode {
  std::optional<OneDnnPrimitive> reorder;  // from, to, scratchpad; nothing: read where it is
  std::vector<int64_t> slice_dims;
  int64_t slices = 0;
  int64_t slice_bytes = 0;  // from slice to slice in the reordered kernel
  int64_t scratchpad = 0;   // in the tile, after the packed slice
  int64_t tile_bytes = 0;
  int64_t reordered_bytes = 0;
};

struct ConvolutionCode {
  std::map<ConvolutionShape, ConvolutionPartCode> parts;
  ConvolutionKernelCode kernel;
};

// Unimplemented when oneDNN has nothing but its reference for it.
absl::StatusOr<ConvolutionCode> BuildConvolution(const ConvolutionProblem& problem,
                                                 const dnnl::engine& engine);

}  // namespace astitch
