// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Cut: whether a region had better be several kernels than one with barriers of the grid.
//
//   one kernel       launch, phases, a barrier before each phase that waits for other blocks
//   several          a launch each; each with the block, tasks and registers that suit it alone
//
// Both are planned, and their predicted times compared (cost.h). A barrier costs about as much as a
// launch, so that what decides is what one mapping for all phases costs beside what barriers leave in
// registers and shared memory. Values between the kernels stay in the last cache as well as between
// phases, if they fit there. A prediction is no measurement: one kernel it is, unless several are
// predicted to be clearly faster. The ledger has both figures.
#pragma once

#include <string>
#include <vector>

#include "plan/plan.h"
#include "stitch/machine.h"
#include "stitch/scope.h"
#include "stitch/traffic.h"

namespace astitch {

// REGION in parts, each with what KERNEL, its plan, evaluates between two barriers; a barrier at which
// parts of a reduction wait is none here, since such a reduction is one operation. Fewer than two:
// nothing to choose.
std::vector<Region> CutAtBarriers(const Region& region, const KernelPlan& kernel);

// Takes from TRAFFIC, of the phases of PART's kernel, what the PARTS of REGION hand each other, where
// all of that fits the last cache of MACHINE.
void LeaveInCache(const Region& region, const std::vector<Region>& parts, const Region& part,
                  const MachineModel& machine, std::vector<Traffic>& traffic);

struct CutChoice {
  int64_t one_ns = 0, several_ns = 0;
  int64_t barriers = 0;  // of the one
  int64_t kernels = 1;   // of the several
  bool cuts() const;
};

// Of the largest value that the parts hand each other.
LedgerEntry CutEntry(const std::vector<Region>& parts, const KernelPlan& one,
                     const CutChoice& choice);

}  // namespace astitch
