// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Shapes: sizes with checked arithmetic, text.
#include "astitch/shape.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/check.h"
#include "base/checked_math.h"

namespace astitch {

Layout Layout::RowMajor(int64_t rank) {
  Layout layout;
  for (int64_t i = rank; i-- > 0;) layout.minor_to_major.push_back(i);
  return layout;
}

bool Layout::IsRowMajor() const {
  const int64_t rank = static_cast<int64_t>(minor_to_major.size());
  for (int64_t i = 0; i < rank; ++i) {
    if (minor_to_major[i] != rank - 1 - i) return false;
  }
  return true;
}

Shape Shape::Array(ElementType type, std::vector<int64_t> dims) {
  Layout layout = Layout::RowMajor(static_cast<int64_t>(dims.size()));
  return Array(type, std::move(dims), std::move(layout));
}

Shape Shape::Array(ElementType type, std::vector<int64_t> dims, Layout layout) {
  Shape shape;
  shape.kind_ = Kind::kArray;
  shape.element_type_ = type;
  shape.dims_ = std::move(dims);
  shape.layout_ = std::move(layout);
  return shape;
}

Shape Shape::Tuple(std::vector<Shape> elements) {
  Shape shape;
  shape.kind_ = Kind::kTuple;
  shape.elements_ = std::move(elements);
  return shape;
}

Shape Shape::Token() { return Shape(); }

Shape Shape::Opaque() {
  Shape shape;
  shape.kind_ = Kind::kOpaque;
  return shape;
}

Shape Shape::Buffer(Shape array) {
  ASTITCH_CHECK(array.IsArray());
  array.kind_ = Kind::kBuffer;
  return array;
}

void Shape::set_dynamic(int64_t i) {
  dynamic_.resize(dims_.size(), false);
  dynamic_[i] = true;
}

absl::StatusOr<int64_t> Shape::CheckedNumElements() const {
  int64_t total = IsTuple() ? 0 : 1;
  if (IsTuple()) {
    for (const Shape& element : elements_) {
      absl::StatusOr<int64_t> n = element.CheckedNumElements();
      if (!n.ok()) return n;
      const std::optional<int64_t> sum = CheckedAdd(total, *n);
      if (!sum)
        return absl::InvalidArgumentError(absl::StrCat("too many elements in ", ToString(false)));
      total = *sum;
    }
    return total;
  }
  if (kind_ == Kind::kToken || kind_ == Kind::kOpaque) return 0;
  // A zero extent anywhere makes the product zero, but only if the others alone would not overflow
  // either.
  bool empty = false;
  for (int64_t d : dims_) {
    if (d < 0)
      return absl::InvalidArgumentError(absl::StrCat("no static size for ", ToString(false)));
    if (d == 0) {
      empty = true;
      continue;
    }
    const std::optional<int64_t> product = CheckedMul(total, d);
    if (!product)
      return absl::InvalidArgumentError(
          absl::StrCat("more than 2^63-1 elements in ", ToString(false)));
    total = *product;
  }
  return empty ? 0 : total;
}

absl::StatusOr<int64_t> Shape::CheckedByteSize() const {
  if (IsTuple()) {
    int64_t total = 0;
    for (const Shape& element : elements_) {
      absl::StatusOr<int64_t> n = element.CheckedByteSize();
      if (!n.ok()) return n;
      const std::optional<int64_t> sum = CheckedAdd(total, *n);
      if (!sum)
        return absl::InvalidArgumentError(
            absl::StrCat("more than 2^63-1 bytes in ", ToString(false)));
      total = *sum;
    }
    return total;
  }
  absl::StatusOr<int64_t> n = CheckedNumElements();
  if (!n.ok() || *n == 0) return n;
  const std::optional<int64_t> bytes = CheckedMul(*n, ByteWidth(element_type_));
  if (!bytes)
    return absl::InvalidArgumentError(absl::StrCat("more than 2^63-1 bytes in ", ToString(false)));
  return *bytes;
}

int64_t Shape::num_elements() const {
  const absl::StatusOr<int64_t> n = CheckedNumElements();
  ASTITCH_CHECK(n.ok()) << n.status().message();
  return *n;
}

int64_t Shape::byte_size() const {
  const absl::StatusOr<int64_t> n = CheckedByteSize();
  ASTITCH_CHECK(n.ok()) << n.status().message();
  return *n;
}

std::vector<const Shape*> Shape::Leaves() const {
  std::vector<const Shape*> leaves;
  std::vector<const Shape*> stack = {this};
  while (!stack.empty()) {
    const Shape* shape = stack.back();
    stack.pop_back();
    if (!shape->IsTuple()) {
      leaves.push_back(shape);
      continue;
    }
    for (size_t i = shape->elements_.size(); i-- > 0;) stack.push_back(&shape->elements_[i]);
  }
  return leaves;
}

bool Shape::CompatibleWith(const Shape& other) const {
  if (kind_ != other.kind_) return false;
  if (IsTuple()) {
    if (elements_.size() != other.elements_.size()) return false;
    for (size_t i = 0; i < elements_.size(); ++i) {
      if (!elements_[i].CompatibleWith(other.elements_[i])) return false;
    }
    return true;
  }
  if (kind_ == Kind::kToken || kind_ == Kind::kOpaque) return true;
  return element_type_ == other.element_type_ && dims_ == other.dims_ && dynamic_ == other.dynamic_;
}

bool operator==(const Shape& a, const Shape& b) {
  if (!a.CompatibleWith(b)) return false;
  if (a.IsTuple()) return a.elements_ == b.elements_;
  return a.kind_ == Shape::Kind::kToken || a.kind_ == Shape::Kind::kOpaque ||
         a.layout_ == b.layout_;
}

std::string Shape::ToString(bool with_layout) const {
  switch (kind_) {
    case Kind::kToken:
      return "token[]";
    case Kind::kOpaque:
      return "opaque[]";
    case Kind::kTuple: {
      std::string out = "(";
      for (size_t i = 0; i < elements_.size(); ++i) {
        if (i > 0) out += ", ";
        if (i > 0 && i % 5 == 0) absl::StrAppend(&out, "/*index=", i, "*/");
        out += elements_[i].ToString(with_layout);
      }
      return out + ")";
    }
    case Kind::kArray:
    case Kind::kBuffer:
      break;
  }
  std::string out(astitch::ToString(element_type_));
  out += "[";
  for (int64_t i = 0; i < rank(); ++i) {
    if (i > 0) out += ",";
    if (is_dynamic(i) && dims_[i] == kUnboundedSize) {
      out += "?";
    } else {
      absl::StrAppend(&out, is_dynamic(i) ? "<=" : "", dims_[i]);
    }
  }
  out += "]";
  if (with_layout && (rank() > 0 || !layout_.extras.empty())) {
    absl::StrAppend(&out, "{", absl::StrJoin(layout_.minor_to_major, ","),
                    layout_.extras.empty() ? "" : ":", layout_.extras, "}");
  }
  return kind_ == Kind::kBuffer ? absl::StrCat("b(", out, ")") : out;
}

std::ostream& operator<<(std::ostream& out, const Shape& shape) { return out << shape.ToString(); }

}  // namespace astitch
