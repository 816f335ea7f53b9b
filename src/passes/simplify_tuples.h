// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Opens what is built: get-tuple-element of a tuple is the element, and a tuple of all elements of
// a tuple is that tuple.
//     get-tuple-element((1, 2)), index=1  =>  2
//     %t = (f32[2], s32[]) tuple(%a, %b)   %g = f32[2] get-tuple-element(%t), index=0     =>     %a
#pragma once

#include "passes/pass.h"

namespace astitch {

class SimplifyTuples final : public Pass {
 public:
  absl::string_view name() const override { return "simplify-tuples"; }
  absl::StatusOr<bool> Run(Graph& graph) override;
};

}  // namespace astitch
