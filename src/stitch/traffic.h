// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Traffic: the bytes that a kernel moves from and to DRAM as planned, beside the least it could
// move.
//
// A figure of the plan, not a measurement: an array counts as often as a phase comes to a part of it
// which the last level of cache has not any more (cache_model.h), in the order of tasks that the plan
// says; and in each sweep of a tile, if nothing keeps it between sweeps.
#pragma once

#include "plan/kernel_plan.h"
#include "stitch/machine.h"
#include "stitch/phases.h"
#include "stitch/region_info.h"

namespace astitch {

// One a phase. The bound is the whole kernel's and stands with the first.
std::vector<Traffic> CountTraffic(const RegionInfo& info, const KernelDraft& draft,
                                  const KernelPlan& kernel, const MachineModel& machine);
Traffic SumOf(const std::vector<Traffic>& phases);

// Bytes of INPUT that the region's operations touch at all: looked-up rows of a gather, the slice
// of a slice.
int64_t TouchedBytes(const RegionInfo& info, const Instruction* input);

}  // namespace astitch
