// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What a comparison says of two numbers.
#pragma once

#include "ir/attributes.h"

namespace astitch {

// As C++ compares: of NaN nothing holds but kNe.
template <typename T>
constexpr bool Holds(ComparisonDirection direction, T a, T b) {
  switch (direction) {
    case ComparisonDirection::kEq:
      return a == b;
    case ComparisonDirection::kNe:
      return a != b;
    case ComparisonDirection::kLt:
      return a < b;
    case ComparisonDirection::kLe:
      return a <= b;
    case ComparisonDirection::kGt:
      return a > b;
    case ComparisonDirection::kGe:
      return a >= b;
  }
  return false;
}

}  // namespace astitch
