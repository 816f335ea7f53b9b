// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Of the one operation that a combiner is, where it is one.
#include "passes/combiner.h"

#include <limits>

#include "ir/fold_order.h"

namespace astitch {

std::optional<double> IdentityOf(const Computation& combiner, ElementType type) {
  const Instruction* fold = FoldOperation(combiner, 0);
  if (fold == nullptr || fold != combiner.root() || fold->shape().element_type() != type ||
      fold->operand(0)->opcode() != Opcode::kParameter ||
      fold->operand(1)->opcode() != Opcode::kParameter)
    return std::nullopt;
  const bool real = IsFloat(type);
  // Of the narrowest floats, some have no -0 and no infinity.
  if (!(IsInteger(type) || (real && ByteWidth(type) >= 2))) return std::nullopt;
  switch (fold->opcode()) {
    case Opcode::kAdd:
      return real ? -0.0 : 0.0;
    case Opcode::kMultiply:
      return 1.0;
    case Opcode::kMaximum:
      if (real) return -std::numeric_limits<double>::infinity();
      return std::nullopt;
    case Opcode::kMinimum:
      if (real) return std::numeric_limits<double>::infinity();
      return std::nullopt;
    default:
      return std::nullopt;
  }
}

}  // namespace astitch
