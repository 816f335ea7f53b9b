// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Gives a constant whose elements are all equal the form "scalar constant + broadcast", which every
// other pass and the planner look for, and which costs no memory traffic.
//     f32[2,2] constant({{1,1},{1,1}})
//     =>  f32[2,2] broadcast(f32[] constant(1)), dimensions={}
#pragma once

#include "passes/pass.h"

namespace astitch {

class CanonicalizeConstants final : public Pass {
 public:
  absl::string_view name() const override { return "canonicalize-constants"; }
  absl::StatusOr<bool> Run(Graph& graph) override;
};

}  // namespace astitch
