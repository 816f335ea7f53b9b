// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// How much a computation is that a pass would write out where it is called.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/graph.h"

namespace astitch {

// Operations of COMPUTATION that compute or move; nothing when one of them is a step of its own, or
// PRODUCTS are not wanted and one is a product.
std::optional<int64_t> CountOperations(const Computation& computation, bool products);

}  // namespace astitch
