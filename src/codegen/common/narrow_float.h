// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Floats of 16 bits and fewer: rounding a float to one of their values, and their codes in memory.
//
// f16 takes the target's conversions where it has them, bf16 is the upper half of a float, and the
// rest is integer arithmetic over the format's widths, which needs nothing of the target.
#pragma once

#include "astitch/element_type.h"
#include "codegen/common/emit_context.h"

namespace astitch::codegen {

// VALUE is a float. REQUIRES of all three: TYPE is a float of at most 16 bits.
llvm::Value* RoundToNarrow(const EmitContext& context, ElementType type, llvm::Value* value);
// To bf16, for a VALUE that is a number, infinity, or a NaN without low mantissa bits.
llvm::Value* RoundArithmeticToBFloat(const EmitContext& context, llvm::Value* value);
// The code of a value of TYPE, as i16 or i8.
llvm::Value* EncodeNarrow(const EmitContext& context, ElementType type, llvm::Value* value);
// The float a code stands for.
llvm::Value* DecodeNarrow(const EmitContext& context, ElementType type, llvm::Value* code);

}  // namespace astitch::codegen
