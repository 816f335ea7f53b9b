// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// HLO's compare, in register form.
#pragma once

#include "codegen/common/emit_context.h"
#include "ir/attributes.h"

namespace astitch::codegen {

// i1. Null where the comparison's type does not fit ELEMENT_TYPE.
llvm::Value* EmitCompare(const EmitContext& context, const CompareAttributes& compare,
                         ElementType element_type, llvm::Value* a, llvm::Value* b);

}  // namespace astitch::codegen
