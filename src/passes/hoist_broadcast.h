// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Moves elementwise work in front of the broadcast it follows: once a row instead of once an
// element.
//     rsqrt(broadcast(x))                      =>  broadcast(rsqrt(x))
//     add(broadcast(x), broadcast(scalar))     =>  broadcast(add(x, broadcast(scalar)))
// All operands that are no scalars must be expanded alike. A reshape that adds size-1 dims counts
// as a broadcast here, so the work moves from f32[6,1] to f32[6] as well.
#pragma once

#include "passes/pass.h"

namespace astitch {

class HoistBroadcast final : public Pass {
 public:
  absl::string_view name() const override { return "hoist-broadcast"; }
  absl::StatusOr<bool> Run(Graph& graph) override;
};

}  // namespace astitch
