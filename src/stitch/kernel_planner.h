// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One region, one kernel: planned in each way that trades one part of the machine for another, and the
// way taken that is predicted to be fastest (cost.h). Few ways, each a step from the one that the rules
// give: no search.
//
//   costly    what goes to many readers: in a phase before, behind a barrier, or computed where it is wanted
//   rows      few and long: shared by the blocks of a cluster, by tasks in parts, or whole
//   launch    threads of a block; columns that a thread holds; inputs held for later sweeps, or read again
//   slices    phases together, slice after slice, or each over everything
//   slots     of which there are too many: to scratch memory, or computed again
//   repeat    small phases by every block, or once, behind a barrier
//   stay      rows of inputs in shared memory across barriers, or read again
//
// Predictions are no measurements: a way other than the rules' has to be clearly faster, and may not
// move more bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "plan/plan.h"
#include "stitch/fusion.h"
#include "stitch/machine.h"
#include "stitch/region_info.h"

namespace astitch {

// A region's kernel, with what its making has to tell.
struct PlannedKernel {
  KernelPlan kernel;
  std::vector<Traffic> traffic;  // by phase
  std::vector<LedgerEntry> ledger;
};

// MORE: registers that a thread needs beyond those that the rules assume. Baselines are planned as their
// rules have it.
absl::StatusOr<PlannedKernel> PlanKernel(const RegionInfo& info, const MachineModel& machine,
                                         Fusion fusion, int64_t more_registers = 0);

}  // namespace astitch
