// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Dots that no library takes, rewritten into what kernels of ours do.
//
//     %d = f64[m,n] dot(%a, %b)
//     =>  reduce(multiply(broadcast(%a), broadcast(%b)), 0), over the contracted dimensions
//
// A dot of a type that the library takes, whose dimensions do not collapse into strided matrices,
// gets transposed operands.
#pragma once

#include <functional>

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "plan/plan.h"

namespace astitch {

// TAKEN says whether the library takes a call. True when the graph changed.
absl::StatusOr<bool> ExpandDots(Graph& graph, const std::function<bool(const DotCall&)>& taken);

}  // namespace astitch
