// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Whole arrays in the widest type of their kind, packed: what contractions and linear algebra
// compute on. T is double, uint64_t (integers wrap in it) or Complex.
#pragma once

#include <vector>

#include "astitch/literal.h"
#include "interp/complex.h"

namespace astitch::interp {

// The elements of LITERAL, with its dimensions in ORDER. A wider kind takes the values of a
// narrower one.
template <typename T>
std::vector<T> Arrange(const Literal& literal, const std::vector<int64_t>& order);

// The same in the order in which they lie.
template <typename T>
std::vector<T> ElementsOf(const Literal& literal);

// N elements of TYPE at DST, each rounded once.
template <typename T>
void EncodeElements(ElementType type, const T* elements, int64_t n, std::byte* dst);

template <typename T>
Literal LiteralOf(const Shape& shape, const std::vector<T>& elements) {
  Literal literal(shape);
  EncodeElements(shape.element_type(), elements.data(), static_cast<int64_t>(elements.size()),
                 literal.mutable_bytes().data());
  return literal;
}

}  // namespace astitch::interp
