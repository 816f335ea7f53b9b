// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A complex array as two real ones. What is made of parts and taken apart again is never built:
// PartsOf(Join(parts)) adds nothing.
#pragma once

#include "ir/graph.h"
#include "passes/rewriter.h"

namespace astitch {

struct ComplexParts {
  Instruction* re = nullptr;
  Instruction* im = nullptr;
};

// REQUIRES: VALUE is a complex array.
ComplexParts PartsOf(Rewriter& rewriter, const Instruction& origin, Instruction* value);
// REQUIRES: the parts are arrays of f32 or f64 and of the same dimensions.
Instruction* Join(Rewriter& rewriter, const Instruction& origin, const ComplexParts& parts);

}  // namespace astitch
