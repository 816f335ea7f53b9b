// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The shape of a value: an array with element type, dimensions and layout, or a tuple of shapes, a
// token, or an opaque value.
//
// Plain values: copy, ==, print. Dimension numbers are logical and outermost first; the layout says
// how they lie in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "astitch/element_type.h"

namespace astitch {

// Minor-to-major order of the dimensions, and what else a dump may say about physical form (tiles,
// memory space, ...): that is kept as canonical text, since nothing here depends on it.
struct Layout {
  std::vector<int64_t> minor_to_major;
  std::string extras;  // "T(8,128)S(1)", empty almost always
  static Layout RowMajor(int64_t rank);
  bool IsRowMajor() const;
  friend bool operator==(const Layout&, const Layout&) = default;
};

class Shape {
 public:
  enum class Kind : uint8_t { kArray, kTuple, kToken, kOpaque, kBuffer };
  static constexpr int64_t kUnboundedSize = -1;

  // A token; assign something better.
  Shape() = default;
  static Shape Array(ElementType type, std::vector<int64_t> dims);  // row-major
  static Shape Array(ElementType type, std::vector<int64_t> dims, Layout layout);
  static Shape Scalar(ElementType type) { return Array(type, {}); }
  static Shape Tuple(std::vector<Shape> elements);
  static Shape Token();
  static Shape Opaque();
  static Shape Buffer(Shape array);  // b(f32[2])

  Kind kind() const { return kind_; }
  bool IsArray() const { return kind_ == Kind::kArray; }
  bool IsTuple() const { return kind_ == Kind::kTuple; }
  bool IsToken() const { return kind_ == Kind::kToken; }

  // Of an array (or the array inside a buffer).
  ElementType element_type() const { return element_type_; }
  const std::vector<int64_t>& dims() const { return dims_; }
  int64_t dim(int64_t i) const { return dims_[i]; }
  int64_t rank() const { return static_cast<int64_t>(dims_.size()); }
  bool IsScalar() const { return IsArray() && dims_.empty(); }
  const Layout& layout() const { return layout_; }
  Layout& mutable_layout() { return layout_; }
  // A dimension written <=n (bounded) or ? (unbounded, size -1).
  bool is_dynamic(int64_t i) const { return !dynamic_.empty() && dynamic_[i]; }
  bool has_dynamic_dims() const { return !dynamic_.empty(); }
  void set_dynamic(int64_t i);

  // Of a tuple.
  const std::vector<Shape>& elements() const { return elements_; }

  // Number of elements; error when it or the byte size passes 2^63-1. Tuples: the sum over leaves.
  absl::StatusOr<int64_t> CheckedNumElements() const;
  absl::StatusOr<int64_t> CheckedByteSize() const;
  // REQUIRES: the checked forms hold, as they do for every instruction of a verified graph.
  int64_t num_elements() const;
  int64_t byte_size() const;

  // The array leaves in order; tokens and opaques are leaves too.
  std::vector<const Shape*> Leaves() const;

  // Same tree, element types and dimensions; layouts do not matter.
  bool CompatibleWith(const Shape& other) const;
  friend bool operator==(const Shape& a, const Shape& b);

  // "f32[2,3]{1,0}"; without layouts "f32[2,3]". Tuples of more than five carry /*index=5*/ marks.
  std::string ToString(bool with_layout = true) const;

 private:
  Kind kind_ = Kind::kToken;
  ElementType element_type_ = ElementType::kPred;
  std::vector<int64_t> dims_;
  std::vector<bool> dynamic_;  // empty when all dims are static
  Layout layout_;
  std::vector<Shape> elements_;
};

std::ostream& operator<<(std::ostream& out, const Shape& shape);

}  // namespace astitch
