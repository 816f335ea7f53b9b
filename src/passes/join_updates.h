// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// An array that is filled piece by piece is its pieces side by side: what is left of a loop that wrote
// one row of its result a turn.
//
//   dynamic-update-slice(dynamic-update-slice(%x, %a, 0, 0), %b, 1, 0), rows of f32[3,8]
//       =>  concatenate(%a, %b, %x[2:3])
//   slice of row 0 of dynamic-update-slice(%x, %b, 1, 0)  =>  slice of row 0 of %x
//   slice of row 1 of dynamic-update-slice(%x, %b, 1, 0)  =>  %b
//
// Places are constant, and pieces span all dimensions but one. Of pieces that overlap, the last
// written wins.
#pragma once

#include "passes/pass.h"

namespace astitch {

class JoinUpdates final : public Pass {
 public:
  absl::string_view name() const override { return "join-updates"; }
  absl::StatusOr<bool> Run(Graph& graph) override;
};

}  // namespace astitch
