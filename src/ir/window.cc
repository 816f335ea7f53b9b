// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Checked sizes of windowed dimensions.
#include "ir/window.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "base/checked_math.h"

namespace astitch {
namespace {

std::optional<int64_t> CheckedDilated(int64_t n, int64_t dilation) {
  if (n <= 0) return 0;
  const std::optional<int64_t> reach = CheckedMul(n - 1, dilation);
  return reach ? CheckedAdd(*reach, 1) : std::nullopt;
}

std::optional<int64_t> CheckedSum(std::optional<int64_t> a, std::optional<int64_t> b) {
  return a && b ? CheckedAdd(*a, *b) : std::nullopt;
}

}  // namespace

absl::StatusOr<int64_t> WindowOutputSize(int64_t base, const WindowDim& window) {
  if (window.size < 1)
    return absl::InvalidArgumentError(
        absl::StrCat("expected a window size of at least 1, got ", window.size));
  if (window.stride < 1)
    return absl::InvalidArgumentError(
        absl::StrCat("expected a window stride of at least 1, got ", window.stride));
  if (window.base_dilation < 1 || window.window_dilation < 1)
    return absl::InvalidArgumentError(
        absl::StrCat("expected window dilations of at least 1, got lhs_dilate ",
                     window.base_dilation, " and rhs_dilate ", window.window_dilation));
  const std::optional<int64_t> padded = CheckedSum(
      CheckedSum(window.pad_low, CheckedDilated(base, window.base_dilation)), window.pad_high);
  const std::optional<int64_t> reach = CheckedDilated(window.size, window.window_dilation);
  if (!padded || !reach)
    return absl::InvalidArgumentError("expected window sizes below 2^63, got an overflow");
  if (*padded <= 0 || *padded < *reach) return 0;
  return (*padded - *reach) / window.stride + 1;
}

}  // namespace astitch
