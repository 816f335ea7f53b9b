// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The element first: one operand to look at. The whole tuple is recognised by its elements, all and
// in order from one source; it must agree in shape, since a source may have more of them.
#include "passes/simplify_tuples.h"

#include "passes/rewriter.h"

namespace astitch {
namespace {

// The tuple whose elements TUPLE lists, all and in order; null when there is none.
Instruction* CopiedTuple(const Instruction& tuple) {
  if (tuple.num_operands() == 0) return nullptr;
  Instruction* whole = nullptr;
  for (int64_t i = 0; i < tuple.num_operands(); ++i) {
    const Instruction& element = *tuple.operand(i);
    if (element.opcode() != Opcode::kGetTupleElement ||
        element.as<TupleIndexAttributes>().index != i ||
        (whole != nullptr && element.operand(0) != whole)) {
      return nullptr;
    }
    whole = element.operand(0);
  }
  // Of a constant the elements are constants by themselves.
  if (whole->opcode() == Opcode::kConstant) return nullptr;
  return whole->shape().CompatibleWith(tuple.shape()) ? whole : nullptr;
}

absl::StatusOr<Instruction*> Visit(Rewriter& rewriter, Instruction& instruction) {
  if (instruction.opcode() == Opcode::kTuple) return CopiedTuple(instruction);
  if (instruction.opcode() != Opcode::kGetTupleElement) return nullptr;
  const int64_t index = instruction.as<TupleIndexAttributes>().index;
  const Instruction& tuple = *instruction.operand(0);
  if (tuple.opcode() == Opcode::kTuple) return tuple.operand(index);
  if (tuple.opcode() != Opcode::kConstant || tuple.literal().is_elided()) return nullptr;
  return rewriter.Add(instruction, Opcode::kConstant, instruction.shape(), {},
                      ConstantAttributes{tuple.literal().elements()[index]});
}

}  // namespace

absl::StatusOr<bool> SimplifyTuples::Run(Graph& graph) { return RewriteEach(graph, Visit); }

}  // namespace astitch
