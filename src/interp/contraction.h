// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The core of dot and of what is made of dots (ragged-dot, scaled-dot).
#pragma once

#include "astitch/literal.h"
#include "ir/attributes.h"

namespace astitch::interp {

// result[batch, lhs free, rhs free] = sum over contracting indices, accumulated in double
// (integers: modulo 2^64) and encoded once as RESULT's type. REQUIRES: the dims agree.
Literal ContractPair(const Literal& lhs, const Literal& rhs, const DotAttributes& dims,
                     const Shape& result);

}  // namespace astitch::interp
