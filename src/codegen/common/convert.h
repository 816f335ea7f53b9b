// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Changes of type and of precision, in register form.
#pragma once

#include "astitch/element_type.h"
#include "codegen/common/emit_context.h"

namespace astitch::codegen {

// HLO's convert. Without ROUND a narrow float result stays a wider float.
llvm::Value* EmitConvert(const EmitContext& context, ElementType from, ElementType to,
                         llvm::Value* value, bool round = true);

// The same bits as another type. REQUIRES: equal widths, neither is pred unless both are.
llvm::Value* EmitBitcastConvert(const EmitContext& context, ElementType from, ElementType to,
                                llvm::Value* value);

// VALUE, one of TYPE's, with fewer bits of exponent and mantissa.
llvm::Value* EmitReducePrecision(const EmitContext& context, ElementType type, llvm::Value* value,
                                 int exponent_bits, int mantissa_bits);

// Float VALUE to the integer type TO, rounding away from zero where RANDOM, an integer of
// RANDOM_TYPE read as a fraction, lies below what truncation loses.
llvm::Value* EmitStochasticConvert(const EmitContext& context, ElementType to, llvm::Value* value,
                                   ElementType random_type, llvm::Value* random);

}  // namespace astitch::codegen
