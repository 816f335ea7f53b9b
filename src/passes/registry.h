// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Passes by name: what astitch-opt lists and runs, and what the pipeline is written in.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "passes/pass.h"

namespace astitch {

struct PassInfo {
  absl::string_view name;
  absl::string_view description;  // one line
};

// Every pass, by name.
std::vector<PassInfo> ListPasses();

// NotFound, with the nearest name as a hint, when there is none.
absl::StatusOr<std::unique_ptr<Pass>> MakePass(absl::string_view name);

}  // namespace astitch
