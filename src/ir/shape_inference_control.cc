// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Tuples, control flow and tokens: values passed on, layouts included.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "ir/shape_inference_families.h"

namespace astitch {
namespace {

// Shapes are values and a tuple copies its elements' shapes: tuple(t, t), again and again, doubles
// the shape each time. Both limits are far above what any program has and far below what hurts.
constexpr int64_t kMaxTupleLeaves = int64_t{1} << 16;
constexpr int64_t kMaxTupleDepth = 64;

// REQUIRES: the depth of SHAPE is within the limit, as InferTuple and the parser see to.
int64_t Depth(const Shape& shape) {
  int64_t deepest = 0;
  for (const Shape& element : shape.elements()) deepest = std::max(deepest, Depth(element));
  return deepest + 1;
}

}  // namespace

absl::StatusOr<Shape> InferTuple(const InferenceInput& in) {
  int64_t leaves = 0;
  std::vector<Shape> shapes;
  for (int64_t i = 0; i < in.size(); ++i) {
    leaves += static_cast<int64_t>(in.shape(i).Leaves().size());
    if (leaves > kMaxTupleLeaves)
      return Expected(absl::StrCat("at most ", kMaxTupleLeaves, " arrays in a tuple"), "more");
    if (Depth(in.shape(i)) >= kMaxTupleDepth)
      return Expected(absl::StrCat("tuples nested at most ", kMaxTupleDepth, " deep"), "deeper");
    shapes.push_back(in.shape(i));
  }
  return Shape::Tuple(std::move(shapes));
}

absl::StatusOr<Shape> InferGetTupleElement(const InferenceInput& in) {
  ASTITCH_ASSIGN_OR_RETURN(const TupleIndexAttributes* attributes,
                           AttributesOf<TupleIndexAttributes>(in));
  const Shape& tuple = in.shape(0);
  if (!tuple.IsTuple())
    return Expected("a tuple for operand 0 of get-tuple-element", tuple.ToString(false));
  const int64_t size = static_cast<int64_t>(tuple.elements().size());
  if (attributes->index < 0 || attributes->index >= size)
    return Expected(absl::StrCat("an index below ", size), absl::StrCat(attributes->index));
  return tuple.elements()[attributes->index];
}

absl::StatusOr<Shape> InferWhile(const InferenceInput& in) {
  ASTITCH_RETURN_IF_ERROR(ExpectBodies(in, 2));
  return in.shape(0);
}

absl::StatusOr<Shape> InferConditional(const InferenceInput& in) {
  if (in.size() == 0) return Expected("a branch index of conditional", "no operands");
  const Shape& index = in.shape(0);
  const bool is_pred = index.IsScalar() && IsPred(index.element_type());
  if (!is_pred && !(index.IsScalar() && index.element_type() == ElementType::kS32))
    return Expected("pred[] or s32[] for operand 0 of conditional", index.ToString(false));
  if (is_pred) {
    ASTITCH_RETURN_IF_ERROR(ExpectLength("operands of conditional", in.size(), 3));
  }
  if (in.size() < 2) return Expected("a branch of conditional", "none");
  ASTITCH_RETURN_IF_ERROR(ExpectBodies(in, in.size() - 1));
  return in.called[0]->root()->shape();
}

absl::StatusOr<Shape> InferCall(const InferenceInput& in) {
  ASTITCH_RETURN_IF_ERROR(ExpectBodies(in, 1));
  return in.called[0]->root()->shape();
}

absl::StatusOr<Shape> InferAfterAll(const InferenceInput& in) {
  for (int64_t i = 0; i < in.size(); ++i) {
    if (!in.shape(i).IsToken())
      return Expected(absl::StrCat("a token for operand ", i, " of after-all"),
                      in.shape(i).ToString(false));
  }
  return Shape::Token();
}

absl::StatusOr<Shape> InferAddDependency(const InferenceInput& in) {
  if (!in.shape(1).IsToken())
    return Expected("a token for operand 1 of add-dependency", in.shape(1).ToString(false));
  return in.shape(0);
}

}  // namespace astitch
