// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Merges equal instructions: same opcode, shape with layout, operands, attributes, and called
// computations equal in structure. Of two the first in program order stays; computations equal in
// structure become one as well. Values of unknown or random content (elided constants, rng, custom
// calls) are never equal.
//     %a = f32[4] exponential(%x)   %b = f32[4] exponential(%x)     =>     one of them
// Linear: instructions and computations are looked up by hash, and compared in full.
#pragma once

#include "passes/pass.h"

namespace astitch {

class Cse final : public Pass {
 public:
  absl::string_view name() const override { return "cse"; }
  absl::StatusOr<bool> Run(Graph& graph) override;
};

}  // namespace astitch
