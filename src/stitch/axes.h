// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Axes: which dimensions of which values are the same loop.
//
//   x: f32[8,128,768]   m = reduce(x, dims={2}): f32[8,128]   y: f32[1024,768] =
//   reshape(subtract(x, broadcast(m)))
//
//        x (a b c)      m (a b)                               y (a*b  c)
//
// Elementwise operations say that dimensions of operand and result are one axis; broadcasts,
// transposes and reductions say so for the dimensions they keep; reshapes split axes into common
// factors. What shifts elements (slice, pad, concatenate, ...) relates only the dimensions it
// leaves alone. A relation that would give one value the same axis twice (x + transpose(x)) is
// refused, and the edge is marked: its reader takes elements from elsewhere. This is the exact form
// of the block-locality check: a block that owns some rows holds what a reader needs if and only if
// both have those rows as the same axes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "ir/graph.h"

namespace astitch {

inline bool Contains(absl::Span<const int32_t> axes, int32_t axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

class Axes {
 public:
  // VALUES are array-shaped, operands before users. Relations through computed values come first,
  // those through INPUTS (read from memory, so any index will do) only where they do no harm.
  Axes(absl::Span<const Instruction* const> inputs, absl::Span<const Instruction* const> values);

  // The axes of dimension DIM of VALUE, outermost first; extent-1 factors are left out.
  const std::vector<int32_t>& OfDim(const Instruction* value, int64_t dim) const {
    return maps_[number_.at(value)][dim];
  }
  // All axes of VALUE in row-major order.
  const std::vector<int32_t>& Of(const Instruction* value) const {
    return lists_[number_.at(value)];
  }
  const std::vector<std::vector<int32_t>>& MapOf(const Instruction* value) const {
    return maps_[number_.at(value)];
  }
  int64_t extent(int32_t axis) const { return nodes_[axis].extent; }
  // The product of their extents.
  int64_t ExtentOf(absl::Span<const int32_t> axes) const;

  // Whether equal axes of READER and of its operand number I mean equal positions: no relation was
  // refused between the two, and none of the operand's shifted dimensions came back as an axis of
  // the reader.
  bool Aligned(const Instruction* reader, int64_t i) const;

  // Makes two axes of AXIS: the inner one, of INNER positions, which divide it, is the result.
  int32_t Cut(int32_t axis, int64_t inner);

 private:
  struct Node {
    int64_t extent = 1;
    int32_t parent = -1;                  // merged into
    std::vector<int32_t> split;           // replaced by these, outermost first
    absl::flat_hash_set<int64_t> values;  // numbers of the values that have it; of representatives
  };
  using List = std::vector<int32_t>;

  int32_t New(int64_t extent, int64_t value);
  int32_t Find(int32_t axis) const;
  List Resolve(const List& list) const;
  bool Unify(const List& a, const List& b);
  bool Merge(int32_t a, int32_t b);
  void Split(int32_t axis, int64_t outer);
  void ResolveValue(size_t number);
  void Relate(const Instruction* reader, int64_t i);
  bool RelateDims(const Instruction* reader, int64_t reader_dim, const Instruction* operand,
                  int64_t operand_dim);
  bool RelateReshape(const Instruction* reader, const Instruction* operand);
  void AddValue(const Instruction* value);

  std::vector<Node> nodes_;
  absl::flat_hash_map<const Instruction*, int64_t> number_;
  std::vector<std::vector<int32_t>> dims_;  // value number -> one axis a dimension, -1 for extent 1
  // Dimensions that a reader takes shifted; harmless unless both end up with the same axis.
  struct Shift {
    const Instruction* reader;
    int64_t operand, operand_dim;
  };
  std::vector<Shift> shifts_;
  absl::flat_hash_map<std::pair<const Instruction*, int64_t>, bool> misaligned_;
  // By number of the value, once all is related: its axes by dimension, and all of them.
  std::vector<std::vector<List>> maps_;
  std::vector<List> lists_;
};

}  // namespace astitch
