// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Side effects, by opcode, and through called computations.
#include "passes/effects.h"

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_set.h"

namespace astitch {
namespace {

bool OpcodeHasSideEffect(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kInfeed:
    case Opcode::kOutfeed:
    case Opcode::kSend:
    case Opcode::kSendDone:
    case Opcode::kRecv:
    case Opcode::kRecvDone:
    case Opcode::kRngGetAndUpdateState:
      return true;
    case Opcode::kCustomCall: {
      const auto& extra = instruction.as<CustomCallAttributes>().extra;
      return std::any_of(extra.begin(), extra.end(), [](const auto& attribute) {
        return attribute.first == "custom_call_has_side_effect" && attribute.second == "true";
      });
    }
    default:  // a question about a few opcodes; the rest computes values
      return false;
  }
}

bool OpcodeIsPure(const Instruction& instruction) {
  switch (KindOf(instruction.opcode())) {
    case OpKind::kElementwise:
    case OpKind::kIndexMap:
    case OpKind::kDynamicMap:
    case OpKind::kReduction:
    case OpKind::kContraction:
    case OpKind::kControl:
    case OpKind::kTuple:
      return true;
    case OpKind::kSource:
      return instruction.opcode() != Opcode::kParameter;
    case OpKind::kLibrary:
      return instruction.opcode() != Opcode::kRng &&
             instruction.opcode() != Opcode::kRngGetAndUpdateState;
    case OpKind::kCollective:
    case OpKind::kOther:
      return instruction.opcode() == Opcode::kGetDimensionSize;
  }
  ASTITCH_UNREACHABLE();
}

// PREDICATE holds for INSTRUCTION and for all instructions of what it calls, parameters apart.
template <typename Predicate>
bool HoldsThroughCalls(absl::Span<Computation* const> called, Predicate predicate) {
  absl::flat_hash_set<const Computation*> seen;
  std::vector<const Computation*> open(called.begin(), called.end());
  while (!open.empty()) {
    const Computation* computation = open.back();
    open.pop_back();
    if (!seen.insert(computation).second) continue;
    for (const auto& instruction : computation->instructions()) {
      if (instruction->opcode() != Opcode::kParameter && !predicate(*instruction)) return false;
      open.insert(open.end(), instruction->called().begin(), instruction->called().end());
    }
  }
  return true;
}

}  // namespace

bool HasSideEffect(const Instruction& instruction) {
  if (OpcodeHasSideEffect(instruction)) return true;
  return !HoldsThroughCalls(instruction.called(),
                            [](const Instruction& inner) { return !OpcodeHasSideEffect(inner); });
}

bool IsPure(const Instruction& instruction) {
  return OpcodeIsPure(instruction) && HoldsThroughCalls(instruction.called(), OpcodeIsPure);
}

}  // namespace astitch
