// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// From an opcode to the function that evaluates it: one switch over all of them.
#pragma once

#include "interp/ops.h"

namespace astitch::interp {

// Every opcode is evaluated or refused by name and place.
Result Dispatch(Context& context, const Instruction& instruction, Operands operands);

// Whether there is an evaluator for OPCODE, of some types and attributes at least.
bool HasEvaluator(Opcode opcode);

}  // namespace astitch::interp
