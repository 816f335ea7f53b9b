// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Rows of inputs that stay on chip across barriers of the grid.
//
//   phase 0   sum of a column       block b: rows 205 b .. 205 b + 204, copied to its shared memory
//   phase 2   sum of squares        block b: the same rows, from there
//   phase 4   what is normalized    block b: the same rows, from there
//
// All blocks of a kernel with a barrier are resident, so that their shared memory together is a
// cache that nothing pushes out: 17 MB on an A100, nearer than its last level. As many rows of a
// task stay as fit; the rest is read again.
#pragma once

#include "plan/kernel_plan.h"
#include "stitch/machine.h"
#include "stitch/phases.h"
#include "stitch/region_info.h"

namespace astitch {

// KERNEL with the same partition for phases that read the same inputs, whose rows stay in the shared
// memory that its blocks leave free; as it is where there are no such phases.
KernelPlan KeepRowsAcrossPhases(const RegionInfo& info, const KernelDraft& draft,
                                const MachineModel& machine, KernelPlan kernel);

}  // namespace astitch
