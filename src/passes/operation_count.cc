// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// By the kinds of opcodes.
#include "passes/operation_count.h"

namespace astitch {

std::optional<int64_t> CountOperations(const Computation& computation, bool products) {
  int64_t operations = 0;
  for (const auto& instruction : computation.instructions()) {
    switch (KindOf(instruction->opcode())) {
      case OpKind::kControl:
      case OpKind::kLibrary:
      case OpKind::kCollective:
      case OpKind::kOther:
        return std::nullopt;
      case OpKind::kTuple:
      case OpKind::kSource:
        break;
      case OpKind::kContraction:
        if (!products) return std::nullopt;
        ++operations;
        break;
      case OpKind::kElementwise:
      case OpKind::kIndexMap:
      case OpKind::kDynamicMap:
      case OpKind::kReduction:
        ++operations;
        break;
    }
  }
  return operations;
}

}  // namespace astitch
