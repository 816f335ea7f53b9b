// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Removes what nothing needs: instructions that no root and no side effect depends on, and
// computations that the entry does not reach. Parameters stay: they are the signature.
#pragma once

#include "passes/pass.h"

namespace astitch {

class Dce final : public Pass {
 public:
  absl::string_view name() const override { return "dce"; }
  absl::StatusOr<bool> Run(Graph& graph) override;
};

}  // namespace astitch
