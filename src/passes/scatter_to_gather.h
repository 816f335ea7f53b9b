// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Turns a scatter that touches few slices of a large array of equal elements into a gather of those: the
// gradient of an embedding, of which a step sees a few thousand words.
//
//   %s = f32[V,W] scatter(c, %index, %update), a row each, %index: s32[N]
//   =>
//   %first = s32[V] scatter(N, %index, 0..N-1), to_apply=min       the first update of each row
//   %slot  = s32[N] %first[%index], N where %index is outside
//   %few   = f32[N,W] scatter(c, %slot, %update)                   the same folds, a row each first update
//   %s     = f32[V,W] select(%first < N, %few[%first], c)
//
// The large array is then nowhere in memory: readers take an element of the few, or the equal one. Rows
// fold the same updates in the same order, from the same element.
#pragma once

#include <cstdint>

#include "passes/pass.h"

namespace astitch {

class ScatterToGather final : public Pass {
 public:
  // Arrays of fewer bytes are in a cache when they are read, and left alone.
  explicit ScatterToGather(int64_t least_bytes = int64_t{32} << 20) : least_bytes_(least_bytes) {}

  absl::string_view name() const override { return "scatter-to-gather"; }
  absl::StatusOr<bool> Run(Graph& graph) override;

 private:
  const int64_t least_bytes_;
};

}  // namespace astitch
