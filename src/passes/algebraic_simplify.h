// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Rules of arithmetic that hold bit for bit, signed zeros, infinities and NaN included (the payload
// of a NaN apart). So x + 0 stays (it makes +0 of -0) while x + -0, x - 0 and x * 1 go; 0 - x is
// not negate(x); and no pair of conversions that rounds is touched.
//     divide(x, 4)                          =>  multiply(x, 0.25), powers of two only
//     power(x, 2)                           =>  multiply(x, x)
//     maximum(x, -inf)                      =>  x
//     convert(convert(x)) that only widens  =>  convert(x)
// The rules are grouped by family: float, integer, logic and select, convert.
#pragma once

#include "passes/pass.h"

namespace astitch {

class AlgebraicSimplify final : public Pass {
 public:
  absl::string_view name() const override { return "algebraic-simplify"; }
  absl::StatusOr<bool> Run(Graph& graph) override;
};

}  // namespace astitch
