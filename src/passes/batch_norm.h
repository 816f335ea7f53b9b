// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Batch normalization in terms of reductions and elementwise work, over all dimensions but the
// feature.
//
// With n elements a feature, mean = sum(x) / n, var = sum((x - mean)^2) / n, r = rsqrt(var +
// epsilon):
//   training, inference   y = (x - mean) * (r * scale) + offset
//   grad                  d_offset = sum(g)     d_scale = r * gs, where gs = sum(g * (x - mean))
//                         d_x = (scale * r) * (g - d_offset / n - (x - mean) * (gs * r^2 / n))
// Types narrower than f32 are computed in f32 and rounded once at the end.
#pragma once

#include "ir/graph.h"
#include "passes/rewriter.h"

namespace astitch {

// The value of BATCH_NORM, of any of the three opcodes. SUM adds two scalars of
// BatchNormComputeType; inference needs none.
Instruction* ExpandBatchNorm(Rewriter& rewriter, const Instruction& batch_norm, Computation* sum);

// f32 for narrower types.
ElementType BatchNormComputeType(const Instruction& batch_norm);

}  // namespace astitch
