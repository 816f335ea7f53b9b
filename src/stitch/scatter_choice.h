// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// ScatterChoice: on a GPU, whether a scatter goes by its index vectors or by the elements of its
// result.
//
//   by rows       a copy of the operand, a barrier, then a warp an index vector, which looks at all the
//                 other vectors, 32 at a time (solo.h)
//   by elements   every element of the result looks at all index vectors: for few of them
//
// Both are planned, and the one that is predicted to be faster is taken; both give the same bits.
#pragma once

#include <cstdint>

#include "plan/plan.h"

namespace astitch {

struct ScatterChoice {
  int64_t rows_ns = 0, elements_ns = 0;
  bool by_rows() const { return rows_ns <= elements_ns; }
};

LedgerEntry ScatterEntry(const Instruction& scatter, const ScatterChoice& choice);

}  // namespace astitch
