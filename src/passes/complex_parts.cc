// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// real and imag are looked through where the value was just put together.
#include "passes/complex_parts.h"

namespace astitch {

ComplexParts PartsOf(Rewriter& rewriter, const Instruction& origin, Instruction* value) {
  if (value->opcode() == Opcode::kComplex) return {value->operand(0), value->operand(1)};
  const Shape part = Shape::Array(PartType(value->shape().element_type()), value->shape().dims());
  return {rewriter.Add(origin, Opcode::kReal, part, {value}),
          rewriter.Add(origin, Opcode::kImag, part, {value})};
}

Instruction* Join(Rewriter& rewriter, const Instruction& origin, const ComplexParts& parts) {
  const ElementType type = parts.re->shape().element_type() == ElementType::kF32
                               ? ElementType::kC64
                               : ElementType::kC128;
  return rewriter.Add(origin, Opcode::kComplex, Shape::Array(type, parts.re->shape().dims()),
                      {parts.re, parts.im});
}

}  // namespace astitch
