// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One walk over the phases, with what is written behind the last barrier of each kind.
#include "stitch/barriers.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"

namespace astitch {
namespace {

using ValueSet = absl::flat_hash_set<const Instruction*>;

// Whether PHASE stores no element of anything, so that it evaluates nothing.
bool IsEmpty(const RegionInfo& info, const PhaseDraft& phase) {
  for (const StageDraft& stage : phase.stages) {
    for (const RootDraft& root : stage.roots) {
      for (const Instruction* result : info.ResultsOf(root.value)) {
        if (root.kind != RootKind::kStore || result->shape().num_elements() > 0) return false;
      }
    }
  }
  return true;
}

// Whether PHASE reads one of FRESH, or goes on with what an earlier one began.
bool Reads(const PhaseDraft& phase, const ValueSet& fresh) {
  const auto is_fresh = [&](const Instruction* value) { return fresh.contains(value); };
  if (std::any_of(phase.reads.begin(), phase.reads.end(), is_fresh)) return true;
  for (const StageDraft& stage : phase.stages) {
    for (const RootDraft& root : stage.roots) {
      const bool goes_on = root.kind == RootKind::kCombine || root.kind == RootKind::kScatter ||
                           (root.kind == RootKind::kScan && !root.partial);
      if (goes_on && is_fresh(root.value)) return true;
    }
  }
  return false;
}

}  // namespace

void SetBarriers(const RegionInfo& info, KernelDraft& draft) {
  ValueSet by_grid, by_block;  // written behind the last barrier, and read by all blocks, or by one
  const auto note = [&](const RootDraft& root) {
    const bool begun = root.kind == RootKind::kStore && info.IsUpdated(root.value);
    if (root.partial || begun) {
      by_grid.insert(root.value);
      return;
    }
    for (const Instruction* result : info.ResultsOf(root.value)) {
      const auto home = draft.homes.find(result);
      // Nobody reads what has no elements.
      if (home == draft.homes.end() || result->shape().num_elements() == 0) continue;
      if (home->second == Home::kOutput || home->second == Home::kGlobal) by_grid.insert(result);
      if (home->second == Home::kBlock) by_block.insert(result);
    }
  };
  for (PhaseDraft& phase : draft.phases) {
    phase.barrier = IsEmpty(info, phase)     ? PhaseBarrier::kNone
                    : Reads(phase, by_grid)  ? PhaseBarrier::kGrid
                    : Reads(phase, by_block) ? PhaseBarrier::kBlock
                                             : PhaseBarrier::kNone;
    if (phase.barrier == PhaseBarrier::kGrid) by_grid.clear();
    if (phase.barrier != PhaseBarrier::kNone) by_block.clear();
    for (const StageDraft& stage : phase.stages) {
      for (const RootDraft& root : stage.roots) note(root);
    }
  }
}

}  // namespace astitch
