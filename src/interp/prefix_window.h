// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Running folds written as windows: a window as long as its dimension, padded so that output o
// covers elements 0..o (or o..n-1). A cumulative sum arrives this way, and window by window it
// would cost the square of its length.
#pragma once

#include <optional>

#include "interp/fold.h"
#include "interp/ops.h"

namespace astitch::interp {

struct PrefixWindow {
  int64_t dimension = 0;
  bool from_end = false;  // output o covers o..n-1
};

// REQUIRES: one window dim for each of DIMS.
std::optional<PrefixWindow> FindPrefixWindow(const Window& window, absl::Span<const int64_t> dims);

// Folds along the dimension once, with every intermediate accumulator an output. From the end, a
// reducer meets its elements in descending order: right for reducers that commute.
absl::Status FoldPrefixes(const PrefixWindow& prefix, Fold& fold, Operands arrays,
                          absl::Span<const Lane> inits, absl::Span<Literal> results);

}  // namespace astitch::interp
