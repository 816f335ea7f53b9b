// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Computes with complex numbers as with pairs of real ones.
//
//   %z = c64[N] multiply(%x, %y)
//   =>  %z = c64[N] complex(%re, %im)     with %re and %im from real(%x), imag(%x), real(%y), imag(%y)
//
// A complex value that is only computed with is never put together, so what stays of complex
// numbers is where they come from and go to: parameters, results, and operations that are left
// alone (fft, linear algebra, loops that carry them). Then kernels know real numbers only.
#pragma once

#include "passes/pass.h"

namespace astitch {

class SplitComplex final : public Pass {
 public:
  absl::string_view name() const override { return "split-complex"; }
  absl::StatusOr<bool> Run(Graph& graph) override;
};

}  // namespace astitch
