// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Expands operations that are shorthand for others, which the planner then stitches with their
// neighbours:
//   batch-norm-training, -inference, -grad   reductions and elementwise work, in f32 at least; the
//                                            variance in two passes, from the differences to the
//                                            mean
//   rng-bit-generator                        integer arithmetic on coordinates
//   dynamic-slice, dynamic-update-slice      with one index vector: the form with scalar indices
// What has a mapping or a library routine of its own stays: logistic, clamp, sort, topk, windows;
// and rng, whose state is not the graph's.
#pragma once

#include "passes/pass.h"

namespace astitch {

class Decompose final : public Pass {
 public:
  absl::string_view name() const override { return "decompose"; }
  absl::StatusOr<bool> Run(Graph& graph) override;
};

}  // namespace astitch
