// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Replays the scalar body in its program order, each instruction cloned with the array's
// dimensions; constants are broadcast from scalars. The root's tuple, if there is one, is only a
// list of results and is not built.
#include "passes/scalar_computation.h"

#include <utility>

#include "passes/expansion.h"

namespace astitch {

bool IsElementwiseOnScalars(const Computation& computation) {
  for (const auto& instruction : computation.instructions()) {
    const bool root_tuple =
        instruction->opcode() == Opcode::kTuple && instruction.get() == computation.root();
    if (root_tuple) continue;
    const bool known = instruction->opcode() == Opcode::kParameter ||
                       instruction->opcode() == Opcode::kConstant ||
                       KindOf(instruction->opcode()) == OpKind::kElementwise;
    if (!known || !instruction->shape().IsScalar()) return false;
  }
  return computation.root() != nullptr;
}

std::vector<Instruction*> ApplyToArrays(Rewriter& rewriter, const Instruction& origin,
                                        const Computation& computation,
                                        const std::vector<int64_t>& dims,
                                        const std::vector<Instruction*>& arguments) {
  std::vector<Instruction*> value(computation.id_bound(), nullptr);
  for (const auto& owned : computation.instructions()) {
    const Instruction& instruction = *owned;
    if (instruction.opcode() == Opcode::kParameter) {
      value[instruction.id()] = arguments[instruction.parameter_number()];
      continue;
    }
    if (instruction.opcode() == Opcode::kTuple) continue;
    std::vector<Instruction*> operands;
    for (const Instruction* operand : instruction.operands())
      operands.push_back(value[operand->id()]);
    if (instruction.opcode() == Opcode::kConstant) {
      Instruction* scalar = rewriter.CloneAs(instruction, instruction.shape(), {});
      value[instruction.id()] = AddExpansion(rewriter, origin, dims, scalar, {});
    } else {
      value[instruction.id()] =
          rewriter.CloneAs(instruction, ArrayLike(instruction.shape(), dims), std::move(operands));
    }
  }
  const Instruction& root = *computation.root();
  if (root.opcode() != Opcode::kTuple) return {value[root.id()]};
  std::vector<Instruction*> elements;
  for (const Instruction* element : root.operands()) elements.push_back(value[element->id()]);
  return elements;
}

}  // namespace astitch
