// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Slices: phases that read the same large array one after the other, each index of their first row
// axis for itself, run slice after slice of that axis, so that the array comes from DRAM once.
//
//   groups of an image    phase 0 sums, phase 1 squares, phase 2 normalizes:  x is read three times
//   in slices of 4 images phases 0, 1, 2 of images 0-3, then of images 4-7:   twice from the cache
#pragma once

#include <cstdint>
#include <vector>

#include "stitch/machine.h"
#include "stitch/phases.h"
#include "stitch/region_info.h"

namespace astitch {

// Of each phase of DRAFT: the indices of its first row axis taken at once; 0: all, as on the host, whose
// workers find the rows of a task in caches of their own.
std::vector<int64_t> FindSlices(const RegionInfo& info, const KernelDraft& draft,
                                const MachineModel& machine);

}  // namespace astitch
