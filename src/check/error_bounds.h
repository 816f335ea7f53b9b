// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// How far two right ways to compute a graph may differ, value by value: interval arithmetic over
// the instructions.
//
//   %s = f32[8] reduce(%x, 0)     x within [-2, 2] in steps of 0.25: any order gives the same bits
//   %e = exponential(%s)          2^-22 of the largest value it can have
//   %f = floor(%e)                unknown: half an ulp may become a whole number
//
// What is exact on both sides (integers, comparisons, correctly rounded operations, sums that no
// rounding touches) must agree to the bit; what is not carries an error bound through every
// operation that is continuous, and becomes unknown after one that is not. Unknown values are run,
// and not compared.
#pragma once

#include <algorithm>
#include <vector>

#include "ir/graph.h"

namespace astitch {

struct ErrorBound {
  bool exact = true;     // both sides have the same bits
  bool unknown = false;  // nothing can be said
  bool may_be_nan = false;
  double lo = 0, hi = 0;  // of what is not NaN; infinite where no bound is known
  double step = 0;        // every value is a whole multiple of this power of two; 0: not known
  double error = 0;       // between the two sides; 0 when exact

  double magnitude() const { return std::max(-lo, hi); }
};

// What the test's inputs are drawn from (differential.h).
ErrorBound BoundOfInput(ElementType type);

// The bound of a value from those of its operands.
ErrorBound BoundOf(const Instruction& value, const std::vector<ErrorBound>& operands);

// Of each of the entry's instructions, by id.
std::vector<ErrorBound> BoundsOf(const Graph& graph);
// Of the array leaves of the root.
std::vector<ErrorBound> ResultBounds(const Graph& graph);

}  // namespace astitch
