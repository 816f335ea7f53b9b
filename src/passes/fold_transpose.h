// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Folds transpose(transpose(x)) into one, drops the identity, and makes a reshape of a transpose
// that moves dimensions of size 1 only.
//     %b = f32[4,1,8] transpose(f32[1,4,8] %x), dimensions={1,0,2}    =>    f32[4,1,8] reshape(%x)
#pragma once

#include "passes/pass.h"

namespace astitch {

class FoldTranspose final : public Pass {
 public:
  absl::string_view name() const override { return "fold-transpose"; }
  absl::StatusOr<bool> Run(Graph& graph) override;
};

}  // namespace astitch
