// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// As many slots at a time as are too many; then again, since the tile may change with what is left.
#include "stitch/fit_shared.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "plan/exchange.h"
#include "stitch/mapping.h"
#include "stitch/op_class.h"
#include "stitch/stage_reads.h"

namespace astitch {
namespace {

struct Slot {
  const Instruction* value = nullptr;
  int64_t bytes = 0;
};

// The largest of the slots in which sweeps store values that together take so many BYTES.
std::vector<Slot> LargestSlots(const KernelDraft& draft, const KernelPlan& kernel, int64_t bytes) {
  absl::flat_hash_set<const Instruction*> stored;
  for (const PhaseDraft& phase : draft.phases) {
    for (const StageDraft& stage : phase.stages) {
      for (const RootDraft& root : stage.roots) {
        if (root.kind == RootKind::kStore || (root.kind == RootKind::kScan && !root.partial))
          stored.insert(root.value);
      }
    }
  }
  std::vector<Slot> slots;
  for (const Placement& placement : kernel.placements) {
    if (placement.home == Home::kRegional && stored.contains(placement.value))
      slots.push_back({placement.value, placement.bytes});
  }
  std::stable_sort(slots.begin(), slots.end(),
                   [](const Slot& a, const Slot& b) { return a.bytes > b.bytes; });
  size_t taken = 0;
  while (taken < slots.size() && bytes > 0) bytes -= slots[taken++].bytes;
  slots.resize(taken);
  return slots;
}

// SLOTS' values lie in scratch memory, whose blocks read back what they have written.
void Move(const std::vector<Slot>& slots, KernelDraft& draft) {
  for (const Slot& slot : slots) {
    draft.homes[slot.value] = Home::kGlobal;
    for (LedgerEntry& entry : draft.ledger) {
      if (entry.producer != slot.value || entry.home != "regional") continue;
      entry = {slot.value,
               nullptr,
               "global",
               "shared-memory-full",
               slot.value->shape().byte_size(),
               absl::StrCat("a tile of it would take ", slot.bytes, " bytes of a block")};
    }
  }
}

// SLOTS' values have no home any more: every sweep that reads them computes them.
void Drop(const RegionInfo& info, const std::vector<Slot>& slots, KernelDraft& draft) {
  absl::flat_hash_set<const Instruction*> dropped;
  for (const Slot& slot : slots) {
    dropped.insert(slot.value);
    draft.homes[slot.value] = Home::kLocal;
  }
  for (PhaseDraft& phase : draft.phases) {
    size_t roots = 0;
    for (StageDraft& stage : phase.stages) {
      roots += std::erase_if(stage.roots, [&](const RootDraft& root) {
        return root.kind == RootKind::kStore && dropped.contains(root.value);
      });
    }
    std::erase_if(phase.stages, [](const StageDraft& stage) { return stage.roots.empty(); });
    if (roots > 0) FindReadsAgain(info, phase);
  }
  std::erase_if(draft.ledger, [&](const LedgerEntry& entry) {
    return dropped.contains(entry.producer) && entry.home == "regional";
  });
  for (const Slot& slot : slots) {
    draft.ledger.push_back(
        {slot.value, nullptr, "recomputed", "shared-memory-full", 0,
         absl::StrCat("a tile of it would take ", slot.bytes, " bytes of a block")});
  }
}

}  // namespace

FittedKernel MapWithinSharedMemory(const RegionInfo& info, KernelDraft draft,
                                   const MachineModel& machine,
                                   const absl::flat_hash_set<const Instruction*>& to_memory) {
  FittedKernel out;
  out.kernel = MapKernel(info, draft, machine);
  while (!machine.is_host() && SharedBytesOf(out.kernel) > machine.shared_bytes_per_block) {
    const std::vector<Slot> slots =
        LargestSlots(draft, out.kernel, SharedBytesOf(out.kernel) - machine.shared_bytes_per_block);
    if (slots.empty()) break;
    std::vector<Slot> moved, dropped;
    for (const Slot& slot : slots) {
      const bool moves = IsScan(*slot.value) || to_memory.contains(slot.value);
      (moves ? moved : dropped).push_back(slot);
      if (!moves) out.recomputed.push_back(slot.value);
    }
    Move(moved, draft);
    Drop(info, dropped, draft);
    out.kernel = MapKernel(info, draft, machine);
  }
  out.draft = std::move(draft);
  return out;
}

}  // namespace astitch
