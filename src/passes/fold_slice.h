// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Folds pieces and joins: slice, concatenate, pad, reverse, and the dynamic slices that are static.
//     slice of everything, pad by nothing, reverse of nothing, concatenate of one      =>  the
//     operand slice(slice(x))                                                                  =>
//     slice(x) slice(concatenate(a, b)) inside one piece                                        =>
//     slice(piece) concatenate(slice(x, 0:4), slice(x, 4:8)) =>  x dynamic-slice at constant
//     places, clamped as HLO says                            =>  slice dynamic-update-slice of
//     everything                                               =>  the update
#pragma once

#include "passes/pass.h"

namespace astitch {

class FoldSlice final : public Pass {
 public:
  absl::string_view name() const override { return "fold-slice"; }
  absl::StatusOr<bool> Run(Graph& graph) override;
};

}  // namespace astitch
