// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Rounding keeps order: where m >= x, a rounded x - m is no more than zero in any type.
#include "ir/sign_proof.h"

#include <algorithm>

#include "ir/fold_order.h"

namespace astitch {
namespace {

// BROADCAST gives REDUCE back the dimensions that it folded.
bool RestoresDimensions(const Instruction& broadcast, const Instruction& reduce) {
  const int64_t rank = reduce.operand(0)->shape().rank();
  const std::vector<int64_t>& folded = reduce.dimensions();
  std::vector<int64_t> kept;
  for (int64_t d = 0; d < rank; ++d) {
    if (std::find(folded.begin(), folded.end(), d) == folded.end()) kept.push_back(d);
  }
  return broadcast.dimensions() == kept;
}

// MAXIMUM, at every index, is at least X there.
bool IsMaximumAround(const Instruction& maximum, const Instruction& x) {
  if (maximum.opcode() != Opcode::kBroadcast) return false;
  const Instruction& reduce = *maximum.operand(0);
  if (reduce.opcode() != Opcode::kReduce || reduce.operands().size() != 2) return false;
  if (reduce.operand(0) != &x || !RestoresDimensions(maximum, reduce)) return false;
  // Nothing may round the maximum on its way.
  const Computation& body = *reduce.called()[0];
  return FoldOperation(body, 0) == body.root() && body.root()->opcode() == Opcode::kMaximum;
}

}  // namespace

bool IsNeverPositive(const Instruction& value) {
  if (!value.shape().IsArray() || !IsFloat(value.shape().element_type())) return false;
  if (value.opcode() == Opcode::kNegate) return value.operand(0)->opcode() == Opcode::kAbs;
  return value.opcode() == Opcode::kSubtract &&
         IsMaximumAround(*value.operand(1), *value.operand(0));
}

}  // namespace astitch
