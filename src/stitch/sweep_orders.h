// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// SweepOrders: in which orders the values of a stage read memory, along the phase's rows, along the
// stage's columns, or both. What earlier stages have stored is read from slots, in any order.
#pragma once

#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "stitch/phases.h"
#include "stitch/region_info.h"

namespace astitch {

constexpr uint8_t kRowOrder = 1, kColumnOrder = 2, kBothOrders = 3;

class SweepOrders {
 public:
  SweepOrders(const RegionInfo& info, const PhaseDraft& phase) : info_(info), phase_(phase) {}

  // Whether the phase finds VALUE in memory.
  bool InMemory(const Instruction* value) const;
  // Roots of the stages before the one under way.
  absl::flat_hash_set<const Instruction*>& stored() { return stored_; }
  // VALUE, or the reduction that it is a result of, is among them.
  bool IsStored(const Instruction* value) const;

  // Of a walk along AXIS; 0: neither.
  uint8_t Along(int32_t axis, const StageDraft& stage) const;
  // Of operand I of READER, which is read from memory: only where that is much of the stage's data.
  uint8_t OfRead(const Instruction* reader, int64_t i, const StageDraft& stage) const;
  // Of all that evaluating VALUE reads.
  uint8_t Find(const Instruction* value, const StageDraft& stage);
  // Of a value under the one that Find was last called for.
  uint8_t Found(const Instruction* value) const;

 private:
  const RegionInfo& info_;
  const PhaseDraft& phase_;
  absl::flat_hash_map<const Instruction*, uint8_t> found_;
  absl::flat_hash_set<const Instruction*> stored_;
};

}  // namespace astitch
