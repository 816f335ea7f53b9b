// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A constant value: dense elements in logical row-major order whatever the shape's layout says, or
// a tuple of literals.
//
// Copies share the bytes until one of them is changed. Not thread-safe while changed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "absl/types/span.h"
#include "astitch/shape.h"

namespace astitch {

class Literal {
 public:
  Literal() = default;
  // Zero-filled. REQUIRES: shape.CheckedByteSize() holds.
  explicit Literal(Shape shape);
  // REQUIRES: bytes.size() == shape.byte_size().
  Literal(Shape shape, std::vector<std::byte> bytes);
  static Literal Tuple(std::vector<Literal> elements);
  // A constant printed as {...}: shape known, values lost. Its bytes are absent until filled.
  static Literal Elided(Shape shape);

  // The same bytes, shared, read under another array shape. REQUIRES: of as many bytes.
  Literal WithShape(Shape shape) const;

  const Shape& shape() const { return shape_; }
  bool is_elided() const { return elided_; }

  // Bytes of an array; empty when elided.
  absl::Span<const std::byte> bytes() const;
  absl::Span<std::byte> mutable_bytes();
  // REQUIRES: sizeof(T) == ByteWidth(element type).
  template <typename T>
  absl::Span<const T> data() const {
    return {reinterpret_cast<const T*>(bytes().data()), bytes().size() / sizeof(T)};
  }
  template <typename T>
  absl::Span<T> mutable_data() {
    absl::Span<std::byte> b = mutable_bytes();
    return {reinterpret_cast<T*>(b.data()), b.size() / sizeof(T)};
  }

  const std::vector<Literal>& elements() const { return elements_; }
  std::vector<Literal>& mutable_elements() { return elements_; }

  // Same shape (layout apart) and the same bits; two elided literals of one shape are equal.
  friend bool operator==(const Literal& a, const Literal& b);

 private:
  Shape shape_;
  std::shared_ptr<std::vector<std::byte>> bytes_;
  std::vector<Literal> elements_;
  bool elided_ = false;
};

}  // namespace astitch
