// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Turns a scatter of single elements, with a few updates for each coordinate of its batch, into
// elementwise operations: what the gradient of "the element named by an index in each row" comes to.
//
//   %s = f32[B,V] scatter(%x, %index, %update), a column a row, to_apply=add
//   =>  select(iota == broadcast(%index), %x + broadcast(%update), %x)
//
// Then it is computed where it is read, in any kernel. An index outside of the array matches no
// element, and several updates apply one after the other, as a scatter's do.
#pragma once

#include "passes/pass.h"

namespace astitch {

class ScatterToSelect final : public Pass {
 public:
  absl::string_view name() const override { return "scatter-to-select"; }
  absl::StatusOr<bool> Run(Graph& graph) override;
};

}  // namespace astitch
