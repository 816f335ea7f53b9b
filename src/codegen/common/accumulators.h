// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The accumulators of one reduction under way: some copies of a few lanes each, so that additions
// do not wait for one another. They live in stack slots, which the optimiser turns into registers.
//
// The order in which copies and lanes meet is fixed by their numbers, not by the machine: column c
// always goes to the same lane of the same copy, copies meet in pairs, then lanes by halves.
#pragma once

#include <vector>

#include "absl/types/span.h"
#include "codegen/common/reducer.h"

namespace astitch::codegen {

class Accumulators {
 public:
  // Slots for copies of LANES[i] lanes each, in the entry block.
  Accumulators(const EmitContext& context, const Reducer& reducer, std::vector<int> lanes);

  int num_copies() const { return static_cast<int>(lanes_.size()); }
  // Every accumulator takes its first value; INITS are scalars or as wide as every copy.
  void Start(absl::Span<const Value> inits);
  // Joins VALUES, one a result, where VALID holds (null: everywhere).
  void Fold(int copy, std::vector<Value> values, Value valid);
  std::vector<Value> Load(int copy) const;
  void Store(int copy, absl::Span<const Value> values);
  // All copies together, down to LANES lanes.
  std::vector<Value> Meet(int lanes) const;

 private:
  std::vector<Value> Halved(std::vector<Value> values, int lanes) const;

  EmitContext context_;
  const Reducer& reducer_;
  std::vector<int> lanes_;
  std::vector<std::vector<llvm::AllocaInst*>> slots_;  // of each copy, of each result
};

}  // namespace astitch::codegen
