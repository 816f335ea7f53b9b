// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Random tensors that are the same on every machine and in every order of drawing: an element is a
// function of (seed, parameter, flat index) alone.
//
// The bits come from SplitMix64 run as a counter. A normal number is the sum of twelve uniform
// 32-bit integers, centred (Irwin-Hall): integer arithmetic and one exact scaling, so no libm and
// no rounding order can differ. Its deviation is 1 to ten digits and its range is -6 .. 6.
#pragma once

#include <cstdint>

#include "astitch/literal.h"
#include "tensor_io/distribution.h"

namespace astitch {

// REQUIRES: an array shape whose byte size is in range. Complex parts are drawn like two elements.
// Floats are computed in double and rounded once; integers take their type's range.
Literal DrawLiteral(const Shape& shape, const Distribution& distribution, uint64_t seed,
                    uint64_t parameter);

}  // namespace astitch
