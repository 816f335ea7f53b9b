// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// DimAtoms: follows the dimensions of a value through transpositions and reshapes.
//
//   %y = f32[1024,768]                       dimensions 0, 1
//   reshape   f32[8,128,12,64]               0 is 8 x 128, 1 is 12 x 64: four atoms
//   transpose f32[8,12,128,64]               the same atoms in another order
//
// so that a library call can read or write the last one's memory as if it were the first's, by
// strides.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "ir/graph.h"

namespace astitch {

// What may be followed.
bool IsTurn(const Instruction* i);

class DimAtoms {
 public:
  // Of the value that dimensions are followed from.
  explicit DimAtoms(const Shape& origin);

  // Goes on to what I, a transpose or reshape of the value under way, makes of it. False, and
  // unchanged, when a reshape cuts a dimension unevenly, or for any other operation.
  bool Follow(const Instruction& i);

  // STRIDES, one for each dimension of the value under way, as seen along the origin's dimensions;
  // nothing when a dimension of the origin has no single one.
  std::optional<std::vector<int64_t>> AlongOrigin(absl::Span<const int64_t> strides) const;
  // The inverse: STRIDES of the origin's dimensions, as seen along those of the value under way.
  std::optional<std::vector<int64_t>> AlongCurrent(absl::Span<const int64_t> strides) const;

 private:
  // EXTENT steps of INNER elements each along dimension DIM of the origin.
  struct Atom {
    int64_t extent = 1, dim = 0, inner = 1;
  };

  bool Reshape(const Shape& to);

  std::vector<int64_t> origin_;             // extents
  std::vector<std::vector<Atom>> current_;  // of each dimension, outermost first
};

std::vector<int64_t> RowMajorStrides(const Shape& shape);

// Dimensions with EXTENTS and STRIDES, outermost first, as one: its stride; nothing when they are not
// evenly spaced in that order. Dimensions of extent 1 do not matter.
std::optional<int64_t> OneStride(absl::Span<const int64_t> extents,
                                 absl::Span<const int64_t> strides);

}  // namespace astitch
