// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Where two reductions of the same data fold different dimensions, and some that both fold, both
// fold those first: the backward of a group or instance norm.
//
//   %s = f32[16,32] reduce(%x: f32[16,1024,32,8]), dimensions={1,3}      of a group
//   %g = f32[256] reduce(%y: f32[16,1024,256]), dimensions={0,1}         of a channel
//   =>  reduce(f32[16,32,8] reduce(%x), dimensions={1}), dimensions={2}
//       reduce(f32[16,256] reduce(%y), dimensions={1}), dimensions={0}
//
// No mapping of threads suits both as they are, so each would read the data for itself. The inner
// ones are of one kind and are computed in one sweep, and what they leave is small. Reductions that
// have no dimension in common (the rows and the columns of a layer norm), and those of all
// dimensions, suit any mapping and stay.
#pragma once

#include "passes/pass.h"

namespace astitch {

class NestReductions final : public Pass {
 public:
  absl::string_view name() const override { return "nest-reductions"; }
  absl::StatusOr<bool> Run(Graph& graph) override;
};

}  // namespace astitch
