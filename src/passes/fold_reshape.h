// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Folds reshape(reshape(x)) and reshapes that change nothing.
//     %a = f32[8,4] reshape(%x)   %b = f32[32] reshape(%a)     =>     %b = f32[32] reshape(%x)
// Runs before CSE, which then finds equal reshapes.
#pragma once

#include "passes/pass.h"

namespace astitch {

class FoldReshape final : public Pass {
 public:
  absl::string_view name() const override { return "fold-reshape"; }
  absl::StatusOr<bool> Run(Graph& graph) override;
};

}  // namespace astitch
