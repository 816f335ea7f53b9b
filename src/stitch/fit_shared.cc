// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One slot at a time, since the tile may change with what is left.
#include "stitch/fit_shared.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "plan/exchange.h"
#include "stitch/mapping.h"

namespace astitch {
namespace {

bool IsStoredBy(const StageDraft& stage, const Instruction* value) {
  return std::any_of(stage.roots.begin(), stage.roots.end(), [&](const RootDraft& root) {
    return root.value == value && root.kind == RootKind::kStore;
  });
}

// Of the values that sweeps store in shared memory, the one with the largest slot; null: none.
const Placement* LargestSlot(const KernelDraft& draft, const KernelPlan& kernel) {
  const Placement* largest = nullptr;
  for (const Placement& placement : kernel.placements) {
    if (placement.home != Home::kRegional) continue;
    if (largest != nullptr && placement.bytes <= largest->bytes) continue;
    for (const PhaseDraft& phase : draft.phases) {
      for (const StageDraft& stage : phase.stages) {
        if (IsStoredBy(stage, placement.value)) largest = &placement;
      }
    }
  }
  return largest;
}

// What PHASE reads from memory to compute VALUE is now read by one more sweep.
void AddReadsAgain(const RegionInfo& info, const KernelDraft& draft, const Instruction* value,
                   PhaseDraft& phase) {
  std::vector<const Instruction*> stack = {value};
  absl::flat_hash_set<const Instruction*> seen = {value};
  while (!stack.empty()) {
    const Instruction* at = stack.back();
    stack.pop_back();
    const auto in = [&](const std::vector<const Instruction*>& list) {
      return std::find(list.begin(), list.end(), at) != list.end();
    };
    if (in(phase.reads)) {
      if (!in(phase.reads_again)) phase.reads_again.push_back(at);
      continue;
    }
    const auto home = draft.homes.find(at);
    if (!info.IsComputed(at) || (home != draft.homes.end() && home->second != Home::kLocal))
      continue;
    for (const Instruction* operand : at->operands()) {
      if (seen.insert(operand).second) stack.push_back(operand);
    }
  }
}

void Drop(const RegionInfo& info, const Instruction* value, int64_t bytes, KernelDraft& draft) {
  draft.homes[value] = Home::kLocal;
  for (PhaseDraft& phase : draft.phases) {
    bool stored = false;
    for (StageDraft& stage : phase.stages) {
      stored |= IsStoredBy(stage, value);
      std::erase_if(stage.roots, [&](const RootDraft& root) {
        return root.value == value && root.kind == RootKind::kStore;
      });
    }
    std::erase_if(phase.stages, [](const StageDraft& stage) { return stage.roots.empty(); });
    if (stored) AddReadsAgain(info, draft, value, phase);
  }
  std::erase_if(draft.ledger, [&](const LedgerEntry& entry) {
    return entry.producer == value && entry.home == "regional";
  });
  draft.ledger.push_back({value, nullptr, "recomputed", "shared-memory-full", 0,
                          absl::StrCat("a tile of it would take ", bytes, " bytes of a block")});
}

}  // namespace

KernelPlan MapWithinSharedMemory(const RegionInfo& info, KernelDraft& draft,
                                 const MachineModel& machine) {
  KernelPlan kernel = MapKernel(info, draft, machine);
  while (!machine.is_host() && SharedBytesOf(kernel) > machine.shared_bytes_per_block) {
    const Placement* slot = LargestSlot(draft, kernel);
    if (slot == nullptr) break;
    Drop(info, slot->value, slot->bytes, draft);
    kernel = MapKernel(info, draft, machine);
  }
  return kernel;
}

}  // namespace astitch
