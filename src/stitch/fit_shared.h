// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A kernel whose blocks find room in the machine's shared memory.
//
// Whether a slot of the tile is worth its bytes was decided before tiles had a size. Where the
// slots and the exchange of a block are more than the machine gives it, the largest slots go, one after
// the other: what was in them is computed again by the sweeps that read it, or moves to scratch memory.
// What a scan leaves cannot be computed again one by one: it moves.
#pragma once

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "plan/kernel_plan.h"
#include "stitch/machine.h"
#include "stitch/phases.h"
#include "stitch/region_info.h"

namespace astitch {

struct FittedKernel {
  KernelDraft draft;
  KernelPlan kernel;
  std::vector<const Instruction*> recomputed;  // of the slots that went, the largest first
};

// MapKernel's result for DRAFT less as many slots as needed (never on the host, whose tiles are sized by
// its caches). What TO_MEMORY names moves if its slot has to go; the rest is computed again.
FittedKernel MapWithinSharedMemory(const RegionInfo& info, KernelDraft draft,
                                   const MachineModel& machine,
                                   const absl::flat_hash_set<const Instruction*>& to_memory);

}  // namespace astitch
