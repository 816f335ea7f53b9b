// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Turns a reduce that folds at most one element into elementwise work: over dimensions of size 1 it
// is reducer(init, x), with the start value once as HLO says; over nothing it is the start value.
//     f32[8] reduce(f32[8,1] %x, %zero), dimensions={1}   =>   add(broadcast(%zero), reshape(%x))
// Adding +0 stays: it makes +0 of -0.
#pragma once

#include "passes/pass.h"

namespace astitch {

class SimplifyReduce final : public Pass {
 public:
  absl::string_view name() const override { return "simplify-reduce"; }
  absl::StatusOr<bool> Run(Graph& graph) override;
};

}  // namespace astitch
