// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Brings every broadcast to the canonical spelling of expansion.h, and merges its neighbours into
// it.
//     broadcast(broadcast(x)), broadcast(reshape(x)) that adds or removes size-1 dims,
//     transpose(broadcast (x)), reshape(broadcast(x)) where no group of merged dims mixes old and
//     new    =>    one broadcast
// So the four instructions that JAX spends on keepdims become one broadcast of the reduced value:
//     f32[6,1] reshape(%sum)  f32[6,1] broadcast  f32[6] reshape  f32[6,40] broadcast,
//     dimensions={0}
#pragma once

#include "passes/pass.h"

namespace astitch {

class FoldBroadcast final : public Pass {
 public:
  absl::string_view name() const override { return "fold-broadcast"; }
  absl::StatusOr<bool> Run(Graph& graph) override;
};

}  // namespace astitch
