// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Whether a result is right.
//
// A float is right when it equals the expected one, when both are NaN (any payload), or when both
// are finite and |got - expected| <= atol + rtol * |expected|; so an infinity must meet the same
// infinity, and +0 and -0 are equal. Integers and pred must be equal.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "astitch/literal.h"

namespace astitch {

struct Tolerance {
  double rtol = 0;
  double atol = 0;
  friend bool operator==(const Tolerance&, const Tolerance&) = default;
};
// For an output nobody said anything about: some ten roundings of its type.
Tolerance DefaultTolerance(ElementType type);

struct Comparison {
  std::string shape_fault;           // "shape f32[2], expected f32[3]", else empty
  int64_t wrong = 0, total = 0;      // elements
  std::vector<int64_t> worst_index;  // of the worst wrong element
  std::string worst_got, worst_expected;
  double max_abs_error = 0;  // over all finite pairs, right ones too

  bool ok() const { return shape_fault.empty() && wrong == 0; }
  // "3 of 12 wrong, worst at (0, 2): got 1.5, expected 1"; "" when ok.
  std::string Describe() const;
};

// REQUIRES: arrays, not elided.
Comparison Compare(const Literal& got, const Literal& expected, const Tolerance& tolerance);

}  // namespace astitch
