// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Lanes are the lines along the dimension: all of a block step through it together.
#include "interp/prefix_window.h"

#include <algorithm>
#include <vector>

#include "interp/strides.h"

namespace astitch::interp {

std::optional<PrefixWindow> FindPrefixWindow(const Window& window, absl::Span<const int64_t> dims) {
  std::optional<PrefixWindow> found;
  for (size_t d = 0; d < window.size(); ++d) {
    const WindowDim& w = window[d];
    if (w == WindowDim{}) continue;
    const int64_t reach = dims[d] - 1;
    const bool from_start = w.pad_low == reach && w.pad_high == 0;
    const bool from_end = w.pad_low == 0 && w.pad_high == reach;
    const bool plain = w.stride == 1 && w.base_dilation == 1 && w.window_dilation == 1;
    if (found || w.size != dims[d] || !plain || !(from_start || from_end)) return std::nullopt;
    found = PrefixWindow{static_cast<int64_t>(d), from_end};
  }
  return found;
}

absl::Status FoldPrefixes(const PrefixWindow& prefix, Fold& fold, Operands arrays,
                          absl::Span<const Lane> inits, absl::Span<Literal> results) {
  std::vector<int64_t> dims = arrays[0].shape().dims();
  const std::vector<int64_t> strides = RowMajorStrides(dims);
  const int64_t length = dims[prefix.dimension];
  const int64_t stride = strides[prefix.dimension];
  dims[prefix.dimension] = 1;
  BoxWalk lines(dims, strides);
  std::vector<int64_t> starts(kLanes);
  std::vector<std::byte> encoded(kLanes * 16);  // of the widest type
  for (int64_t first = 0; first < lines.size(); first += kLanes) {
    const int64_t n = std::min(kLanes, lines.size() - first);
    lines.Take(n, starts.data());
    for (int64_t i = 0; i < fold.width(); ++i) std::fill_n(fold.accumulator(i), n, inits[i]);
    for (int64_t step = 0; step < length; ++step) {
      const int64_t at = (prefix.from_end ? length - 1 - step : step) * stride;
      for (int64_t i = 0; i < fold.width(); ++i) {
        DecodeAt(arrays[i].shape().element_type(), arrays[i].bytes().data(), at, starts.data(), n,
                 fold.value(i));
      }
      ASTITCH_RETURN_IF_ERROR(fold.Combine(n));
      for (int64_t i = 0; i < fold.width(); ++i) {
        const ElementType type = results[i].shape().element_type();
        const int bytes = ByteWidth(type);
        Encode(type, fold.accumulator(i), n, encoded.data());
        std::byte* to = results[i].mutable_bytes().data();
        for (int64_t k = 0; k < n; ++k) {
          std::copy_n(encoded.data() + k * bytes, bytes, to + (starts[k] + at) * bytes);
        }
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace astitch::interp
