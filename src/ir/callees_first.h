// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// An order in which no computation stands before what it calls.
//
//     entry calls body and sum, body calls sum        =>     sum, body, entry
#pragma once

#include <vector>

#include "absl/types/span.h"
#include "ir/graph.h"

namespace astitch {

// What each of STARTS reaches by calls, callees first, then itself; each computation once.
std::vector<Computation*> CalleesFirstFrom(absl::Span<Computation* const> starts);

}  // namespace astitch
