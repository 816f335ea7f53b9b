// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What a phase stores whatever the rows of its readers: values that are looked up, and costly ones.
//
//   negate(table) -> gather                               in place: a few operations an element
//   tanh(table) -> gather                                 stored, since an element may be wanted often
//   power(a, b) f32[64,1] -> broadcast f32[64,30000]      stored: one evaluation, not 30,000
#pragma once

#include <vector>

#include "stitch/machine.h"
#include "stitch/region_info.h"

namespace astitch {

// A reduction or a scan: computed by a root alone.
bool Folds(const Instruction& value);

// Of which every element is there before any reader takes one: what folds, or a result of it, or a
// scatter.
bool IsMade(const Instruction& value);

// Whether READER takes elements of its operand I from anywhere, and maybe several times.
bool LooksUp(const RegionInfo& info, const Instruction& reader, int64_t i);

// The computed values that are looked up and cost more than what may be done again for each look, in graph
// order. SCATTERS_ONLY: by scatters.
std::vector<const Instruction*> FindLookedUpValues(const RegionInfo& info, bool scatters_only);

// Expensive values that are few, and that a broadcast hands to many, in graph order: they depend on no
// reduction, scan, scatter, nor on a look into WAITING. Not those that belong to whole rows of what they
// are handed to, which evaluate them once a row anyway.
std::vector<const Instruction*> FindCostly(const RegionInfo& info,
                                           const absl::flat_hash_set<const Instruction*>& waiting,
                                           const MachineModel& machine);

}  // namespace astitch
