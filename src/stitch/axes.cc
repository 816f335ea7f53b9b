// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Union-find over axes with splitting; a merge asks first whether some value would get an axis
// twice.
#include "stitch/axes.h"

#include <algorithm>
#include <utility>

#include "stitch/dim_relations.h"

namespace astitch {

Axes::Axes(absl::Span<const Instruction* const> inputs,
           absl::Span<const Instruction* const> values) {
  for (const Instruction* input : inputs) AddValue(input);
  for (const Instruction* value : values) AddValue(value);
  for (bool through_inputs : {false, true}) {
    for (const Instruction* value : values) {
      for (int64_t i = 0; i < value->num_operands(); ++i) {
        const auto it = number_.find(value->operand(i));
        if (it == number_.end()) continue;
        if ((it->second < static_cast<int64_t>(inputs.size())) == through_inputs) Relate(value, i);
      }
    }
  }
  maps_.resize(dims_.size());
  lists_.resize(dims_.size());
  for (size_t number = 0; number < dims_.size(); ++number) ResolveValue(number);
  for (const Shift& shift : shifts_) {
    const List& reader = Of(shift.reader);
    for (int32_t axis : OfDim(shift.reader->operand(shift.operand), shift.operand_dim)) {
      if (std::find(reader.begin(), reader.end(), axis) != reader.end()) {
        misaligned_.emplace(std::make_pair(shift.reader, shift.operand), true);
      }
    }
  }
}

void Axes::AddValue(const Instruction* value) {
  if (!number_.emplace(value, static_cast<int64_t>(dims_.size())).second) return;
  const int64_t number = static_cast<int64_t>(dims_.size());
  dims_.emplace_back();
  // A tuple-shaped value (variadic reduce) has the dimensions of its first element.
  const Shape& shape = value->shape().IsTuple() ? value->shape().elements()[0] : value->shape();
  for (int64_t size : shape.dims()) dims_.back().push_back(size == 1 ? -1 : New(size, number));
}

int32_t Axes::New(int64_t extent, int64_t value) {
  Node node;
  node.extent = extent;
  node.values = {value};
  nodes_.push_back(std::move(node));
  return static_cast<int32_t>(nodes_.size()) - 1;
}

int32_t Axes::Find(int32_t axis) const {
  while (nodes_[axis].parent >= 0) axis = nodes_[axis].parent;
  return axis;
}

Axes::List Axes::Resolve(const List& list) const {
  List out, stack(list.rbegin(), list.rend());
  while (!stack.empty()) {
    const int32_t axis = Find(stack.back());
    stack.pop_back();
    if (nodes_[axis].split.empty()) {
      out.push_back(axis);
    } else {
      stack.insert(stack.end(), nodes_[axis].split.rbegin(), nodes_[axis].split.rend());
    }
  }
  return out;
}

int64_t Axes::ExtentOf(absl::Span<const int32_t> axes) const {
  int64_t product = 1;
  for (int32_t axis : axes) product *= extent(axis);
  return product;
}

bool Axes::Aligned(const Instruction* reader, int64_t i) const {
  return !misaligned_.contains(std::make_pair(reader, i));
}

void Axes::Split(int32_t axis, int64_t outer) {
  const int64_t inner = nodes_[axis].extent / outer;
  const absl::flat_hash_set<int64_t> values = nodes_[axis].values;
  Node a, b;
  a.extent = outer;
  b.extent = inner;
  a.values = b.values = values;
  nodes_.push_back(std::move(a));
  nodes_.push_back(std::move(b));
  const int32_t first = static_cast<int32_t>(nodes_.size()) - 2;
  nodes_[axis].split = {first, first + 1};
}

int32_t Axes::Cut(int32_t axis, int64_t inner) {
  Split(axis, nodes_[axis].extent / inner);
  for (int64_t number : nodes_[axis].values) ResolveValue(static_cast<size_t>(number));
  return nodes_[axis].split.back();
}

void Axes::ResolveValue(size_t number) {
  std::vector<List>& map = maps_[number];
  List& all = lists_[number];
  map.clear();
  all.clear();
  for (int32_t axis : dims_[number]) {
    map.push_back(axis < 0 ? List{} : Resolve({axis}));
    all.insert(all.end(), map.back().begin(), map.back().end());
  }
}

bool Axes::Merge(int32_t a, int32_t b) {
  if (a == b) return true;
  // The smaller set moves into the larger, so that a value moves at most log n times.
  if (nodes_[a].values.size() < nodes_[b].values.size()) std::swap(a, b);
  for (int64_t value : nodes_[b].values) {
    if (nodes_[a].values.contains(value)) return false;
  }
  nodes_[a].values.insert(nodes_[b].values.begin(), nodes_[b].values.end());
  nodes_[b].values = {};
  nodes_[b].parent = a;
  return true;
}

// Both lists have the same product. Walks them from the outermost factor, splitting the larger head
// by the smaller.
bool Axes::Unify(const List& a, const List& b) {
  List left = Resolve(a), right = Resolve(b);
  size_t i = 0, j = 0;
  while (i < left.size() && j < right.size()) {
    const int64_t x = nodes_[left[i]].extent, y = nodes_[right[j]].extent;
    if (left[i] == right[j] || x == y) {
      if (!Merge(left[i], right[j])) return false;
      ++i;
      ++j;
      continue;
    }
    const int64_t larger = std::max(x, y), smaller = std::min(x, y);
    if (larger % smaller != 0) return false;
    Split(x > y ? left[i] : right[j], smaller);
    left = Resolve(List(left.begin() + i, left.end()));
    right = Resolve(List(right.begin() + j, right.end()));
    i = j = 0;
  }
  return i == left.size() && j == right.size();
}

bool Axes::RelateDims(const Instruction* reader, int64_t reader_dim, const Instruction* operand,
                      int64_t operand_dim) {
  const int32_t a = dims_[number_.at(reader)][reader_dim],
                b = dims_[number_.at(operand)][operand_dim];
  if (a < 0 || b < 0) return true;  // an extent of 1 has one position
  return Unify({a}, {b});
}

// Dimensions of a reshape fall into groups of equal products; each is unified by itself.
bool Axes::RelateReshape(const Instruction* reader, const Instruction* operand) {
  const auto& to = dims_[number_.at(reader)];
  const auto& from = dims_[number_.at(operand)];
  bool aligned = true;
  size_t i = 0, j = 0;
  while (i < to.size() || j < from.size()) {
    List left, right;
    int64_t x = 1, y = 1;
    do {
      if ((x <= y && i < to.size()) || j >= from.size()) {
        x *= reader->shape().dim(static_cast<int64_t>(i));
        if (to[i] >= 0) left.push_back(to[i]);
        ++i;
      } else {
        y *= operand->shape().dim(static_cast<int64_t>(j));
        if (from[j] >= 0) right.push_back(from[j]);
        ++j;
      }
    } while (x != y && (i < to.size() || j < from.size()));
    if (left.empty() && right.empty()) continue;
    if (x == 0 || y == 0 || !Unify(left, right)) aligned = false;
  }
  return aligned;
}

void Axes::Relate(const Instruction* reader, int64_t i) {
  const Instruction* operand = reader->operand(i);
  const DimRelations relations = RelationsOf(*reader, i);
  bool aligned = true;
  switch (relations.kind) {
    case DimRelations::Kind::kScalar:
      break;
    case DimRelations::Kind::kDims:
      for (const DimRelations::Pair& pair : relations.pairs) {
        if (!pair.same_position) {
          shifts_.push_back({reader, i, pair.operand_dim});
        } else if (!RelateDims(reader, pair.reader_dim, operand, pair.operand_dim)) {
          aligned = false;
        }
      }
      break;
    case DimRelations::Kind::kReshape:
      aligned = RelateReshape(reader, operand);
      break;
    case DimRelations::Kind::kOpaque:
      aligned = false;
      break;
  }
  if (!aligned) misaligned_.emplace(std::make_pair(reader, i), true);
}

}  // namespace astitch
