// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The body of a reduction, sort or map, inlined: a computation over scalars applied to values in
// registers, which may as well be vectors of independent scalars.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "codegen/common/emit_context.h"
#include "ir/graph.h"

namespace astitch::codegen {

// The computation's result, a tuple flattened, from its parameters by number (arrays only), all in
// register form and of one width. Elementwise operations, constants, tuples and calls; anything
// else is refused with its position.
//
// WIDE: narrow floats are not rounded between operations, and may arrive and leave unrounded. The
// caller rounds what it stores.
// REQUIRES: COMPUTATION is verified; PARAMETERS match it in number.
absl::StatusOr<std::vector<llvm::Value*>> EmitScalarComputation(
    const EmitContext& context, const Computation& computation,
    absl::Span<llvm::Value* const> parameters, bool wide);

}  // namespace astitch::codegen
