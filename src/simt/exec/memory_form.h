// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What ld, st, atom and red share: spaces, scopes, semantics, cache hints, addresses.
#pragma once

#include <optional>

#include "absl/status/status.h"
#include "simt/exec/form.h"

namespace astitch::simt {

// .cta .cluster .gpu .sys
std::optional<Strength> TakeScope(Form& form);
// .global .shared ...; generic where none is named.
Space TakeMemorySpace(Form& form);
// Eviction and prefetch hints: they change time, not values.
void TakeCacheHints(Form& form);
// Everything of a load or a store up to its operands.
absl::Status TakeMemoryForm(Form& form, bool store, Type& type);
// The address operand; a symbol in it has to be of the space.
absl::Status AddMemoryAddress(Form& form, const Operand& operand);

}  // namespace astitch::simt
