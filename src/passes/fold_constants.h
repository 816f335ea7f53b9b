// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Evaluates instructions whose operands are constants, with the interpreter, so with its rounding.
// The result must be small, or smaller than what it replaces, and the work is bounded. What
// describes a value more shortly than its elements stays: broadcasts, iotas, reshapes of a scalar.
//     %a = f32[] constant(2)   %b = f32[] sqrt(%a)     =>     %b = f32[] constant(1.41421354)
// What the interpreter refuses stays too; the error belongs to whoever runs the graph.
#pragma once

#include "passes/pass.h"

namespace astitch {

class FoldConstants final : public Pass {
 public:
  absl::string_view name() const override { return "fold-constants"; }
  absl::StatusOr<bool> Run(Graph& graph) override;
};

}  // namespace astitch
