// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Kernels of operations that stay alone and whose work is not "evaluate every element of the
// result": what a scatter costs element by element grows with the product of two sizes, by a plan of
// its own with their sum.
//
//   scatter(operand, indices, updates)     phase 0: result = operand
//                                          phase 1: columns = the window; on the host one update after
//                                          the other, on a GPU a warp for each index vector
#pragma once

#include <optional>

#include "plan/kernel_plan.h"
#include "stitch/machine.h"
#include "stitch/region_info.h"

namespace astitch {

// Nothing when the region has no such form on MACHINE: then it is planned like any other. For
// MORE_REGISTERS see KernelDraft (phases.h).
std::optional<KernelPlan> MapSolo(const RegionInfo& info, const MachineModel& machine,
                                  int64_t more_registers = 0);

}  // namespace astitch
