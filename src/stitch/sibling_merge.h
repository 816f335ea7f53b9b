// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Multi-output fusion as XLA had it in 2021: two kernels become one when they are loops over the
// same shape, or reductions of the same shape over the same dimensions, and one reads what the other
// reads or, element by element, makes.
#pragma once

#include "stitch/scope_graph.h"

namespace astitch {

// Joins the groups of operations that are not inlined.
void MergeSiblings(const ScopeGraph& scope, Groups& groups);

}  // namespace astitch
