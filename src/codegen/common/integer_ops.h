// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Operations of integers and pred, in register form. Everything wraps; nothing traps.
#pragma once

#include "absl/types/span.h"
#include "astitch/element_type.h"
#include "codegen/common/emit_context.h"
#include "ir/opcode.h"

namespace astitch::codegen {

// Null where OPCODE is not defined on TYPE. REQUIRES: TYPE is pred or an integer.
llvm::Value* EmitIntegerOp(const EmitContext& context, Opcode opcode, ElementType type,
                           absl::Span<llvm::Value* const> operands);

}  // namespace astitch::codegen
