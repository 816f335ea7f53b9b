// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What hands on its operand is found by opcode or by the name of the custom call; what is an
// identity only among one device, by the header of the module. The shape has the last word: on
// several partitions a shard is smaller than the whole, and then the operation is no identity and
// stays.
#include "passes/remove_identities.h"

#include <algorithm>

#include "passes/constants.h"
#include "passes/rewriter.h"

namespace astitch {
namespace {

// Identities when there is one device and one memory.
bool IsIdentityTarget(absl::string_view target) {
  static constexpr absl::string_view kTargets[] = {"MoveToDevice",
                                                   "MoveToHost",
                                                   "PinToDevice",
                                                   "SPMDFullToShardShape",
                                                   "SPMDShardToFullShape",
                                                   "Sharding",
                                                   "annotate_device_placement",
                                                   "xla.sdy.FuncResultSharding",
                                                   "xla.sdy.GlobalToLocalShape",
                                                   "xla.sdy.LocalToGlobalShape"};
  return std::find(std::begin(kTargets), std::end(kTargets), target) != std::end(kTargets);
}

// The operand that INSTRUCTION hands on; null when it is no identity.
Instruction* HandedOn(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kCopy:
    case Opcode::kDomain:
    case Opcode::kOptBarrier:
      return instruction.operand(0);
    case Opcode::kCopyDone: {
      const Instruction& start = *instruction.operand(0);
      return start.opcode() == Opcode::kCopyStart ? start.operand(0) : nullptr;
    }
    case Opcode::kCustomCall:
      return instruction.num_operands() == 1 &&
                     IsIdentityTarget(instruction.as<CustomCallAttributes>().target)
                 ? instruction.operand(0)
                 : nullptr;
    default:  // computes something
      return nullptr;
  }
}

bool RunsOnOneDevice(const Graph& graph) {
  return graph.header().replica_count == 1 && graph.header().num_partitions == 1;
}

// A collective among one; null when INSTRUCTION is none.
Instruction* AloneInCollective(Rewriter& rewriter, Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kPartitionId:
    case Opcode::kReplicaId:
      return AddSplat(rewriter, instruction, instruction.shape(), 0);
    case Opcode::kAllGather:
    case Opcode::kAllReduce:
    case Opcode::kAllToAll:
    case Opcode::kCollectiveBroadcast:
    case Opcode::kReduceScatter:
      break;
    case Opcode::kAllReduceDone: {
      Instruction* start = instruction.operand(0);
      return start->opcode() == Opcode::kAllReduceStart && start->num_operands() == 1
                 ? start->operand(0)
                 : nullptr;
    }
    default:  // moves data between devices, or is no collective
      return nullptr;
  }
  if (instruction.shape().IsArray())
    return instruction.num_operands() == 1 ? instruction.operand(0) : nullptr;
  return rewriter.Add(instruction, Opcode::kTuple, instruction.shape(),
                      {instruction.operands().begin(), instruction.operands().end()});
}

absl::StatusOr<Instruction*> Visit(Rewriter& rewriter, Instruction& instruction) {
  if (RunsOnOneDevice(*instruction.parent()->graph())) {
    Instruction* alone = AloneInCollective(rewriter, instruction);
    if (alone != nullptr && alone->shape().CompatibleWith(instruction.shape())) return alone;
  }
  Instruction* operand = HandedOn(instruction);
  if (operand == nullptr) return nullptr;
  // On several partitions a shard has another shape than the whole: no identity.
  return operand->shape().CompatibleWith(instruction.shape()) ? operand : nullptr;
}

}  // namespace

absl::StatusOr<bool> RemoveIdentities::Run(Graph& graph) { return RewriteEach(graph, Visit); }

}  // namespace astitch
