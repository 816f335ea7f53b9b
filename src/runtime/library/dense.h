// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Arrays of any rank and strides to dense f32 and back, keeping the order in which the dimensions
// lie, so that both sides are walked in step.
#pragma once

#include <cstdint>
#include <vector>

#include "artifact/step.h"

namespace astitch {

// Strides of a dense array whose dimensions lie in the order that STRIDES tell, outermost the
// largest; equal ones as numbered.
std::vector<int64_t> DenseStrides(const std::vector<int64_t>& dims,
                                  const std::vector<int64_t>& strides);

// REQUIRES: `to` (`from`) has the strides DenseStrides(dims, strides).
void LoadDense(DataType type, const void* from, const std::vector<int64_t>& dims,
               const std::vector<int64_t>& strides, float* to);
void StoreDense(DataType type, const float* from, const std::vector<int64_t>& dims,
                const std::vector<int64_t>& strides, void* to);

}  // namespace astitch
