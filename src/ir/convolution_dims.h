// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The dim_labels of a convolution, "b01f_01io->b01f", as dimension numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace astitch {

struct ConvolutionDims {
  int64_t lhs_batch = 0, lhs_feature = 0;
  int64_t rhs_input_feature = 0, rhs_output_feature = 0;
  int64_t out_batch = 0, out_feature = 0;
  // Entry s is the dimension that carries spatial index s.
  std::vector<int64_t> lhs_spatial, rhs_spatial, out_spatial;
  int64_t num_spatial() const { return static_cast<int64_t>(lhs_spatial.size()); }
  friend bool operator==(const ConvolutionDims&, const ConvolutionDims&) = default;
};

// InvalidArgument when a label is missing, repeated or '?', or when the three parts differ in their
// number of spatial dimensions.
absl::StatusOr<ConvolutionDims> ParseConvolutionDims(absl::string_view dim_labels);

}  // namespace astitch
