// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A number for each element that orders as HLO orders the elements, in total order where they are
// floats: -NaN < -inf < ... < -0 < +0 < ... < inf < NaN. It fits in 32 bits with a sign, so that a place
// can be put below it, and no two are equal.
//
// The bits of a float order as its magnitude does; of a negative one all but the sign are turned.
#pragma once

#include <cstdint>
#include <optional>

#include "ir/graph.h"
#include "passes/rewriter.h"

namespace astitch {

struct SortKey {
  ElementType type;   // of the elements
  ElementType bits;   // the integer that has their bits; of integers their own type
  int64_t magnitude;  // of floats: all bits but the sign; 0: they are integers
  int64_t middle;     // what is taken away, so that 32 bits with a sign hold it
};

// Nothing for types that are wider, or that have no order of their own.
std::optional<SortKey> SortKeyOf(ElementType type);

// s64 numbers of ARRAY's elements; REVERSED: that order the other way around.
Instruction* AddSortNumbers(Rewriter& rewriter, const Instruction& origin, const SortKey& key,
                            bool reversed, Instruction* array);
// The elements again.
Instruction* AddElementsOfNumbers(Rewriter& rewriter, const Instruction& origin, const SortKey& key,
                                  bool reversed, Instruction* numbers);

}  // namespace astitch
