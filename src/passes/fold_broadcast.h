// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Brings every broadcast to the canonical spelling of expansion.h and merges its neighbours into
// it. Each of these becomes one broadcast:
//     broadcast(broadcast(x))
//     broadcast(reshape(x))    where the reshape adds or removes dimensions of size 1
//     transpose(broadcast(x))
//     reshape(broadcast(x))    where no group of merged dimensions mixes old and new
//     slice(broadcast(x))      that cuts only new dimensions
// So what JAX spends on keepdims, f32[6,1] reshape(%sum), f32[6,1] broadcast, f32[6] reshape,
// f32[6,40] broadcast, becomes one broadcast of the reduced value.
#pragma once

#include "passes/pass.h"

namespace astitch {

class FoldBroadcast final : public Pass {
 public:
  absl::string_view name() const override { return "fold-broadcast"; }
  absl::StatusOr<bool> Run(Graph& graph) override;
};

}  // namespace astitch
