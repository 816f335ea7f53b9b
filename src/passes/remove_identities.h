// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Removes operations that hand on their operand: copy, opt-barrier, domain, copy-start with its
// copy-done, and the custom calls that mean something only on several devices or memories.
// In a module of one replica and one partition the collectives are identities too, and the ids are
// 0. The order that a barrier asks for is about memory and schedules; here the planner decides
// both.
#pragma once

#include "passes/pass.h"

namespace astitch {

class RemoveIdentities final : public Pass {
 public:
  absl::string_view name() const override { return "remove-identities"; }
  absl::StatusOr<bool> Run(Graph& graph) override;
};

}  // namespace astitch
