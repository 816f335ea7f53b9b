// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Root kind by root kind.
#include "plan/index_map.h"

#include <algorithm>

namespace astitch {

int NumLeaves(const Instruction& value) {
  return value.shape().IsTuple() ? static_cast<int>(value.shape().elements().size()) : 1;
}

const Shape& LeafShape(const Instruction& value, int64_t leaf) {
  return value.shape().IsTuple() ? value.shape().elements()[leaf] : value.shape();
}

const Shape& MappedShape(const Root& root) {
  const Instruction& value = *root.value;
  switch (root.kind) {
    case RootKind::kReduce:
      return value.operand(0)->shape();
    case RootKind::kScatter:
      return value.operand(value.num_operands() - 1)->shape();
    case RootKind::kStore:
    case RootKind::kCombine:
    case RootKind::kScan:
    case RootKind::kTurn:
      return LeafShape(value, 0);
  }
  ASTITCH_UNREACHABLE();
}

IndexMap ResultMap(const Root& root) {
  if (root.kind != RootKind::kReduce) return root.map;
  const std::vector<int64_t>& folded = root.value->dimensions();
  IndexMap map;
  for (size_t d = 0; d < root.map.size(); ++d) {
    if (std::find(folded.begin(), folded.end(), static_cast<int64_t>(d)) == folded.end())
      map.push_back(root.map[d]);
  }
  return map;
}

std::vector<int32_t> ColumnsIn(const IndexMap& map, size_t num_row_axes) {
  std::vector<int32_t> used;
  for (const std::vector<int32_t>& axes : map) {
    for (int32_t axis : axes) {
      if (static_cast<size_t>(axis) >= num_row_axes) used.push_back(axis);
    }
  }
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  return used;
}

int64_t KeptColumns(const Phase& phase, const Stage& stage, const Root& root) {
  int64_t kept = 1;
  for (int32_t axis : ColumnsIn(ResultMap(root), phase.rows.size()))
    kept *= stage.columns[axis - phase.rows.size()];
  return kept;
}

}  // namespace astitch
