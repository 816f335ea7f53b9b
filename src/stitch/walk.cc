// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// By the axes along which tasks follow each other, and by how many run at once.
#include "stitch/walk.h"

#include <algorithm>

namespace astitch {
namespace {

// Rounds of tasks that make a walk one through memory.
constexpr int64_t kRounds = 2;

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

// The sweep of PHASE over so many COLUMNS as tasks share it; null: none.
const Stage* StageOver(const RegionInfo& info, const Phase& phase,
                       const std::vector<int32_t>& columns) {
  std::vector<int64_t> extents;
  for (int32_t axis : columns) extents.push_back(info.axes().extent(axis));
  for (const Stage& stage : phase.stages) {
    if (stage.columns == extents) return &stage;
  }
  return nullptr;
}

}  // namespace

bool WalksBackward(const Phase& phase, int64_t grid) {
  const bool in_turn = phase.num_tasks() >= kRounds * grid * phase.num_slices();
  return phase.backward && (in_turn || phase.rows_per_task > phase.tile_rows);
}

absl::flat_hash_set<const Instruction*> FindLookedUp(const RegionInfo& info) {
  absl::flat_hash_set<const Instruction*> found;
  std::vector<const Instruction*> stack;
  for (const Instruction* value : info.values()) {
    const Opcode opcode = value->opcode();
    if (opcode == Opcode::kGather || opcode == Opcode::kScatter || opcode == Opcode::kDynamicSlice)
      stack.push_back(value);
  }
  while (!stack.empty()) {
    const Instruction* value = stack.back();
    stack.pop_back();
    for (const Instruction* operand : value->operands()) {
      if (found.insert(operand).second && info.IsComputed(operand)) stack.push_back(operand);
    }
  }
  return found;
}

Walk WalkOf(const RegionInfo& info, const PhaseDraft& draft, const Phase& phase, int64_t grid,
            const absl::flat_hash_set<const Instruction*>& looked_up, const Instruction* array) {
  Walk walk;
  const std::vector<int32_t>& of = info.axes().Of(array);
  std::vector<int32_t> axes;
  for (int32_t axis : draft.space.rows) {
    if (Contains(of, axis)) axes.push_back(axis);
  }
  int64_t task_columns = phase.cols_per_task;
  if (phase.cols_per_task > 0) {
    // Column parts follow each other within the rows of a task.
    const std::vector<int32_t> columns = ColumnsWith(draft, of);
    for (int32_t axis : columns) {
      if (Contains(of, axis)) axes.push_back(axis);
    }
    const Stage* stage = StageOver(info, phase, columns);
    if (stage != nullptr) task_columns = phase.columns_per_task(*stage);
    walk.share = static_cast<double>(info.axes().ExtentOf(columns)) /
                 static_cast<double>(std::max<int64_t>(1, task_columns * phase.col_tasks()));
    walk.share = std::min(walk.share, 1.0);
  }
  walk.walks = !axes.empty() || looked_up.contains(array);
  const bool in_memory =
      axes.size() <= of.size() && std::equal(axes.begin(), axes.end(), of.begin());
  if (!in_memory) walk.axes = axes;
  if (phase.num_tasks() < kRounds * grid * phase.num_slices()) {
    walk.task_rows = phase.rows_per_task;
    walk.task_columns = task_columns;
    walk.at_once = phase.num_tasks() <= grid && phase.cols_per_task == 0 &&
                   phase.rows_per_task <= phase.rows_at_once;
  }
  return walk;
}

}  // namespace astitch
