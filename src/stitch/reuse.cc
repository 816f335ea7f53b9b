// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Looks for the largest array that comes again; all phases that touch it go to and fro.
#include "stitch/reuse.h"

#include <algorithm>

namespace astitch {
namespace {

int64_t BytesOfKernel(const RegionInfo& info) {
  int64_t bytes = 0;
  for (const Instruction* input : info.region().inputs) {
    if (input->shape().IsArray()) bytes += input->shape().byte_size();
  }
  for (const Instruction* output : info.region().outputs) bytes += output->shape().byte_size();
  return bytes;
}

bool Reads(const PhaseDraft& phase, const Instruction* array) {
  return std::find(phase.reads.begin(), phase.reads.end(), array) != phase.reads.end();
}

bool Writes(const PhaseDraft& phase, const Instruction* array) {
  for (const StageDraft& stage : phase.stages) {
    for (const RootDraft& root : stage.roots) {
      if (root.value == array && root.kind == RootKind::kStore) return true;
    }
  }
  return false;
}

// The largest array that phase NUMBER reads and an earlier one has touched; *LAST: the last that did.
// Null: none, or those that stay in a cache of so many BYTES in any order.
const Instruction* LargestAgain(const KernelDraft& draft, int64_t bytes, size_t number,
                                size_t* last) {
  constexpr int64_t kStays = 16;  // that many times smaller
  const Instruction* largest = nullptr;
  for (const Instruction* read : draft.phases[number].reads) {
    if (read->shape().byte_size() <= bytes / kStays) continue;
    if (largest != nullptr && read->shape().byte_size() <= largest->shape().byte_size()) continue;
    for (size_t p = number; p-- > 0;) {
      if (!Reads(draft.phases[p], read) && !Writes(draft.phases[p], read)) continue;
      largest = read;
      *last = p;
      break;
    }
  }
  return largest;
}

bool IsPartial(const PhaseDraft& phase) {
  for (const StageDraft& stage : phase.stages) {
    for (const RootDraft& root : stage.roots) {
      if (root.partial) return true;
    }
  }
  return false;
}

}  // namespace

void OrderTasks(const RegionInfo& info, const KernelDraft& draft, const MachineModel& machine,
                size_t number, KernelPlan& kernel) {
  if (machine.is_host() || number == 0 || kernel.phases[number].slice > 0) return;
  if (draft.phases[number].space.scatter != nullptr || draft.phases[number].repeated) return;
  if (BytesOfKernel(info) <= machine.last_cache_bytes()) return;
  size_t last = 0;
  const Instruction* again = LargestAgain(draft, machine.last_cache_bytes(), number, &last);
  if (again == nullptr) return;
  Phase& phase = kernel.phases[number];
  const Phase& before = kernel.phases[last];
  const PhaseDraft &to = draft.phases[number], &from = draft.phases[last];
  const bool same_rows = to.space.rows == from.space.rows &&
                         phase.batch_axes == before.batch_axes && phase.cols_per_task == 0 &&
                         before.cols_per_task == 0;
  if (same_rows && !IsPartial(to) && before.rows_per_task > phase.rows_per_task &&
      before.rows_per_task >= phase.tile_rows)
    phase.rows_per_task = before.rows_per_task;
  phase.backward = !before.backward;
}

void EvictResultsFirst(const RegionInfo& info, const KernelDraft& draft,
                       const MachineModel& machine, KernelPlan& kernel) {
  if (machine.is_host() || BytesOfKernel(info) <= machine.last_cache_bytes()) return;
  for (size_t p = 1; p < draft.phases.size(); ++p) {
    size_t last = 0;
    if (LargestAgain(draft, machine.last_cache_bytes(), p, &last) == nullptr) continue;
    for (Stage& stage : kernel.phases[p].stages) {
      bool output = false, read_later = false;
      for (const Root& root : stage.roots) {
        const Placement* place = kernel.FindPlacement(root.value);
        if (root.kind != RootKind::kStore || place == nullptr) continue;
        output |= place->home == Home::kOutput;
        read_later |= place->home == Home::kGlobal || info.IsUpdated(root.value);
        for (size_t q = p + 1; q < draft.phases.size(); ++q)
          read_later |= Reads(draft.phases[q], root.value);
      }
      stage.streaming = output && !read_later && !stage.columns.empty();
    }
  }
}

}  // namespace astitch
