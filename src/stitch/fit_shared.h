// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A kernel whose blocks find room in the machine's shared memory.
//
// Whether a slot of the tile is worth its bytes was decided before tiles had a size. Where the
// slots and the exchange of a block are more than the machine gives it, the largest slots go: their
// values are computed again by the sweeps that read them.
#pragma once

#include "plan/kernel_plan.h"
#include "stitch/machine.h"
#include "stitch/phases.h"
#include "stitch/region_info.h"

namespace astitch {

// MapKernel's result, after dropping from DRAFT as many slots as needed (never on the host, whose
// tiles are sized by its caches).
KernelPlan MapWithinSharedMemory(const RegionInfo& info, KernelDraft& draft,
                                 const MachineModel& machine);

}  // namespace astitch
