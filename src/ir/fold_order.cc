// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One operation a result, or the proof of selection_proof.h.
#include "ir/fold_order.h"

#include "ir/selection_proof.h"

namespace astitch {
namespace {

const Instruction* WithoutConverts(const Instruction* value) {
  while (value->opcode() == Opcode::kConvert && IsFloat(value->shape().element_type()) &&
         IsFloat(value->operand(0)->shape().element_type())) {
    value = value->operand(0);
  }
  return value;
}

bool IsParameter(const Instruction* value, int64_t number) {
  const Instruction* source = WithoutConverts(value);
  return source->opcode() == Opcode::kParameter && source->parameter_number() == number;
}

}  // namespace

int64_t NumFoldResults(const Computation& body) {
  return body.root()->opcode() == Opcode::kTuple ? body.root()->num_operands() : 1;
}

const Instruction* FoldOperation(const Computation& body, int64_t i) {
  const Instruction* root = body.root();
  const Instruction* operation =
      WithoutConverts(root->opcode() == Opcode::kTuple ? root->operand(i) : root);
  switch (operation->opcode()) {
    case Opcode::kAdd:
    case Opcode::kMultiply:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
      break;
    default:  // not associative and commutative by itself
      return nullptr;
  }
  const int64_t width = NumFoldResults(body);
  const Instruction* a = operation->operand(0);
  const Instruction* b = operation->operand(1);
  const bool straight = IsParameter(a, i) && IsParameter(b, i + width);
  const bool crossed = IsParameter(b, i) && IsParameter(a, i + width);
  return straight || crossed ? operation : nullptr;
}

bool FoldsInAnyOrder(const Computation& body) {
  const int64_t width = NumFoldResults(body);
  bool single = true;
  for (int64_t i = 0; i < width; ++i) single = single && FoldOperation(body, i) != nullptr;
  return single || IsOrderFreeSelection(body);
}

}  // namespace astitch
