// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Literals share their bytes and copy them when written to.
#include "astitch/literal.h"

#include <utility>

#include "base/check.h"

namespace astitch {

Literal::Literal(Shape shape) : shape_(std::move(shape)) {
  if (shape_.IsTuple()) {
    for (const Shape& element : shape_.elements()) elements_.emplace_back(element);
  } else {
    bytes_ = std::make_shared<std::vector<std::byte>>(shape_.byte_size());
  }
}

Literal::Literal(Shape shape, std::vector<std::byte> bytes)
    : shape_(std::move(shape)), bytes_(std::make_shared<std::vector<std::byte>>(std::move(bytes))) {
  ASTITCH_CHECK(static_cast<int64_t>(bytes_->size()) == shape_.byte_size())
      << shape_.ToString() << " with " << bytes_->size() << " bytes";
}

Literal Literal::Tuple(std::vector<Literal> elements) {
  std::vector<Shape> shapes;
  for (const Literal& element : elements) shapes.push_back(element.shape());
  Literal literal;
  literal.shape_ = Shape::Tuple(std::move(shapes));
  literal.elements_ = std::move(elements);
  return literal;
}

Literal Literal::Elided(Shape shape) {
  Literal literal;
  literal.shape_ = std::move(shape);
  literal.elided_ = true;
  return literal;
}

Literal Literal::WithShape(Shape shape) const {
  ASTITCH_CHECK(shape_.IsArray() && shape.IsArray() && shape.byte_size() == shape_.byte_size())
      << shape_.ToString() << " as " << shape.ToString();
  Literal literal = *this;
  literal.shape_ = std::move(shape);
  return literal;
}

absl::Span<const std::byte> Literal::bytes() const {
  if (!bytes_) return {};
  return *bytes_;
}

absl::Span<std::byte> Literal::mutable_bytes() {
  if (!bytes_) return {};
  if (bytes_.use_count() > 1) bytes_ = std::make_shared<std::vector<std::byte>>(*bytes_);
  return absl::MakeSpan(*bytes_);
}

bool operator==(const Literal& a, const Literal& b) {
  if (!a.shape_.CompatibleWith(b.shape_) || a.elided_ != b.elided_) return false;
  if (a.shape_.IsTuple()) return a.elements_ == b.elements_;
  if (a.bytes_ == b.bytes_) return true;
  return a.bytes() == b.bytes();
}

}  // namespace astitch
