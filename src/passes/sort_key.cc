// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Bits to s64, the sign's turn, and back.
#include "passes/sort_key.h"

#include <utility>

#include "passes/constants.h"

namespace astitch {
namespace {

constexpr ElementType kNumber = ElementType::kS64;

class Builder {
 public:
  Builder(Rewriter& rewriter, const Instruction& origin, const SortKey& key,
          const std::vector<int64_t>& dims)
      : rewriter_(rewriter), origin_(origin), key_(key), dims_(dims) {}

  Instruction* Add(Opcode opcode, ElementType type, std::vector<Instruction*> operands) {
    return rewriter_.Add(origin_, opcode, Shape::Array(type, dims_), std::move(operands));
  }
  Instruction* With(Opcode opcode, Instruction* number, int64_t bits) {
    return Add(opcode, kNumber,
               {number, AddSplat(rewriter_, origin_, Shape::Array(kNumber, dims_),
                                 static_cast<uint64_t>(bits))});
  }
  // Its own inverse.
  Instruction* Turned(Instruction* number) {
    if (key_.magnitude == 0) return number;
    Instruction* sign = With(Opcode::kShiftRightArithmetic, number, 63);
    return Add(Opcode::kXor, kNumber, {number, With(Opcode::kAnd, sign, key_.magnitude)});
  }
  Instruction* Ordered(Instruction* number, bool reversed) {
    return reversed ? Add(Opcode::kNot, kNumber, {number}) : number;
  }

 private:
  Rewriter& rewriter_;
  const Instruction& origin_;
  const SortKey& key_;
  const std::vector<int64_t> dims_;
};

}  // namespace

std::optional<SortKey> SortKeyOf(ElementType type) {
  switch (type) {
    case ElementType::kF16:
    case ElementType::kBF16:
      return SortKey{type, ElementType::kS16, 0x7fff, 0};
    case ElementType::kF32:
      return SortKey{type, ElementType::kS32, 0x7fffffff, 0};
    case ElementType::kS8:
    case ElementType::kS16:
    case ElementType::kS32:
    case ElementType::kU8:
    case ElementType::kU16:
      return SortKey{type, type, 0, 0};
    case ElementType::kU32:
      return SortKey{type, type, 0, int64_t{1} << 31};
    default:
      return std::nullopt;
  }
}

Instruction* AddSortNumbers(Rewriter& rewriter, const Instruction& origin, const SortKey& key,
                            bool reversed, Instruction* array) {
  Builder builder(rewriter, origin, key, array->shape().dims());
  if (key.magnitude != 0) array = builder.Add(Opcode::kBitcastConvert, key.bits, {array});
  Instruction* number = builder.Add(Opcode::kConvert, kNumber, {array});
  if (key.middle != 0) number = builder.With(Opcode::kSubtract, number, key.middle);
  return builder.Ordered(builder.Turned(number), reversed);
}

Instruction* AddElementsOfNumbers(Rewriter& rewriter, const Instruction& origin, const SortKey& key,
                                  bool reversed, Instruction* numbers) {
  Builder builder(rewriter, origin, key, numbers->shape().dims());
  Instruction* number = builder.Turned(builder.Ordered(numbers, reversed));
  if (key.middle != 0) number = builder.With(Opcode::kAdd, number, key.middle);
  Instruction* bits = builder.Add(Opcode::kConvert, key.bits, {number});
  return key.magnitude == 0 ? bits : builder.Add(Opcode::kBitcastConvert, key.type, {bits});
}

}  // namespace astitch
