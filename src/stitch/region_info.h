// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// RegionInfo: a region with what every later step asks of it: membership, readers inside, axes,
// costs.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/graph.h"
#include "plan/kernel_plan.h"
#include "stitch/axes.h"
#include "stitch/machine.h"
#include "stitch/scope.h"

namespace astitch {

class RegionInfo {
 public:
  // SCATTERS: those whose updates are taken row by row (stitch/scatter_choice.h).
  RegionInfo(const Region& region, const MachineModel& machine,
             const absl::flat_hash_set<const Instruction*>& scatters = {});

  const Region& region() const { return region_; }
  const Axes& axes() const { return axes_; }
  // Axes that column reductions fold, but that are columns of a phase, since the kept ones are few
  // (stitch/narrow_columns.h).
  const std::vector<int32_t>& folded_columns() const { return folded_columns_; }
  const std::vector<const Instruction*>& values() const { return region_.values; }

  bool IsComputed(const Instruction* value) const { return number_.contains(value); }
  bool IsInput(const Instruction* value) const { return inputs_.contains(value); }
  bool IsOutput(const Instruction* value) const { return outputs_.contains(value); }
  // Position among values(); operands have smaller ones. REQUIRES: IsComputed(value).
  int64_t number(const Instruction* value) const { return number_.at(value); }
  // Readers inside the region, in order.
  const std::vector<const Instruction*>& readers(const Instruction* value) const;

  // A scatter that starts as its operand, and is updated in place behind a barrier, row by row. Others
  // are evaluated element by element.
  bool IsUpdated(const Instruction* value) const { return updated_.contains(value); }
  // What evaluating the root VALUE of KIND takes of its operands.
  absl::Span<Instruction* const> OperandsOf(const Instruction* value, RootKind kind) const;

  // A reduction's results: itself, or its get-tuple-elements.
  std::vector<const Instruction*> ResultsOf(const Instruction* reduce) const;
  // A reduction by its result: the inverse of ResultsOf; null for anything else.
  static const Instruction* ReduceOf(const Instruction* result);

 private:
  const Region& region_;
  Axes axes_;
  std::vector<int32_t> folded_columns_;
  absl::flat_hash_map<const Instruction*, int64_t> number_;
  absl::flat_hash_set<const Instruction*> inputs_, outputs_, updated_;
  absl::flat_hash_map<const Instruction*, std::vector<const Instruction*>> readers_;
};

// Elements of an array, or of the first element of a tuple of equal arrays.
const Shape& ArrayShapeOf(const Instruction& value);

}  // namespace astitch
