// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Rules of bits, comparisons and choices.
#include <optional>
#include <utility>

#include "ir/number.h"
#include "passes/algebraic_rules.h"
#include "passes/constants.h"

namespace astitch {
namespace {

// The integer or pred that INSTRUCTION is everywhere.
std::optional<int64_t> SplatInteger(const Instruction& instruction) {
  const Instruction* constant = SplatConstant(instruction);
  if (constant == nullptr) return std::nullopt;
  const ElementType type = constant->shape().element_type();
  if (!IsInteger(type) && !IsPred(type)) return std::nullopt;
  return LoadAsInteger(type, constant->literal().bytes().data());
}

Instruction* SimplifyBitwise(Rewriter& rewriter, const Instruction& op) {
  Instruction* a = op.operand(0);
  Instruction* b = op.operand(1);
  const bool xor_op = op.opcode() == Opcode::kXor;
  if (a == b) return xor_op ? AddSplat(rewriter, op, op.shape(), 0) : a;
  const int64_t ones = WrapInteger(op.shape().element_type(), -1);
  // What leaves the other operand alone, and what decides without it.
  const int64_t neutral = op.opcode() == Opcode::kAnd ? ones : 0;
  const int64_t absorbing = op.opcode() == Opcode::kAnd ? 0 : ones;
  for (auto [constant, other] : {std::pair(a, b), std::pair(b, a)}) {
    const std::optional<int64_t> value = SplatInteger(*constant);
    if (!value.has_value()) continue;
    if (*value == neutral) return other;
    if (*value == absorbing && !xor_op) return constant;
  }
  return nullptr;
}

std::optional<ComparisonDirection> Opposite(const CompareAttributes& compare) {
  switch (compare.direction) {
    case ComparisonDirection::kEq:
      return ComparisonDirection::kNe;
    case ComparisonDirection::kNe:
      return ComparisonDirection::kEq;
    case ComparisonDirection::kLt:
    case ComparisonDirection::kLe:
    case ComparisonDirection::kGt:
    case ComparisonDirection::kGe:
      break;
  }
  // With NaN both x < y and x >= y are false.
  if (compare.type == ComparisonType::kFloat) return std::nullopt;
  if (compare.direction == ComparisonDirection::kLt) return ComparisonDirection::kGe;
  if (compare.direction == ComparisonDirection::kLe) return ComparisonDirection::kGt;
  if (compare.direction == ComparisonDirection::kGt) return ComparisonDirection::kLe;
  return ComparisonDirection::kLt;
}

Instruction* SimplifyNot(Rewriter& rewriter, const Instruction& op) {
  Instruction* operand = op.operand(0);
  if (operand->opcode() == Opcode::kNot) return operand->operand(0);
  if (operand->opcode() != Opcode::kCompare) return nullptr;
  CompareAttributes compare = operand->as<CompareAttributes>();
  const std::optional<ComparisonDirection> opposite = Opposite(compare);
  if (!opposite.has_value()) return nullptr;
  compare.direction = *opposite;
  return rewriter.Add(*operand, Opcode::kCompare, operand->shape(),
                      {operand->operand(0), operand->operand(1)}, compare);
}

// A predicate compared with a constant: itself or its negation. JAX asks "p != false".
Instruction* SimplifyCompareOfPred(Rewriter& rewriter, const Instruction& op) {
  Instruction* predicate = op.operand(0);
  const ComparisonDirection direction = op.as<CompareAttributes>().direction;
  const bool equality =
      direction == ComparisonDirection::kEq || direction == ComparisonDirection::kNe;
  const std::optional<int64_t> constant = SplatInteger(*op.operand(1));
  if (!IsPred(predicate->shape().element_type()) || !equality || !constant.has_value())
    return nullptr;
  const bool keeps = (direction == ComparisonDirection::kEq) == (*constant != 0);
  return keeps ? predicate : rewriter.Add(op, Opcode::kNot, op.shape(), {predicate});
}

Instruction* SimplifyCompare(Rewriter& rewriter, const Instruction& op) {
  const CompareAttributes& compare = op.as<CompareAttributes>();
  if (compare.type == ComparisonType::kFloat) return nullptr;
  const bool or_equal = compare.direction == ComparisonDirection::kEq ||
                        compare.direction == ComparisonDirection::kLe ||
                        compare.direction == ComparisonDirection::kGe;
  if (op.operand(0) == op.operand(1)) return AddSplat(rewriter, op, op.shape(), or_equal ? 1 : 0);
  if (Instruction* with = SimplifyCompareOfPred(rewriter, op); with != nullptr) return with;
  const bool unsigned_with_zero = compare.type == ComparisonType::kUnsigned &&
                                  SplatInteger(*op.operand(1)) == std::optional<int64_t>(0);
  if (unsigned_with_zero && compare.direction == ComparisonDirection::kLt)
    return AddSplat(rewriter, op, op.shape(), 0);
  if (unsigned_with_zero && compare.direction == ComparisonDirection::kGe)
    return AddSplat(rewriter, op, op.shape(), 1);
  return nullptr;
}

Instruction* SimplifySelect(Rewriter& rewriter, const Instruction& select) {
  Instruction* predicate = select.operand(0);
  Instruction* on_true = select.operand(1);
  Instruction* on_false = select.operand(2);
  if (on_true == on_false) return on_true;
  if (const std::optional<int64_t> constant = SplatInteger(*predicate); constant.has_value())
    return *constant != 0 ? on_true : on_false;
  if (predicate->opcode() == Opcode::kNot) {
    return rewriter.Add(select, Opcode::kSelect, select.shape(),
                        {predicate->operand(0), on_false, on_true});
  }
  const bool copies = IsPred(select.shape().element_type()) &&
                      predicate->shape().dims() == select.shape().dims() &&
                      SplatInteger(*on_true) == std::optional<int64_t>(1) &&
                      SplatInteger(*on_false) == std::optional<int64_t>(0);
  return copies ? predicate : nullptr;
}

}  // namespace

Instruction* SimplifyLogic(Rewriter& rewriter, Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor:
      return SimplifyBitwise(rewriter, instruction);
    case Opcode::kNot:
      return SimplifyNot(rewriter, instruction);
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kShiftRightLogical:
      return SplatInteger(*instruction.operand(1)) == std::optional<int64_t>(0)
                 ? instruction.operand(0)
                 : nullptr;
    case Opcode::kCompare:
      return SimplifyCompare(rewriter, instruction);
    case Opcode::kSelect:
      return SimplifySelect(rewriter, instruction);
    default:  // no rule
      return nullptr;
  }
}

}  // namespace astitch
