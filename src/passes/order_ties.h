// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// order-ties: selections over values and their index (argmax as JAX writes it) fold in any order.
//
//   x > y or x is NaN ? (x, i) : (y, j)      two NaNs: the one that comes first, whatever its index
//   the same with the operands ordered by index first
//
// Elements come with ascending indices, so both choose alike from the first to the last; only the
// second may be cut into lanes, threads and tasks.
#pragma once

#include "passes/pass.h"

namespace astitch {

class OrderTies final : public Pass {
 public:
  absl::string_view name() const override { return "order-ties"; }
  absl::StatusOr<bool> Run(Graph& graph) override;
};

}  // namespace astitch
