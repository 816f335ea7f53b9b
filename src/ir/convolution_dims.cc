// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One part of the labels at a time: two letters and the digits 0, 1, ..., each once.
#include "ir/convolution_dims.h"

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace astitch {
namespace {

struct Part {
  int64_t first = -1, second = -1;  // the dims of the two letters
  std::vector<int64_t> spatial;
};

absl::StatusOr<Part> ParsePart(absl::string_view part, char first, char second) {
  Part out;
  const int64_t num_spatial = static_cast<int64_t>(part.size()) - 2;
  if (num_spatial >= 0) out.spatial.assign(num_spatial, -1);
  for (size_t d = 0; d < part.size(); ++d) {
    const char c = part[d];
    int64_t* slot = nullptr;
    if (c == first) slot = &out.first;
    if (c == second) slot = &out.second;
    if (c >= '0' && c <= '9' && c - '0' < num_spatial) slot = &out.spatial[c - '0'];
    if (slot == nullptr || *slot != -1)
      return absl::InvalidArgumentError(absl::StrCat("expected ", std::string(1, first), ", ",
                                                     std::string(1, second),
                                                     " and the digits from 0 once each in "
                                                     "dim_labels, got ",
                                                     part));
    *slot = static_cast<int64_t>(d);
  }
  if (num_spatial < 0)
    return absl::InvalidArgumentError(
        absl::StrCat("expected at least two labels a part of dim_labels, got ", part));
  return out;
}

}  // namespace

absl::StatusOr<ConvolutionDims> ParseConvolutionDims(absl::string_view dim_labels) {
  const size_t underscore = dim_labels.find('_');
  const size_t arrow = dim_labels.find("->");
  if (underscore == absl::string_view::npos || arrow == absl::string_view::npos ||
      arrow < underscore)
    return absl::InvalidArgumentError(
        absl::StrCat("expected dim_labels like b01f_01io->b01f, got ", dim_labels));
  ASTITCH_ASSIGN_OR_RETURN(Part lhs, ParsePart(dim_labels.substr(0, underscore), 'b', 'f'));
  ASTITCH_ASSIGN_OR_RETURN(
      Part rhs, ParsePart(dim_labels.substr(underscore + 1, arrow - underscore - 1), 'i', 'o'));
  ASTITCH_ASSIGN_OR_RETURN(Part out, ParsePart(dim_labels.substr(arrow + 2), 'b', 'f'));
  if (rhs.spatial.size() != lhs.spatial.size() || out.spatial.size() != lhs.spatial.size())
    return absl::InvalidArgumentError(absl::StrCat(
        "expected equally many spatial dimensions in each part of dim_labels, got ", dim_labels));
  ConvolutionDims dims;
  dims.lhs_batch = lhs.first;
  dims.lhs_feature = lhs.second;
  dims.lhs_spatial = std::move(lhs.spatial);
  dims.rhs_input_feature = rhs.first;
  dims.rhs_output_feature = rhs.second;
  dims.rhs_spatial = std::move(rhs.spatial);
  dims.out_batch = out.first;
  dims.out_feature = out.second;
  dims.out_spatial = std::move(out.spatial);
  return dims;
}

}  // namespace astitch
