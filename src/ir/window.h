// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Window arithmetic of reduce-window, select-and-scatter and convolution, one dimension at a time.
//
//   base 1 2 3, base_dilation 2, pad 1_0:   _ 1 . 2 . 3      padded = 6; '.' and '_' are no
//   elements size 2, window_dilation 2, stride 1:    x   x            reach  = Dilated(2, 2) = 3
//                                             x   x          outputs = (6 - 3) / 1 + 1 = 4
//
// Pads may be negative and sizes come from input text, so the arithmetic is checked.
#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "ir/attributes.h"

namespace astitch {

// What N elements cover when DILATION - 1 holes stand between neighbours: 0 for none.
// REQUIRES: dilation >= 1, and the result fits (WindowOutputSize has accepted the dimension).
constexpr int64_t Dilated(int64_t n, int64_t dilation) {
  return n <= 0 ? 0 : (n - 1) * dilation + 1;
}

// How many windows lie along a dimension of BASE elements: 0 when the padded base is shorter than
// the window. InvalidArgument for size < 1, stride or dilation < 1, or an overflow.
absl::StatusOr<int64_t> WindowOutputSize(int64_t base, const WindowDim& window);

// The base element that offset K of window OUT covers, or -1 for padding and dilation holes.
// REQUIRES: WindowOutputSize has accepted the dimension, 0 <= out < that, 0 <= k < window.size.
constexpr int64_t WindowElement(int64_t base, const WindowDim& window, int64_t out, int64_t k) {
  const int64_t position = out * window.stride - window.pad_low + k * window.window_dilation;
  if (position < 0 || position % window.base_dilation != 0) return -1;
  const int64_t element = position / window.base_dilation;
  return element < base ? element : -1;
}

}  // namespace astitch
