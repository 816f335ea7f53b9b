// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// ScatterChoice: on a GPU, whether a scatter goes by its index vectors or by the elements of its
// result.
//
//   by rows       a copy of the operand, a barrier, then a warp an index vector, which looks at all the
//                 other vectors, 32 at a time
//   by elements   every element of the result looks at all index vectors: for few of them
//
// Both are planned as if the scatter were a kernel of its own, and the one that is predicted to be faster
// is taken; both give the same bits. The host goes by index vectors, one after the other.
#pragma once

#include <cstdint>

#include "plan/plan.h"
#include "stitch/machine.h"
#include "stitch/scope.h"

namespace astitch {

struct ScatterChoice {
  int64_t rows_ns = 0, elements_ns = 0;
  bool by_rows() const { return rows_ns <= elements_ns; }
};

// Whether SCATTER has a form by rows on MACHINE: on a GPU, rows side by side need windows that are the
// same or apart, so that a place has one owner.
bool MayScatterByRows(const Instruction& scatter, const MachineModel& machine);

// The kernel of SCATTER alone.
Region RegionOf(const Instruction& scatter);

// HOME: where the kernel has it.
LedgerEntry ScatterEntry(const Instruction& scatter, Home home, const ScatterChoice& choice);

}  // namespace astitch
