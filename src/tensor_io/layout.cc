// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One walk over the array in row-major order keeps the physical position by an odometer of strides.
#include "tensor_io/layout.h"

#include <cstring>
#include <utility>

#include "base/check.h"

namespace astitch {
namespace {

// Elements between neighbours of each dimension, in memory.
std::vector<int64_t> Strides(const Shape& shape) {
  std::vector<int64_t> strides(shape.rank(), 0);
  int64_t stride = 1;
  for (const int64_t dim : shape.layout().minor_to_major) {
    strides[dim] = stride;
    stride *= shape.dim(dim);
  }
  return strides;
}

// Calls COPY(logical, physical) with the flat positions of every element.
template <typename Copy>
void ForEachElement(const Shape& shape, const Copy& copy) {
  const int64_t count = shape.num_elements();
  const std::vector<int64_t> strides = Strides(shape);
  std::vector<int64_t> index(shape.rank(), 0);
  int64_t physical = 0;
  for (int64_t logical = 0; logical < count; ++logical) {
    copy(logical, physical);
    for (int64_t d = shape.rank() - 1; d >= 0; --d) {
      physical += strides[d];
      if (++index[d] < shape.dim(d)) break;
      physical -= strides[d] * shape.dim(d);
      index[d] = 0;
    }
  }
}

void AppendArrays(const Shape& shape, std::vector<Shape>& out) {
  for (const Shape* leaf : shape.Leaves()) {
    if (leaf->IsArray()) out.push_back(*leaf);
  }
}

// The next leaves of LEAVES as a value of SHAPE; tokens take none.
Literal Assemble(const Shape& shape, std::vector<Literal>& leaves, size_t& next) {
  if (!shape.IsTuple()) return shape.IsArray() ? std::move(leaves[next++]) : Literal();
  std::vector<Literal> elements;
  for (const Shape& element : shape.elements()) {
    elements.push_back(Assemble(element, leaves, next));
  }
  return Literal::Tuple(std::move(elements));
}

void CollectArrays(const Literal& value, std::vector<Literal>& out) {
  if (value.shape().IsArray()) out.push_back(value);
  for (const Literal& element : value.elements()) CollectArrays(element, out);
}

}  // namespace

bool IsDenseRowMajor(const Shape& shape) {
  int64_t last = shape.rank();
  for (const int64_t dim : shape.layout().minor_to_major) {
    if (shape.dim(dim) == 1) continue;
    if (dim > last) return false;
    last = dim;
  }
  return true;
}

std::vector<std::byte> ToPhysical(const Literal& value, const Shape& shape) {
  const absl::Span<const std::byte> from = value.bytes();
  if (IsDenseRowMajor(shape)) return {from.begin(), from.end()};
  std::vector<std::byte> out(from.size());
  const size_t width = ByteWidth(shape.element_type());
  ForEachElement(shape, [&](int64_t logical, int64_t physical) {
    std::memcpy(&out[physical * width], &from[logical * width], width);
  });
  return out;
}

Literal FromPhysical(const Shape& shape, absl::Span<const std::byte> bytes) {
  ASTITCH_CHECK(static_cast<int64_t>(bytes.size()) == shape.byte_size())
      << shape.ToString() << " from " << bytes.size() << " bytes";
  const Shape logical_shape = Shape::Array(shape.element_type(), shape.dims());
  if (IsDenseRowMajor(shape)) return Literal(logical_shape, {bytes.begin(), bytes.end()});
  std::vector<std::byte> out(bytes.size());
  const size_t width = ByteWidth(shape.element_type());
  ForEachElement(shape, [&](int64_t logical, int64_t physical) {
    std::memcpy(&out[logical * width], &bytes[physical * width], width);
  });
  return Literal(logical_shape, std::move(out));
}

std::vector<Shape> EntryInputShapes(const Graph& graph) {
  std::vector<Shape> out;
  if (graph.header().has_entry_layout) {
    for (const Shape& shape : graph.header().entry_layout.parameters) AppendArrays(shape, out);
    return out;
  }
  for (const Instruction* parameter : graph.entry()->parameters()) {
    AppendArrays(parameter->shape(), out);
  }
  for (Shape& shape : out) shape.mutable_layout() = Layout::RowMajor(shape.rank());
  return out;
}

std::vector<Shape> EntryOutputShapes(const Graph& graph) {
  std::vector<Shape> out;
  if (graph.header().has_entry_layout) {
    AppendArrays(graph.header().entry_layout.result, out);
    return out;
  }
  AppendArrays(graph.entry()->root()->shape(), out);
  for (Shape& shape : out) shape.mutable_layout() = Layout::RowMajor(shape.rank());
  return out;
}

std::vector<Literal> AssembleParameters(const Graph& graph, std::vector<Literal> leaves) {
  std::vector<Literal> out;
  size_t next = 0;
  for (const Instruction* parameter : graph.entry()->parameters()) {
    out.push_back(Assemble(parameter->shape(), leaves, next));
  }
  return out;
}

std::vector<Literal> ArrayLeaves(const Literal& value) {
  std::vector<Literal> out;
  CollectArrays(value, out);
  return out;
}

}  // namespace astitch
