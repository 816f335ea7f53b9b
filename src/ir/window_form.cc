// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One dimension of the window at a time.
#include "ir/window_form.h"

#include <algorithm>

namespace astitch {

std::optional<int64_t> ScannedDim(const Instruction& value) {
  const Window& window = value.as<WindowAttributes>().window;
  if (!value.shape().IsArray() || static_cast<int64_t>(window.size()) != value.shape().rank())
    return std::nullopt;
  std::optional<int64_t> scanned;
  for (int64_t d = 0; d < value.shape().rank(); ++d) {
    if (window[d] == WindowDim{}) continue;
    const int64_t extent = value.shape().dim(d);
    WindowDim forward, backward;
    forward.size = backward.size = extent;
    forward.pad_low = backward.pad_high = extent - 1;
    if (scanned.has_value() || !(window[d] == forward || window[d] == backward))
      return std::nullopt;
    scanned = d;
  }
  return scanned;
}

bool ScansBackward(const Instruction& value) {
  const WindowDim& dim = value.as<WindowAttributes>().window[ScannedDim(value).value()];
  return dim.pad_high > 0;
}

bool WindowsOverlap(const Instruction& value) {
  const Window& window = value.as<WindowAttributes>().window;
  return std::any_of(window.begin(), window.end(), [](const WindowDim& dim) {
    return dim.stride < (dim.size - 1) * dim.window_dilation + 1;
  });
}

}  // namespace astitch
