// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Mapping: from a draft of phases to a KernelPlan with numbers: tiles, tasks, threads, vectors, and
// the launch.
//
//       columns (folded)       750000x32: a block a row leaves most threads idle, so many rows
//       share a block (horizontal
//   r  +--------------+        packing). 64x30000: 64 blocks fill half of a GPU, so a row is split
//   and its parts meet o  |   task 0     |        behind a barrier (task splitting). The numbers
//   come from shapes and the machine, by the w  +--------------+        tables of AStitch (ASPLOS
//   2022, 4.2) and of measurements on each target; nothing is searched. s  |   task 1     |
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
