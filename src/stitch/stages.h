// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Stages: orders the roots of one phase into sweeps over the tile, and picks what is kept between
// two sweeps.
//
//   step 0   reduce %max                          a reduction's result is there for the next step
//   step 1   store %exp (regional), reduce %sum   %exp is needed in steps 1 and 2 and is expensive:
//                                                 kept
//   step 2   store %probs                         x - max, needed for %exp only, is evaluated where
//                                                 it is needed
#pragma once

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "stitch/phases.h"

namespace astitch {

struct StageResult {
  std::vector<StageDraft> stages;
  std::vector<const Instruction*> regional;  // kept between stages: computed values with a slot
  std::vector<const Instruction*>
      read;  // from memory: inputs and values of earlier phases, each once, in order
  std::vector<const Instruction*> read_again;  // those of READ that more than one step reads
  std::vector<LedgerEntry> ledger;
};

StageResult BuildStages(const RegionInfo& info, const MachineModel& machine, Fusion fusion,
                        const RowSpace& space, const std::vector<RootDraft>& roots,
                        const absl::flat_hash_set<const Instruction*>& available);

}  // namespace astitch
