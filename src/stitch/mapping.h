// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Mapping: from a draft of phases to a KernelPlan with numbers: tiles, tasks, threads, vectors, and
// the launch.
//
//       columns (folded)
//   r  +--------------+   750000x32: a block a row leaves most threads idle, so many rows share a
//   o  |   task 0     |   block (horizontal packing). 64x30000: 64 blocks fill half of a GPU, so a
//   w  +--------------+   row is split and its parts meet behind a barrier (task splitting).
//   s  |   task 1     |   The numbers come from shapes and the machine, by the tables of AStitch
//      +--------------+   (ASPLOS 2022, 4.2) and of measurements on each target; nothing is
//                         searched.
#pragma once

#include "absl/status/statusor.h"
#include "plan/kernel_plan.h"
#include "stitch/machine.h"
#include "stitch/phases.h"
#include "stitch/region_info.h"

namespace astitch {

// Everything but traffic. Fills phases, placements with their offsets, launch.
KernelPlan MapKernel(const RegionInfo& info, const KernelDraft& draft, const MachineModel& machine);

}  // namespace astitch
