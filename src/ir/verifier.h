// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The verifier: what every later stage may rely on.
//
//   structure    names unique, operands and control predecessors before their users, parameters
//                complete, roots and called computations in this graph, no recursion
//   shapes       static, byte sizes below 2^63, layouts that are permutations; the printed result
//                is the one that operands and attributes give (layouts aside)
//   bodies       take and return what their callers hand over and expect
//   entry        entry_computation_layout and input_output_alias fit the entry
//
// A stage is shown only when those before it hold, so that no message is a consequence of another.
#pragma once

#include "absl/status/status.h"
#include "ir/graph.h"

namespace astitch {

// InvalidArgument with a diagnostic for each fault, at most 20.
absl::Status VerifyGraph(const Graph& graph);

}  // namespace astitch
