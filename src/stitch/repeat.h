// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Phases that every block does for itself, rather than wait for the one that does it.
//
//   phase 0   total = sum of 2048 numbers         one task: all others would wait at a barrier of the grid
//   phase 1   rows / total
//
// Done by each block, total is in its shared memory, and the threads of the block wait for each other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "stitch/phases.h"
#include "stitch/region_info.h"

namespace astitch {

// Whether evaluating the operands of REDUCE once in every block may be worth it.
bool IsSmallReduction(const Instruction& reduce);

// The phases of DRAFT whose results are small, made of little, and behind a barrier of the grid for
// others, first the early ones: each alone, or together with others where only all of them spare a
// barrier.
std::vector<std::vector<size_t>> RepeatablePhases(const RegionInfo& info, const KernelDraft& draft);

// DRAFT with PHASES done by every block, and the barriers that are left.
KernelDraft WithRepeated(const RegionInfo& info, KernelDraft draft,
                         const std::vector<size_t>& phases);

// The detail of the ledger's line of a value that each block has for itself; times predicted.
std::string RepeatDetail(int64_t repeated_ns, int64_t barriers_ns);

}  // namespace astitch
