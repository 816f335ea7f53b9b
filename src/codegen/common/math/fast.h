// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The GPU's own approximations, for those who ask for speed over the bounds of math.h.
//
// By the PTX manual's figures: exponential and logistic about 2^-21 relative near 0, growing with
// |x|; logarithm 2^-22 absolute around 1; rsqrt, sqrt and division 2 to 3 ULP; tanh 2^-11 relative.
#pragma once

#include "absl/types/span.h"
#include "codegen/common/math/math_builder.h"
#include "ir/opcode.h"

namespace astitch::codegen::math {

// Null where there is nothing faster: on the host, for f64, or for this OPCODE.
Value Approximation(const MathBuilder& b, Opcode opcode, absl::Span<const Value> operands);

}  // namespace astitch::codegen::math
