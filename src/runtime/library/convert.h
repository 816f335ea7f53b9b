// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Matrices of any library type and any strides to dense f32 and back: what the libraries here
// compute in.
#pragma once

#include <cstdint>

#include "artifact/step.h"

namespace astitch {

struct Matrix {
  int64_t rows = 0, columns = 0;
  int64_t row_stride = 0, column_stride = 0;  // in elements
};

// to[r * columns + c] = from[r * row_stride + c * column_stride], exactly.
// REQUIRES: the type's values are exact in f32, or small enough to be (s32).
void LoadAsF32(DataType type, const void* from, const Matrix& matrix, float* to);

// The inverse: rounds to nearest even, floats keep NaN and infinity.
// REQUIRES: values are integers in range when the type is an integer.
void StoreFromF32(DataType type, const float* from, const Matrix& matrix, void* to);

// to[...] += from, for sums of exact parts of integer products.
void AddToS32(const float* from, const Matrix& matrix, int32_t* to);

}  // namespace astitch
