// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Two walks with a stack: operands through tuples, users through get-tuple-elements.
#include "plan/reference_call.h"

#include <algorithm>
#include <tuple>

#include "absl/container/flat_hash_set.h"

namespace astitch {
namespace {

bool IsNumber(const Instruction& value) {
  return value.opcode() == Opcode::kConstant && value.shape().IsScalar();
}

bool IsTaken(const Instruction& value) {
  return !value.users().empty() || value.parent()->root() == &value;
}

// The get-tuple-elements of TUPLE, last element first.
std::vector<const Instruction*> PartsBackward(const Instruction& tuple) {
  std::vector<const Instruction*> parts;
  for (const Instruction* user : tuple.users()) {
    if (user->opcode() == Opcode::kGetTupleElement) parts.push_back(user);
  }
  const auto place = [](const Instruction* part) {
    return std::make_tuple(part->as<TupleIndexAttributes>().index, part->name());
  };
  std::sort(parts.begin(), parts.end(),
            [&](const Instruction* a, const Instruction* b) { return place(a) > place(b); });
  return parts;
}

}  // namespace

std::vector<const Instruction*> ReferenceInputs(const Instruction& instruction) {
  std::vector<const Instruction*> inputs;
  absl::flat_hash_set<const Instruction*> seen;
  std::vector<const Instruction*> stack(instruction.operands().rbegin(),
                                        instruction.operands().rend());
  while (!stack.empty()) {
    const Instruction* value = stack.back();
    stack.pop_back();
    if (value->opcode() == Opcode::kTuple) {
      stack.insert(stack.end(), value->operands().rbegin(), value->operands().rend());
    } else if (!IsNumber(*value) && seen.insert(value).second) {
      inputs.push_back(value);
    }
  }
  return inputs;
}

std::vector<const Instruction*> ReferenceOutputs(const Instruction& instruction) {
  std::vector<const Instruction*> outputs, stack = {&instruction};
  while (!stack.empty()) {
    const Instruction* value = stack.back();
    stack.pop_back();
    if (value->shape().IsTuple()) {
      const std::vector<const Instruction*> parts = PartsBackward(*value);
      stack.insert(stack.end(), parts.begin(), parts.end());
    } else if (IsTaken(*value)) {
      outputs.push_back(value);
    }
  }
  return outputs;
}

const Instruction* WholeOf(const Instruction* value) {
  while (value->opcode() == Opcode::kGetTupleElement) value = value->operand(0);
  return value;
}

}  // namespace astitch
