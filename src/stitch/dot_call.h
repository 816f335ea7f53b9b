// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A dot as a product of strided matrices: which dimensions are batch, m, n and k, and the strides of
// arrays that it reads or writes through.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "plan/plan.h"

namespace astitch {

// An array in memory, with a stride for each dimension of what the dot reads or writes.
struct DotView {
  const Instruction* value = nullptr;
  std::vector<int64_t> strides;
};
// VALUE as it lies in memory.
DotView Dense(const Instruction* value);

// The dimensions of a dot by their roles.
class DotDims {
 public:
  explicit DotDims(const Instruction& dot);
  // Free dimension DIM of operand K as one more of the batch, along which the other operand does not
  // move: such a dimension may lie apart from the other free ones. REQUIRES: DIM is free in operand K.
  DotDims(const Instruction& dot, int64_t k, int64_t dim);

  const std::vector<int64_t>& free_dims(int64_t k) const { return free_[k]; }

  // VIEW in the place of operand K, of the result, or of an array that is added to the result, as
  // batch... and the two matrix dimensions. False, and OUT is of no use, when some of the dimensions
  // that are one there have no single stride.
  bool SetOperand(int64_t k, const DotView& view, StridedOperand& out) const;
  bool SetOut(const DotView& view, StridedOperand& out) const;

  // Batch, m, n and k of dense operands. Error: see MakeDotCall.
  absl::StatusOr<DotCall> DenseCall() const;

 private:
  const Instruction* dot_;
  // By operand; kNone in a batch: the operand does not have that dimension.
  std::vector<int64_t> batch_[2], contracted_[2], free_[2];
  std::vector<int64_t> out_batch_, out_free_[2];
};

// Groups the dimensions of a dot into batch, m, n and k. Error: the free or contracted dimensions
// of an operand do not lie evenly in memory, so that no single stride walks them (passes transpose
// such operands before planning).
absl::StatusOr<DotCall> MakeDotCall(const Instruction& dot);

}  // namespace astitch
