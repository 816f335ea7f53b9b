// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Recognizes the two forms of GELU however a graph spells them: what lies between a value and the one
// operation that its readers end in is worked out as a polynomial in x and in one tanh or erf of a
// polynomial in x, and compared with
//
//   x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3)))      x/2 (1 + erf(x / sqrt 2))
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "ir/graph.h"
#include "plan/plan.h"

namespace astitch {

struct Gelu {
  EpilogueKind kind = EpilogueKind::kGeluTanh;
  std::vector<const Instruction*> operations;  // operands first; the last is the result
  std::vector<const Instruction*> constants;   // broadcasts that they read
};

// READERS of a value; null when it must be stored whoever reads it.
using ReadersOf = std::function<const std::vector<const Instruction*>*(const Instruction*)>;

// What is made of X, if that is GELU and all that is made of it.
std::optional<Gelu> RecognizeGelu(const Instruction* x, const ReadersOf& readers);

}  // namespace astitch
