// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Elementwise operations on complex numbers, expressed by real ones on their parts.
//
//   (a + bi)(c + di) = (ac - bd) + (ad + bc)i
//
// Principal values, with the branch cuts and the signs of zero of C99, annex G. Squares of large and
// of small numbers are kept out of the way: lengths are scaled by the larger part, quotients as
// Smith has them (Algorithm 116, CACM 1962), the inverse functions are Kahan's ("Branch cuts for
// complex elementary functions", 1987).
#pragma once

#include <optional>

#include "passes/complex_parts.h"

namespace astitch {

// The parts of what INSTRUCTION gives; nothing where it is no such operation on complex numbers.
std::optional<ComplexParts> ComplexFunction(Rewriter& rewriter, const Instruction& instruction);

// The real number or truth value that INSTRUCTION (abs, real, imag, compare) gives of complex
// operands; real and imag of real ones, too. Null where it is no such operation.
Instruction* RealOfComplex(Rewriter& rewriter, const Instruction& instruction);

}  // namespace astitch
