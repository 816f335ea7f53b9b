// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Residency: how many blocks of a kernel a GPU holds at once, and what each may therefore take.
#pragma once

#include <cstdint>

#include "plan/kernel_plan.h"
#include "stitch/machine.h"

namespace astitch {

// Sets the grid, the blocks of a multiprocessor and the cap of registers of KERNEL, whose block and
// shared memory are known, for TASKS: assume so many REGISTERS a thread, relax to the most that leaves
// as many blocks resident, and apply it as the kernel's cap (AStitch, ASPLOS 2022, 4.5). Returns the
// blocks that would be resident if there were tasks for them all.
int64_t SetResidency(const MachineModel& machine, int64_t registers, int64_t tasks,
                     KernelPlan& kernel);

}  // namespace astitch
