// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Reuse: the order of a phase's tasks, so that it finds in the last level of cache what an earlier
// phase came to last.
//
//   phase 0   sum(x * x)     tasks 0, 1, 2, ... n     the cache has the end of x
//   phase 1   x / sqrt(sum)  tasks n, ... 2, 1, 0     and phase 1 begins there
//
// And what nobody reads again leaves the cache first.
#pragma once

#include "plan/kernel_plan.h"
#include "stitch/machine.h"
#include "stitch/phases.h"
#include "stitch/region_info.h"

namespace astitch {

// Sets the order of phase NUMBER of KERNEL, whose mapping and that of all before it is known. REQUIRES:
// nothing depends on its tasks yet.
void OrderTasks(const RegionInfo& info, const KernelDraft& draft, const MachineModel& machine,
                size_t number, KernelPlan& kernel);

// GPU: sets Stage::streaming where it makes room for what is read again.
void EvictResultsFirst(const RegionInfo& info, const KernelDraft& draft,
                       const MachineModel& machine, KernelPlan& kernel);

}  // namespace astitch
