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

// How the tasks of a phase walk over ARRAY: two phases that walk alike come to its parts in the same
// order (or, backward, in the opposite one). 0: no walk, each task reads all of it.
struct Walk {
  bool walks = false;
  std::vector<int32_t> axes;                // empty: as the array lies in memory
  int64_t task_rows = 0, task_columns = 0;  // of tasks that run side by side rather than in turn
  bool at_once = false;                     // all at the same time, in no order
  // Where tasks split columns and ARRAY has fewer than the widest stage, it is done with so much of
  // the tasks.
  double share = 1;
  friend bool operator==(const Walk&, const Walk&) = default;
};
// Whether PHASE walks backward: one whose tasks all run at the same time does if it has several tiles
// a task.
bool WalksBackward(const Phase& phase, int64_t grid);
// GRID: blocks that run side by side; 0: workers, who walk through a share each.
Walk WalkOf(const RegionInfo& info, const PhaseDraft& draft, const Phase& phase, int64_t grid,
            const Instruction* array);

}  // namespace astitch
