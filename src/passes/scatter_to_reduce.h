// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Turns a scatter into the few rows of an array of equal elements into a reduction: the gradient of
// a small embedding.
//
//   %s = f32[2,W] scatter(0, %index, %update), a row each, %index: s32[N], to_apply=add
//   =>  reduce over N (select(iota == %index, %update, -0.0)), init 0
//
// Each of the few rows folds all updates, those of other rows as the combiner's identity. A
// reduction is computed in any kernel, where the updates are; a scatter waits for them in memory. The
// updates keep their order, and one outside of the array matches no row.
#pragma once

#include "passes/pass.h"

namespace astitch {

class ScatterToReduce final : public Pass {
 public:
  absl::string_view name() const override { return "scatter-to-reduce"; }
  absl::StatusOr<bool> Run(Graph& graph) override;
};

}  // namespace astitch
