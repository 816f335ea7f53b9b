// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Operands before readers, by a stack: graphs are deep.
#include "stitch/sweep_orders.h"

#include <algorithm>

#include "stitch/read_order.h"

namespace astitch {

bool SweepOrders::InMemory(const Instruction* value) const {
  const std::vector<const Instruction*>& reads = phase_.reads;
  return !info_.IsComputed(value) || std::find(reads.begin(), reads.end(), value) != reads.end();
}

bool SweepOrders::IsStored(const Instruction* value) const {
  const Instruction* reduce = RegionInfo::ReduceOf(value);
  return stored_.contains(reduce != nullptr ? reduce : value);
}

uint8_t SweepOrders::Along(int32_t axis, const StageDraft& stage) const {
  if (!phase_.space.rows.empty() && axis == phase_.space.rows.back()) return kRowOrder;
  if (!stage.columns.empty() && axis == stage.columns.back()) return kColumnOrder;
  return 0;
}

uint8_t SweepOrders::OfRead(const Instruction* reader, int64_t i, const StageDraft& stage) const {
  const Shape& shape = reader->operand(i)->shape();
  if (!shape.IsArray() || IsImmediate(*reader->operand(i)) || stage.columns.empty()) return 0;
  const Axes& axes = info_.axes();
  if (2 * shape.num_elements() < axes.ExtentOf(phase_.space.rows) * axes.ExtentOf(stage.columns))
    return 0;
  return Along(MemoryAxis(info_, reader, i), stage);
}

uint8_t SweepOrders::Find(const Instruction* value, const StageDraft& stage) {
  found_.clear();
  std::vector<const Instruction*> stack = {value};
  while (!stack.empty()) {
    const Instruction* at = stack.back();
    if (found_.contains(at)) {
      stack.pop_back();
      continue;
    }
    const size_t before = stack.size();
    uint8_t orders = 0;
    const auto operands = static_cast<int64_t>(info_.OperandsOf(at, RootKind::kStore).size());
    for (int64_t i = 0; i < operands; ++i) {
      const Instruction* operand = at->operand(i);
      if (InMemory(operand)) {
        orders |= OfRead(at, i, stage);
      } else if (!IsStored(operand)) {
        const auto it = found_.find(operand);
        if (it == found_.end()) {
          stack.push_back(operand);
        } else {
          orders |= it->second;
        }
      }
    }
    if (stack.size() > before) continue;
    found_[at] = orders;
    stack.pop_back();
  }
  return found_[value];
}

uint8_t SweepOrders::Found(const Instruction* value) const {
  const auto it = found_.find(value);
  return it == found_.end() ? 0 : it->second;
}

}  // namespace astitch
