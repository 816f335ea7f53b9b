// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Runs an executable on logical arrays, in guarded memory, and says what came out.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "astitch/executable.h"
#include "astitch/literal.h"
#include "check/guarded_buffer.h"
#include "ir/graph.h"

namespace astitch {

// The array leaves of GRAPH's result. Runs twice: the second run must give the first one's bits,
// whatever the first left in scratch. Inputs lie in read-only memory. An error is the executable's,
// or DataLoss when the runs differ.
// REQUIRES: EXECUTABLE was compiled from GRAPH; INPUTS are one array a leaf of its parameters.
absl::StatusOr<std::vector<Literal>> RunGuarded(const Graph& graph, const Executable& executable,
                                                absl::Span<const Literal> inputs, Place place);

}  // namespace astitch
