// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A computation on scalars (a reducer, the body of a map), applied to whole arrays: the same
// operations on elements of all places at once.
#pragma once

#include <vector>

#include "ir/graph.h"
#include "passes/rewriter.h"

namespace astitch {

// Every instruction is a parameter, a constant, or elementwise on scalars; the root may be a tuple
// of such.
bool IsElementwiseOnScalars(const Computation& computation);

// Adds the operations on behalf of ORIGIN, with ARGUMENTS (arrays of DIMS) as the parameters; gives
// the elements of the root. REQUIRES: IsElementwiseOnScalars(computation).
std::vector<Instruction*> ApplyToArrays(Rewriter& rewriter, const Instruction& origin,
                                        const Computation& computation,
                                        const std::vector<int64_t>& dims,
                                        const std::vector<Instruction*>& arguments);

}  // namespace astitch
