// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Narrow columns: a column reduction with a few columns takes neighbouring rows for more columns.
//
//   f32[1000000,3] over its rows      three columns are no vector, and no access of a warp
//   f32[15625,192]                    the same memory, 64 rows side by side: 48 vectors of 16 bytes
//
// The folded axis next to the kept ones is cut in two; its inner part belongs to the columns of a
// phase, each of which is folded by itself, and the columns that make one result meet where the rows
// of a task do (plan/kernel_plan.h, ReduceOver::kRows).
#pragma once

#include <cstdint>
#include <vector>

#include "stitch/axes.h"
#include "stitch/machine.h"
#include "stitch/scope.h"

namespace astitch {

// Cuts axes of REGION where that makes columns as MACHINE wants them of narrow ones, and returns those
// that are folded but columns all the same.
std::vector<int32_t> WidenNarrowColumns(const Region& region, const MachineModel& machine,
                                        Axes& axes);

}  // namespace astitch
