// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Operations of floats, on floats or doubles in registers; the result is not yet rounded to the
// element type.
#pragma once

#include "absl/types/span.h"
#include "codegen/common/emit_context.h"
#include "ir/opcode.h"

namespace astitch::codegen {

// Null where OPCODE is not defined on floats, or is not decided by the operands' values alone
// (compare, convert, ...). is-finite gives i1.
llvm::Value* EmitFloatOp(const EmitContext& context, Opcode opcode,
                         absl::Span<llvm::Value* const> operands);

// e^X for X that is never above zero (or NaN): cheaper and closer than kExponential.
llvm::Value* EmitDecay(const EmitContext& context, llvm::Value* x);

}  // namespace astitch::codegen
