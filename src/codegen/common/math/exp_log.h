// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The cores of exponential and logarithm, from which the hyperbolic functions and power are built.
#pragma once

#include "absl/types/span.h"
#include "codegen/common/math/coefficients.h"
#include "codegen/common/math/math_builder.h"

// The array NAME of the builder's precision.
#define ASTITCH_COEFFICIENTS(b, name)                               \
  ((b).is_f64() ? absl::Span<const double>(coefficients::name##F64) \
                : absl::Span<const double>(coefficients::name##F32))

namespace astitch::codegen::math {

// e^(x + lo), gradual underflow included. LO may be null; |lo| is far below 1.
Value ExpOfSum(const MathBuilder& b, Value x, Value lo);

// e^x for x <= 0, and e^x / 2 for x >= 0: more exact than the general one (about 1 ULP) and not
// slower.
Value ExpNonPositive(const MathBuilder& b, Value x);
Value HalfExpNonNegative(const MathBuilder& b, Value x);

// log(hi + lo) for |lo| below a unit in the last place of hi; LO may be null. C's special values
// by HI.
Value LogOfSum(const MathBuilder& b, Value hi, Value lo);

// log(x) to about twice the working precision. REQUIRES: x is positive and finite; else anything.
Double LogExtended(const MathBuilder& b, Value x);

// x = 2^exponent * (1 + fraction) with 1 + fraction in [sqrt(1/2), sqrt(2)); subnormals too.
// REQUIRES: x is positive and finite; else anything.
struct Decomposed {
  Value exponent;  // as a float
  Value fraction;  // exact
  Value unscale;   // 2^-exponent
};
Decomposed Decompose(const MathBuilder& b, Value x);

}  // namespace astitch::codegen::math
