// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The rules of algebraic-simplify, a function a family: the replacement of an instruction, or null.
// All hold bit for bit (algebraic_simplify.h).
#pragma once

#include "ir/graph.h"
#include "passes/rewriter.h"

namespace astitch {

// add subtract multiply divide remainder power negate abs maximum minimum
Instruction* SimplifyArithmetic(Rewriter& rewriter, Instruction& instruction);
// and or xor not, shifts, compare, select
Instruction* SimplifyLogic(Rewriter& rewriter, Instruction& instruction);
// convert bitcast-convert real
Instruction* SimplifyConvert(Rewriter& rewriter, Instruction& instruction);

}  // namespace astitch
