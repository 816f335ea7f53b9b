// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The indices of a scatter, compared with coordinates.
#pragma once

#include <cstdint>
#include <limits>

#include "astitch/element_type.h"

namespace astitch {

// Integers in which the coordinates below EXTENT and an index of type INDEX are exact, narrow where
// possible. A u64 beyond them becomes negative, which is outside as well.
inline ElementType ComparedAs(ElementType index, int64_t extent) {
  const bool narrow = ByteWidth(index) < 4 || index == ElementType::kS32;
  return narrow && extent <= std::numeric_limits<int32_t>::max() ? ElementType::kS32
                                                                 : ElementType::kS64;
}

}  // namespace astitch
