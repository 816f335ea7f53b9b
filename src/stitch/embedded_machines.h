// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The machine files as text in the program; the table is generated from machines/*.json by
// cmake/EmbedText.cmake.
#pragma once

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace astitch {

struct EmbeddedMachine {
  absl::string_view name, json;
};
extern const absl::Span<const EmbeddedMachine> kEmbeddedMachines;

}  // namespace astitch
