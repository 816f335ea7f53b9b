// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What passes that take a fold apart, or make one, must know of its combiner.
#pragma once

#include <optional>

#include "ir/graph.h"

namespace astitch {

// What COMBINER folds without effect, as an element of TYPE; nothing where none is known. A combiner
// that converts on the way has none: it rounds what it folds, even with its identity.
std::optional<double> IdentityOf(const Computation& combiner, ElementType type);

}  // namespace astitch
