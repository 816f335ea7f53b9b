// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Residency: how many blocks of a kernel a GPU holds at once, and what each may therefore take.
#pragma once

#include <cstdint>

#include "plan/kernel_plan.h"
#include "stitch/machine.h"

namespace astitch {

// What a tile of PHASE has of ARRAY, whose rows it sweeps.
int64_t TileBytesOf(const Instruction& array, const Phase& phase);

// What all tiles under way may have together if their sweeps are to find it in the last cache again:
// half of it, since other data passes through.
int64_t RereadableBytes(const MachineModel& machine);

// Sets the grid, the blocks of a multiprocessor and the cap of registers of KERNEL, whose block and
// shared memory are known, for TASKS: assume so many REGISTERS a thread, relax to the most that leaves
// as many blocks resident, and apply it as the kernel's cap (AStitch, ASPLOS 2022, 4.5). Returns the
// blocks that would be resident if there were tasks for them all. No more than MOST blocks are, if that
// is at least one a multiprocessor; 0: any number.
int64_t SetResidency(const MachineModel& machine, int64_t registers, int64_t tasks, int64_t most,
                     KernelPlan& kernel);

}  // namespace astitch
