// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Folds pieces and joins: slice, concatenate, pad, reverse, and the dynamic slices that are static.
//     slice of everything                      =>  the operand; so pad by nothing, reverse of
//                                                  nothing, concatenate of one
//     slice(slice(x))                          =>  slice(x)
//     slice(concatenate(a, b)), all inside b   =>  slice(b)
//     concatenate(x[0:4], x[4:8])              =>  x[0:8]
//     pad that only crops                      =>  slice
//     dynamic-slice at constant places         =>  slice, the places clamped as HLO says
//     dynamic-update-slice of everything       =>  the update
#pragma once

#include "passes/pass.h"

namespace astitch {

class FoldSlice final : public Pass {
 public:
  absl::string_view name() const override { return "fold-slice"; }
  absl::StatusOr<bool> Run(Graph& graph) override;
};

}  // namespace astitch
