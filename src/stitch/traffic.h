// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Traffic: the bytes that a kernel moves from and to DRAM as planned, beside the least it could
// move.
//
// A figure of the plan, not a measurement: an array that fits the last cache together with what its
// phase touches counts once however many phases read it, one that does not counts in each phase,
// and in each sweep if nothing keeps it between sweeps.
#pragma once

#include "plan/kernel_plan.h"
#include "stitch/machine.h"
#include "stitch/phases.h"
#include "stitch/region_info.h"

namespace astitch {

Traffic CountTraffic(const RegionInfo& info, const KernelDraft& draft, const KernelPlan& kernel,
                     const MachineModel& machine);

// Bytes of INPUT that the region's operations touch at all: looked-up rows of a gather, the slice
// of a slice.
int64_t TouchedBytes(const RegionInfo& info, const Instruction* input);

}  // namespace astitch
