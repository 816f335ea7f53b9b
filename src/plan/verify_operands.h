// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Where an instruction reads its operands when it is evaluated at one index: the index maps of all
// operations that a kernel computes element by element.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/graph.h"
#include "plan/verify_index.h"

namespace astitch::plan_check {

// One element (of LEAF, for a value that is a tuple) at an index.
struct Element {
  const Instruction* value = nullptr;
  int64_t leaf = 0;
  AxisIndices::Id index = 0;
  friend bool operator==(const Element&, const Element&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const Element& e) {
    return H::combine(std::move(h), e.value, e.leaf, e.index);
  }
};

// Whether a kernel can evaluate VALUE at one index at all.
bool IsEvaluated(const Instruction& value);

// Appends what evaluating ELEMENT reads, one element for each operand. Of operations that read
// several elements of an operand, where they lie is unknown along the dimensions that vary.
// REQUIRES: IsEvaluated.
void AppendOperands(AxisIndices& indices, const Element& element, std::vector<Element>& out);

}  // namespace astitch::plan_check
