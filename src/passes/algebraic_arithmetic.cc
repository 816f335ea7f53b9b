// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Rules of numbers. Each comment says why the rule is exact where that is not plain.
#include <cmath>
#include <limits>
#include <optional>

#include "ir/number.h"
#include "passes/algebraic_rules.h"
#include "passes/constants.h"

namespace astitch {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool IsIeeeFloat(ElementType type) {
  return type == ElementType::kF16 || type == ElementType::kBF16 || type == ElementType::kF32 ||
         type == ElementType::kF64;
}

Instruction* AddNumber(Rewriter& rewriter, const Instruction& origin, int64_t value) {
  const ElementType type = origin.shape().element_type();
  const uint64_t bits =
      IsFloat(type) ? EncodeFloat(type, static_cast<double>(value)) : static_cast<uint64_t>(value);
  return AddSplat(rewriter, origin, origin.shape(), bits);
}

// The other operand when one of the two is this number everywhere.
Instruction* OtherThan(const Instruction& binary, double value) {
  if (IsSplatOf(*binary.operand(1), value)) return binary.operand(0);
  if (IsSplatOf(*binary.operand(0), value)) return binary.operand(1);
  return nullptr;
}

Instruction* SimplifyAdd(const Instruction& add) {
  // -0 + -0 is -0 and +0 + -0 is +0, so -0 is the neutral element; +0 is not: -0 + +0 is +0.
  return OtherThan(add, IsFloat(add.shape().element_type()) ? -0.0 : 0.0);
}

Instruction* SimplifySubtract(Rewriter& rewriter, const Instruction& subtract) {
  if (IsSplatOf(*subtract.operand(1), 0.0)) return subtract.operand(0);
  // Of floats x - x is NaN for infinities.
  if (IsInteger(subtract.shape().element_type()) && subtract.operand(0) == subtract.operand(1))
    return AddNumber(rewriter, subtract, 0);
  return nullptr;
}

Instruction* SimplifyMultiply(Rewriter& rewriter, const Instruction& multiply) {
  if (Instruction* x = OtherThan(multiply, 1.0); x != nullptr) return x;
  // Of floats 0 * x is NaN for infinities, and has the sign of x.
  const ElementType type = multiply.shape().element_type();
  if (!IsFloat(type) && OtherThan(multiply, 0.0) != nullptr)
    return AddNumber(rewriter, multiply, 0);
  return nullptr;
}

// 1/value when it is a power of two and both are normal numbers of TYPE: then x/value and
// x*(1/value) are the same real number, rounded once.
std::optional<double> ExactReciprocal(ElementType type, double value) {
  int exponent = 0;
  if (!std::isfinite(value) || std::fabs(std::frexp(value, &exponent)) != 0.5) return std::nullopt;
  const double reciprocal = 1.0 / value;
  const double min_normal = std::ldexp(1.0, 1 - FormatOf(type).bias);
  for (double number : {std::fabs(value), std::fabs(reciprocal)}) {
    if (number < min_normal || number > MaxFinite(type)) return std::nullopt;
  }
  return reciprocal;
}

Instruction* SimplifyDivide(Rewriter& rewriter, const Instruction& divide) {
  if (IsSplatOf(*divide.operand(1), 1.0)) return divide.operand(0);
  const ElementType type = divide.shape().element_type();
  const std::optional<uint64_t> bits = SplatBits(*divide.operand(1));
  if (!IsIeeeFloat(type) || !bits.has_value()) return nullptr;
  const std::optional<double> reciprocal = ExactReciprocal(type, DecodeFloat(type, *bits));
  if (!reciprocal.has_value()) return nullptr;
  Instruction* factor = AddSplat(rewriter, divide, divide.shape(), EncodeFloat(type, *reciprocal));
  return rewriter.Add(divide, Opcode::kMultiply, divide.shape(), {divide.operand(0), factor});
}

Instruction* SimplifyPower(Rewriter& rewriter, const Instruction& power) {
  Instruction* base = power.operand(0);
  const Instruction& exponent = *power.operand(1);
  if (IsSplatOf(exponent, 1.0)) return base;
  if (IsSplatOf(exponent, 0.0)) return AddNumber(rewriter, power, 1);  // also of 0 and of NaN
  // x*x is the square rounded once; x*x*x would be rounded twice, so other exponents stay.
  if (IsSplatOf(exponent, 2.0))
    return rewriter.Add(power, Opcode::kMultiply, power.shape(), {base, base});
  return nullptr;
}

// max(x, x); max(x, the least value), min(x, the greatest). NaN stays NaN either way.
Instruction* SimplifyExtremum(const Instruction& extremum) {
  if (extremum.operand(0) == extremum.operand(1)) return extremum.operand(0);
  const bool maximum = extremum.opcode() == Opcode::kMaximum;
  const ElementType type = extremum.shape().element_type();
  if (IsFloat(type))
    return HasInfinity(type) ? OtherThan(extremum, maximum ? -kInfinity : kInfinity) : nullptr;
  if (!IsInteger(type) && !IsPred(type)) return nullptr;
  const uint64_t limit = maximum ? static_cast<uint64_t>(MinInteger(type)) : MaxInteger(type);
  for (int64_t i = 0; i < 2; ++i) {
    const Instruction* constant = SplatConstant(*extremum.operand(i));
    if (constant != nullptr &&
        static_cast<uint64_t>(LoadAsInteger(type, constant->literal().bytes().data())) == limit) {
      return extremum.operand(1 - i);
    }
  }
  return nullptr;
}

Instruction* SimplifyAbs(Rewriter& rewriter, const Instruction& abs) {
  Instruction* operand = abs.operand(0);
  if (IsComplex(operand->shape().element_type())) return nullptr;
  if (operand->opcode() == Opcode::kAbs) return operand;
  if (operand->opcode() != Opcode::kNegate) return nullptr;
  return rewriter.Add(abs, Opcode::kAbs, abs.shape(), {operand->operand(0)});
}

}  // namespace

Instruction* SimplifyArithmetic(Rewriter& rewriter, Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kAdd:
      return SimplifyAdd(instruction);
    case Opcode::kSubtract:
      return SimplifySubtract(rewriter, instruction);
    case Opcode::kMultiply:
      return SimplifyMultiply(rewriter, instruction);
    case Opcode::kDivide:
      return SimplifyDivide(rewriter, instruction);
    case Opcode::kPower:
      return SimplifyPower(rewriter, instruction);
    case Opcode::kRemainder:
      return IsInteger(instruction.shape().element_type()) &&
                     IsSplatOf(*instruction.operand(1), 1.0)
                 ? AddNumber(rewriter, instruction, 0)
                 : nullptr;
    case Opcode::kMaximum:
    case Opcode::kMinimum:
      return SimplifyExtremum(instruction);
    case Opcode::kNegate:
      return instruction.operand(0)->opcode() == Opcode::kNegate
                 ? instruction.operand(0)->operand(0)
                 : nullptr;
    case Opcode::kAbs:
      return SimplifyAbs(rewriter, instruction);
    default:  // no rule
      return nullptr;
  }
}

}  // namespace astitch
