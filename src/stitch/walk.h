// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Walk: in which order the tasks of a phase come to the parts of an array. Two phases that walk alike
// come to them in the same order (or, backward, in the opposite one), so that what one leaves in the
// cache is what the other wants, or is not.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "stitch/phases.h"
#include "stitch/region_info.h"

namespace astitch {

struct Walk {
  bool walks = false;                       // part after part; else each task reads all of it
  std::vector<int32_t> axes;                // empty: as the array lies in memory
  int64_t task_rows = 0, task_columns = 0;  // of tasks that run side by side rather than in turn
  bool at_once = false;                     // all at the same time, in no order
  // Where tasks split columns and ARRAY has fewer than the widest stage, it is done with so much of
  // the tasks.
  double share = 1;
  friend bool operator==(const Walk&, const Walk&) = default;
};

// Whether PHASE walks backward: one whose tasks all run at the same time does if it has several tiles
// a task. GRID: blocks that run side by side; 0: workers, who walk through a share each.
bool WalksBackward(const Phase& phase, int64_t grid);

// Arrays of whose parts the data say who reads them: under gathers, scatters and dynamic slices.
absl::flat_hash_set<const Instruction*> FindLookedUp(const RegionInfo& info);

// Over an array that LOOKED_UP has, tasks walk through memory, for all we know.
Walk WalkOf(const RegionInfo& info, const PhaseDraft& draft, const Phase& phase, int64_t grid,
            const absl::flat_hash_set<const Instruction*>& looked_up, const Instruction* array);

}  // namespace astitch
