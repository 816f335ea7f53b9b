// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Persistent inputs: an input that several sweeps of a tile read stays on chip between them.
//
// On the host the tile is sized for the worker's cache, which keeps it. On a GPU the threads hold
// their columns of the row in registers when they fit beside the kernel's own; otherwise the row is
// read again, through the second-level cache.
#pragma once

#include <vector>

#include "plan/kernel_plan.h"
#include "stitch/machine.h"
#include "stitch/mapping_rules.h"
#include "stitch/phases.h"
#include "stitch/region_info.h"

namespace astitch {

// Adds placements with a Keep for such inputs. SHAPES are of the draft's phases.
void KeepInputs(const RegionInfo& info, const KernelDraft& draft, const MachineModel& machine,
                const std::vector<PhaseShape>& shapes, KernelPlan& kernel);

}  // namespace astitch
