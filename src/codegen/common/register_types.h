// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// How an element lives in a register and how it lies in memory.
//
//   type                  register                                  memory
//   pred                  i1                                        i8, 0 or 1
//   s1..s8, u1..u8        i8, the narrow ones extended to it        i8
//   s16..s64, u16..u64    iN                                        iN
//   f16, bf16, f8, f6, f4 float that the narrow type represents     i16 or i8, the code
//   f32, f64              float, double                             float, double
//
// A scalar or a fixed vector of these; the width travels in the LLVM type. Complex types have no
// register.
#pragma once

#include "astitch/element_type.h"
#include "codegen/common/emit_context.h"

namespace astitch::codegen {

// WIDTH 1 is the scalar. REQUIRES: TYPE is not complex.
llvm::Type* RegisterType(llvm::LLVMContext& context, ElementType type, int width);
llvm::Type* MemoryType(llvm::LLVMContext& context, ElementType type, int width);

// Register form of what was loaded, memory form of what is to be stored. REQUIRES for ToMemory: the
// value is one of TYPE's.
llvm::Value* FromMemory(const EmitContext& context, ElementType type, llvm::Value* memory);
llvm::Value* ToMemory(const EmitContext& context, ElementType type, llvm::Value* value);

// A float or double rounded once, to nearest even, into TYPE's register form; out of range as HLO's
// convert. REQUIRES: IsFloat(type).
llvm::Value* RoundTo(const EmitContext& context, ElementType type, llvm::Value* value);
// The same for the result of arithmetic on values of TYPE: its NaNs are theirs or the processor's
// own, and survive rounding on the bits.
llvm::Value* RoundResult(const EmitContext& context, ElementType type, llvm::Value* value);

// An integer register whose low bits are right, made right as a whole: narrow types extend again.
llvm::Value* NormalizeInteger(const EmitContext& context, ElementType type, llvm::Value* value);

// VALUE in every lane of WIDTH lanes; VALUE itself for width 1.
llvm::Value* Splat(const EmitContext& context, llvm::Value* value, int width);
// Lanes of a value's type; 1 for scalars.
int WidthOf(const llvm::Value* value);

// The constant at BYTES (ByteWidth(type) of them) in register form.
llvm::Value* EmitConstant(const EmitContext& context, ElementType type, const std::byte* bytes,
                          int width);

}  // namespace astitch::codegen
