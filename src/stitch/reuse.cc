// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Compares walks: by the axes along which tasks follow each other, and by how many run at once.
#include "stitch/reuse.h"

#include <algorithm>

namespace astitch {
namespace {

// Rounds of tasks that make a walk one through memory.
constexpr int64_t kRounds = 2;

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

// The columns of the stage that has most of AXES.
std::vector<int32_t> ColumnsWith(const PhaseDraft& phase, const std::vector<int32_t>& axes) {
  std::vector<int32_t> columns;
  int64_t most = -1;
  for (const StageDraft& stage : phase.stages) {
    int64_t count = 0;
    for (int32_t axis : stage.columns) count += Contains(axes, axis);
    if (stage.combine || count <= most) continue;
    most = count;
    columns = stage.columns;
  }
  return columns;
}

}  // namespace

Walk WalkOf(const RegionInfo& info, const PhaseDraft& draft, const Phase& phase, int64_t grid,
            const Instruction* array) {
  Walk walk;
  const std::vector<int32_t> of = info.axes().Of(array);
  std::vector<int32_t> axes;
  for (int32_t axis : draft.space.rows) {
    if (Contains(of, axis)) axes.push_back(axis);
  }
  if (phase.cols_per_task > 0) {
    // Column parts follow each other within the rows of a task.
    const std::vector<int32_t> columns = ColumnsWith(draft, of);
    for (int32_t axis : columns) {
      if (Contains(of, axis)) axes.push_back(axis);
    }
    walk.share = static_cast<double>(info.axes().ExtentOf(columns)) /
                 static_cast<double>(std::max<int64_t>(1, phase.split_columns()));
  }
  walk.walks = !axes.empty();
  const bool in_memory =
      axes.size() <= of.size() && std::equal(axes.begin(), axes.end(), of.begin());
  if (!in_memory) walk.axes = axes;
  if (phase.num_tasks() < kRounds * grid * phase.num_slices()) {
    walk.task_rows = phase.rows_per_task;
    walk.task_columns = phase.cols_per_task;
    walk.at_once = phase.num_tasks() <= grid && phase.cols_per_task == 0 &&
                   phase.rows_per_task <= phase.tile_rows;
  }
  return walk;
}

bool WalksBackward(const Phase& phase, int64_t grid) {
  const bool in_turn = phase.num_tasks() >= kRounds * grid * phase.num_slices();
  return phase.backward && (in_turn || phase.rows_per_task > phase.tile_rows);
}

void OrderTasks(const RegionInfo& info, const KernelDraft& draft, const MachineModel& machine,
                size_t number, KernelPlan& kernel) {
  if (machine.is_host() || number == 0 || kernel.phases[number].slice > 0) return;
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
        read_later |= place->home == Home::kGlobal;
        for (size_t q = p + 1; q < draft.phases.size(); ++q)
          read_later |= Reads(draft.phases[q], root.value);
      }
      stage.streaming = output && !read_later && !stage.columns.empty();
    }
  }
}

}  // namespace astitch
