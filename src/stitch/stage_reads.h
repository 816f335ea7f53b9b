// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What the stages of a phase read of each other and of memory, once all stages are there.
#pragma once

#include "absl/container/flat_hash_map.h"
#include "plan/kernel_plan.h"
#include "stitch/phases.h"
#include "stitch/region_info.h"

namespace astitch {

// A row's result is in the registers of its threads, which are others where lanes run along the
// other axis: it gets a slot in HOMES if it is read there.
void KeepRowResults(const RegionInfo& info, const PhaseDraft& phase,
                    absl::flat_hash_map<const Instruction*, Home>& homes);

// Sets reads_again of PHASE: what more than one sweep reads from memory.
void FindReadsAgain(const RegionInfo& info, PhaseDraft& phase);

}  // namespace astitch
