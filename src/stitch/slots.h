// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Slots of the tile, packed: a value needs its bytes of shared memory (host: of the worker's tile) from
// the stage that stores it to the last that reads it. Where that is over, others take them:
//
//   stage 0   store %a            offset 0
//   stage 1   read %a, store %b   offset 4096
//   stage 2   read %b, store %c   offset 0 again
//
// Threads of a block come to a stage one after the other, so that on a GPU a barrier of the block has to
// lie between. What one phase has in slots, no other needs.
#pragma once

#include "plan/kernel_plan.h"
#include "stitch/machine.h"

namespace astitch {

// Sets the offsets of all slots in KERNEL, whose bytes are known, and launch.shared_bytes.
void PackSlots(const MachineModel& machine, KernelPlan& kernel);

}  // namespace astitch
