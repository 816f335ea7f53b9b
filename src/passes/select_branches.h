// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Turns a choice between computations into a choice between their results, where all of them are small
// and pure: then it is stitched like any other selection.
//
//   %c = f32[8] conditional(%p, %x, %y), true_computation=twice, false_computation=half
//   =>  select(broadcast(%p), multiply(%x, 2), multiply(%y, 0.5))
//
// Of a choice that is known only the chosen computation is left, whatever it is. A branch that needs
// a step of its own, such as a product, a sort or a loop, stays a branch: it may well not be taken.
#pragma once

#include "passes/pass.h"

namespace astitch {

class SelectBranches final : public Pass {
 public:
  absl::string_view name() const override { return "select-branches"; }
  absl::StatusOr<bool> Run(Graph& graph) override;
};

}  // namespace astitch
