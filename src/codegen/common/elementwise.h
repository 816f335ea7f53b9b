// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Elementwise HLO operations as LLVM IR, for the host and for the GPU.
#pragma once

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "codegen/common/emit_context.h"
#include "ir/graph.h"

namespace astitch::codegen {

struct ElementwiseOptions {
  // Results of f16 and narrower stay unrounded floats: the inside of a reduction, which accumulates
  // in f32.
  bool keep_wide = false;
};

// One element (or a vector of them) of INSTRUCTION's result from the same of its operands, all in
// register form (register_types.h). Semantics are HLO's, to the corner: no trap, no poison, NaN as
// the operation says. Operands of one call are of one width, but a scalar goes with anything.
//
// Narrow floats are computed in f32 and rounded once an instruction. Refused by name, with the
// instruction's position: complex types, bitcast-convert between different widths, and types the
// operation is not defined on.
// REQUIRES: INSTRUCTION is of kind elementwise and verified; OPERANDS match its operands in number.
absl::StatusOr<llvm::Value*> EmitElementwise(const EmitContext& context,
                                             const Instruction& instruction,
                                             absl::Span<llvm::Value* const> operands,
                                             const ElementwiseOptions& options = {});

}  // namespace astitch::codegen
