// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The elementary functions as LLVM IR: own expansions, the same on the host and on the GPU.
//
// Each takes and gives values of the builder's type and follows C for zeros, infinities and NaN.
// Largest error over all finite inputs, in units in the last place (measured by
// tests/codegen/math_test.cc, which holds them to it):
//
//              f32                                     f64
//   2 ULP      all but these                           -
//   4 ULP      Power, Sine, Cosine, Tan, Atan2         all
//
// Remainder is exact. f16 and bf16 go through f32 and one rounding: 1 ULP.
// Branch-free but for arguments of sine, cosine and tangent past the short reduction, and the loop
// of Remainder.
#pragma once

#include "codegen/common/math/math_builder.h"

namespace astitch::codegen::math {

Value Exp(const MathBuilder& b, Value x);
Value Exp2(const MathBuilder& b, Value x);
Value Expm1(const MathBuilder& b, Value x);
Value Logistic(const MathBuilder& b, Value x);  // 1 / (1 + e^-x)

Value Log(const MathBuilder& b, Value x);
Value Log2(const MathBuilder& b, Value x);
Value Log1p(const MathBuilder& b, Value x);

Value Power(const MathBuilder& b, Value x, Value y);
Value Cbrt(const MathBuilder& b, Value x);
Value Rsqrt(const MathBuilder& b, Value x);

Value Tanh(const MathBuilder& b, Value x);
Value Sinh(const MathBuilder& b, Value x);
Value Cosh(const MathBuilder& b, Value x);
Value Asinh(const MathBuilder& b, Value x);
Value Acosh(const MathBuilder& b, Value x);
Value Atanh(const MathBuilder& b, Value x);
Value Erf(const MathBuilder& b, Value x);

Value Sine(const MathBuilder& b, Value x);
Value Cosine(const MathBuilder& b, Value x);
Value Tan(const MathBuilder& b, Value x);
Value Asin(const MathBuilder& b, Value x);
Value Acos(const MathBuilder& b, Value x);
Value Atan(const MathBuilder& b, Value x);
Value Atan2(const MathBuilder& b, Value y, Value x);

Value Remainder(const MathBuilder& b, Value x, Value y);  // C's fmod

}  // namespace astitch::codegen::math
