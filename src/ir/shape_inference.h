// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Result shapes: what an instruction yields, from its operands, attributes and bodies.
//
//   dot(f32[8,4], f32[4,2]), lhs_contracting_dims={1}, rhs_contracting_dims={0}   =>   f32[8,2]
//
// Used where text leaves a shape out, by the builder, and by the verifier, which compares it with
// the printed one. On the way everything that makes the operation meaningless is refused: operand
// counts and types, dimension numbers out of range or repeated, sizes that overflow.
//
// Arrays are row-major; what only passes values on (tuple, get-tuple-element, while, call, copy,
// ...) keeps their layouts. Operations whose shape is not determined by their inputs (parameter,
// iota, convert, broadcast, reshape, custom-call, ...) are refused: it must be written.
#pragma once

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "astitch/shape.h"
#include "ir/attributes.h"
#include "ir/graph.h"
#include "ir/opcode.h"

namespace astitch {

// Errors are InvalidArgument, "expected X, got Y", without a position: the caller knows it.
absl::StatusOr<Shape> InferShape(Opcode opcode, absl::Span<Instruction* const> operands,
                                 const Attributes& attributes,
                                 absl::Span<Computation* const> called);

// Whether InferShape can ever succeed for OPCODE.
bool HasInferableShape(Opcode opcode);

}  // namespace astitch
