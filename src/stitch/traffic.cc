// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Counts phase by phase.
#include "stitch/traffic.h"

#include <algorithm>

namespace astitch {
namespace {

int64_t CacheBytes(const MachineModel& machine) {
  return machine.is_host() ? machine.l3_bytes : machine.l2_bytes;
}

int64_t PhaseBytes(const RegionInfo& info, const PhaseDraft& phase) {
  int64_t bytes = 0;
  for (const Instruction* read : phase.reads) bytes += TouchedBytes(info, read);
  for (const StageDraft& stage : phase.stages) {
    for (const RootDraft& root : stage.roots) {
      if (root.kind == RootKind::kStore && root.value->shape().IsArray())
        bytes += root.value->shape().byte_size();
    }
  }
  return bytes;
}

// Whether STAGE does no more than send home what is in slots.
bool OnlyCopies(const PhaseDraft& phase, const StageDraft& stage) {
  const auto turned = [&](const RootDraft& root) {
    for (const StageDraft& other : phase.stages) {
      for (const RootDraft& from : other.roots) {
        if (from.kind == RootKind::kTurn && from.value == root.value && &other != &stage)
          return true;
      }
    }
    return false;
  };
  return std::all_of(stage.roots.begin(), stage.roots.end(), turned);
}

// Sweeps of one tile over READ that go to DRAM: one, if the rows in flight stay in cache or the
// value is kept.
int64_t SweepsFromDram(const RegionInfo& info, const PhaseDraft& draft, const Phase& phase,
                       const KernelPlan& kernel, const Instruction* read,
                       const MachineModel& machine) {
  if (std::find(draft.reads_again.begin(), draft.reads_again.end(), read) ==
      draft.reads_again.end())
    return 1;
  const Placement* placement = kernel.FindPlacement(read);
  if (placement != nullptr && placement->keep != Keep::kNone) return 1;
  const int64_t rows = std::max<int64_t>(phase.num_rows(), 1);
  const int64_t in_flight =
      kernel.launch.grid * phase.tile_rows * (read->shape().byte_size() / rows + 1);
  const int64_t cache =
      machine.is_host() ? machine.l2_bytes * machine.workers + machine.l3_bytes : machine.l2_bytes;
  if (in_flight <= cache / 2) return 1;
  int64_t sweeps = 0;
  for (const StageDraft& stage : draft.stages)
    sweeps += stage.columns.empty() || OnlyCopies(draft, stage) ? 0 : 1;
  return std::max<int64_t>(1, sweeps);
}

bool InScratch(const KernelPlan& kernel, const Instruction* value) {
  const Placement* place = kernel.FindPlacement(value);
  return place != nullptr && place->home == Home::kGlobal;
}

}  // namespace

int64_t TouchedBytes(const RegionInfo& info, const Instruction* input) {
  if (!input->shape().IsArray()) return 0;
  const int64_t all = input->shape().byte_size();
  int64_t touched = 0;
  for (const Instruction* reader : info.readers(input)) {
    const bool part =
        (reader->opcode() == Opcode::kSlice || reader->opcode() == Opcode::kDynamicSlice ||
         reader->opcode() == Opcode::kGather) &&
        reader->operand(0) == input;
    touched += part ? std::min(all, reader->shape().byte_size()) : all;
  }
  return std::min(all, touched);
}

Traffic CountTraffic(const RegionInfo& info, const KernelDraft& draft, const KernelPlan& kernel,
                     const MachineModel& machine) {
  Traffic traffic;
  absl::flat_hash_set<const Instruction*> cached;
  // Scratch that the last cache holds is written and read there.
  const bool scratch_cached = kernel.launch.scratch_bytes <= CacheBytes(machine) / 4;
  for (const Instruction* input : kernel.inputs) traffic.bound += TouchedBytes(info, input);
  for (const Instruction* output : kernel.outputs) traffic.bound += output->shape().byte_size();
  for (size_t p = 0; p < draft.phases.size(); ++p) {
    const PhaseDraft& phase = draft.phases[p];
    const bool fits = PhaseBytes(info, phase) <= CacheBytes(machine) / 2;
    for (const Instruction* read : phase.reads) {
      if (cached.contains(read) || (scratch_cached && InScratch(kernel, read))) continue;
      traffic.read += TouchedBytes(info, read) *
                      SweepsFromDram(info, phase, kernel.phases[p], kernel, read, machine);
      if (fits) cached.insert(read);
    }
    for (const StageDraft& stage : phase.stages) {
      for (const RootDraft& root : stage.roots) {
        if (root.kind == RootKind::kTurn) continue;
        for (const Instruction* result : root.value->shape().IsTuple()
                                             ? info.ResultsOf(root.value)
                                             : std::vector<const Instruction*>{root.value}) {
          const Placement* place = kernel.FindPlacement(result);
          if (place == nullptr) continue;
          if (root.partial && !scratch_cached) traffic.written += place->partial_bytes;
          if (root.kind == RootKind::kCombine && !scratch_cached)
            traffic.read += place->partial_bytes;
          if (root.partial) continue;
          if (place->home == Home::kOutput || (place->home == Home::kGlobal && !scratch_cached)) {
            traffic.written += result->shape().byte_size();
            if (fits) cached.insert(result);
          }
        }
      }
    }
  }
  return traffic;
}

}  // namespace astitch
