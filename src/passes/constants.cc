// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Splat constants: found and made.
#include "passes/constants.h"

#include <algorithm>
#include <cmath>

#include "ir/number.h"

namespace astitch {

const Instruction* SplatConstant(const Instruction& instruction) {
  const Instruction* at = &instruction;
  if (at->opcode() == Opcode::kBroadcast || at->opcode() == Opcode::kReshape) at = at->operand(0);
  if (at->opcode() != Opcode::kConstant || !at->shape().IsScalar()) return nullptr;
  return at->literal().is_elided() ? nullptr : at;
}

std::optional<uint64_t> SplatBits(const Instruction& instruction) {
  const Instruction* constant = SplatConstant(instruction);
  if (constant == nullptr || IsComplex(constant->shape().element_type())) return std::nullopt;
  return LoadBits(constant->shape().element_type(), constant->literal().bytes().data());
}

bool IsSplatOf(const Instruction& instruction, double value) {
  const std::optional<uint64_t> bits = SplatBits(instruction);
  if (!bits.has_value()) return false;
  const ElementType type = instruction.shape().element_type();
  const std::byte* at = SplatConstant(instruction)->literal().bytes().data();
  if (IsFloat(type)) {
    const double got = LoadAsDouble(type, at);
    return got == value && std::signbit(got) == std::signbit(value);
  }
  return static_cast<double>(LoadAsInteger(type, at)) == value;
}

std::optional<int64_t> ConstantStart(const Instruction& index, int64_t size, int64_t window) {
  if (index.opcode() != Opcode::kConstant || !index.shape().IsScalar() ||
      index.literal().is_elided()) {
    return std::nullopt;
  }
  const ElementType type = index.shape().element_type();
  const int64_t value = LoadAsInteger(type, index.literal().bytes().data());
  if (value < 0 && !IsSigned(type)) return size - window;  // above 2^63
  return std::clamp<int64_t>(value, 0, size - window);
}

Instruction* AddSplat(Rewriter& rewriter, const Instruction& origin, const Shape& shape,
                      uint64_t bits) {
  const ElementType type = shape.element_type();
  Literal value(Shape::Scalar(type));
  StoreBits(type, value.mutable_bytes().data(), bits);
  Instruction* scalar = rewriter.Add(origin, Opcode::kConstant, Shape::Scalar(type), {},
                                     ConstantAttributes{std::move(value)});
  if (shape.IsScalar()) return scalar;
  return rewriter.Add(origin, Opcode::kBroadcast, shape, {scalar}, DimensionsAttributes{});
}

}  // namespace astitch
