// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Operations that fold elements. The body's result decides the element types; whether the body's
// parameters fit is the verifier's question (called_signatures).
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "ir/shape_inference_families.h"
#include "ir/window.h"

namespace astitch {
namespace {

// N arrays of the same dims followed by N scalar start values.
absl::StatusOr<int64_t> CheckArraysAndInits(const InferenceInput& in) {
  if (in.size() == 0 || in.size() % 2 != 0)
    return Expected("as many start values as arrays", absl::StrCat(in.size(), " operands"));
  ASTITCH_RETURN_IF_ERROR(ExpectArrays(in));
  const int64_t n = in.size() / 2;
  for (int64_t i = 0; i < n; ++i) {
    ASTITCH_RETURN_IF_ERROR(ExpectDims(in, i, in.shape(0).dims()));
    ASTITCH_RETURN_IF_ERROR(ExpectDims(in, n + i, {}));
  }
  return n;
}

// The element types of the body's result, which the start values share. An array narrower than its
// accumulator is widened when read, so only its kind has to fit.
absl::StatusOr<std::vector<ElementType>> AccumulatorTypes(const InferenceInput& in, int64_t n) {
  const Shape& result = in.called[0]->root()->shape();
  std::vector<ElementType> types;
  for (const Shape* leaf : result.Leaves()) {
    if (!leaf->IsScalar())
      return Expected(absl::StrCat(n, " scalars from the body of ", ToString(in.opcode)),
                      result.ToString(false));
    types.push_back(leaf->element_type());
  }
  if (static_cast<int64_t>(types.size()) != n)
    return Expected(absl::StrCat(n, " scalars from the body of ", ToString(in.opcode)),
                    result.ToString(false));
  for (int64_t i = 0; i < n; ++i) {
    ASTITCH_RETURN_IF_ERROR(ExpectElementType(in, n + i, types[i]));
    const ElementType array = in.shape(i).element_type();
    const bool widened =
        IsFloat(array) && IsFloat(types[i]) && BitWidth(array) < BitWidth(types[i]);
    if (!widened) {
      ASTITCH_RETURN_IF_ERROR(ExpectElementType(in, i, types[i]));
    }
  }
  return types;
}

// One array when the body returns a bare scalar, a tuple otherwise.
Shape FoldedShape(const InferenceInput& in, const std::vector<ElementType>& types,
                  const std::vector<int64_t>& dims) {
  std::vector<Shape> shapes;
  for (ElementType type : types) shapes.push_back(Shape::Array(type, dims));
  return in.called[0]->root()->shape().IsTuple() ? Shape::Tuple(std::move(shapes)) : shapes[0];
}

absl::StatusOr<std::vector<int64_t>> WindowedDims(const Shape& base, const Window& window) {
  ASTITCH_RETURN_IF_ERROR(
      ExpectLength("window dimensions", static_cast<int64_t>(window.size()), base.rank()));
  std::vector<int64_t> dims;
  for (int64_t d = 0; d < base.rank(); ++d) {
    ASTITCH_ASSIGN_OR_RETURN(const int64_t size, WindowOutputSize(base.dim(d), window[d]));
    dims.push_back(size);
  }
  return dims;
}

}  // namespace

absl::StatusOr<Shape> InferReduce(const InferenceInput& in) {
  ASTITCH_ASSIGN_OR_RETURN(const DimensionsAttributes* attributes,
                           AttributesOf<DimensionsAttributes>(in));
  ASTITCH_ASSIGN_OR_RETURN(const int64_t n, CheckArraysAndInits(in));
  ASTITCH_RETURN_IF_ERROR(ExpectBodies(in, 1));
  const Shape& x = in.shape(0);
  ASTITCH_RETURN_IF_ERROR(ExpectDistinctDims("dimensions", attributes->dimensions, x.rank()));
  ASTITCH_ASSIGN_OR_RETURN(const std::vector<ElementType> types, AccumulatorTypes(in, n));
  std::vector<bool> reduced(x.rank(), false);
  for (int64_t d : attributes->dimensions) reduced[d] = true;
  std::vector<int64_t> dims;
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (!reduced[d]) dims.push_back(x.dim(d));
  }
  return FoldedShape(in, types, dims);
}

absl::StatusOr<Shape> InferReduceWindow(const InferenceInput& in) {
  ASTITCH_ASSIGN_OR_RETURN(const WindowAttributes* attributes, AttributesOf<WindowAttributes>(in));
  ASTITCH_ASSIGN_OR_RETURN(const int64_t n, CheckArraysAndInits(in));
  ASTITCH_RETURN_IF_ERROR(ExpectBodies(in, 1));
  ASTITCH_ASSIGN_OR_RETURN(const std::vector<ElementType> types, AccumulatorTypes(in, n));
  ASTITCH_ASSIGN_OR_RETURN(const std::vector<int64_t> dims,
                           WindowedDims(in.shape(0), attributes->window));
  return FoldedShape(in, types, dims);
}

absl::StatusOr<Shape> InferSelectAndScatter(const InferenceInput& in) {
  ASTITCH_ASSIGN_OR_RETURN(const WindowAttributes* attributes, AttributesOf<WindowAttributes>(in));
  ASTITCH_RETURN_IF_ERROR(ExpectArrays(in));
  ASTITCH_RETURN_IF_ERROR(ExpectBodies(in, 2));
  const Shape& x = in.shape(0);
  ASTITCH_ASSIGN_OR_RETURN(const std::vector<int64_t> dims, WindowedDims(x, attributes->window));
  ASTITCH_RETURN_IF_ERROR(ExpectDims(in, 1, dims));
  ASTITCH_RETURN_IF_ERROR(ExpectDims(in, 2, {}));
  ASTITCH_RETURN_IF_ERROR(ExpectElementType(in, 1, x.element_type()));
  ASTITCH_RETURN_IF_ERROR(ExpectElementType(in, 2, x.element_type()));
  return Shape::Array(x.element_type(), x.dims());
}

absl::StatusOr<Shape> InferMap(const InferenceInput& in) {
  ASTITCH_ASSIGN_OR_RETURN(const DimensionsAttributes* attributes,
                           AttributesOf<DimensionsAttributes>(in));
  if (in.size() == 0) return Expected("an operand of map", "none");
  ASTITCH_RETURN_IF_ERROR(ExpectArrays(in));
  ASTITCH_RETURN_IF_ERROR(ExpectBodies(in, 1));
  const Shape& x = in.shape(0);
  for (int64_t i = 1; i < in.size(); ++i) ASTITCH_RETURN_IF_ERROR(ExpectDims(in, i, x.dims()));
  const std::vector<int64_t>& dims = attributes->dimensions;
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] != static_cast<int64_t>(d) || static_cast<int64_t>(dims.size()) != x.rank())
      return Expected(absl::StrCat("dimensions 0 to ", x.rank() - 1, " in order"), ListText(dims));
  }
  const Shape& result = in.called[0]->root()->shape();
  if (!result.IsScalar()) return Expected("a scalar from the body of map", result.ToString(false));
  return Shape::Array(result.element_type(), x.dims());
}

absl::StatusOr<Shape> InferScan(const InferenceInput& in) {
  ASTITCH_ASSIGN_OR_RETURN(const ScanAttributes* scan, AttributesOf<ScanAttributes>(in));
  ASTITCH_RETURN_IF_ERROR(ExpectBodies(in, 1));
  const int64_t num_inputs = in.size() - scan->num_carries;
  if (scan->num_carries < 0 || num_inputs < 1)
    return Expected(absl::StrCat("inputs before ", scan->num_carries, " carries"),
                    absl::StrCat(in.size(), " operands"));
  for (int64_t i = 0; i < num_inputs; ++i) {
    ASTITCH_RETURN_IF_ERROR(ExpectArray(in, i));
    ASTITCH_RETURN_IF_ERROR(
        ExpectDistinctDims("dimensions", {scan->dimension}, in.shape(i).rank()));
    if (in.shape(i).dim(scan->dimension) != in.shape(0).dim(scan->dimension))
      return Expected("inputs of one size along the scan", in.shape(i).ToString(false));
  }
  const Shape& result = in.called[0]->root()->shape();
  if (!result.IsTuple() || static_cast<int64_t>(result.elements().size()) < scan->num_carries)
    return Expected("a tuple of output slices and carries from the body of scan",
                    result.ToString(false));
  std::vector<Shape> shapes = result.elements();
  const int64_t num_outputs = static_cast<int64_t>(shapes.size()) - scan->num_carries;
  for (int64_t i = 0; i < num_outputs; ++i) {
    if (!shapes[i].IsArray() || shapes[i].rank() < scan->dimension)
      return Expected(absl::StrCat("an output slice of rank ", scan->dimension, " or more"),
                      shapes[i].ToString(false));
    std::vector<int64_t> dims = shapes[i].dims();
    dims.insert(dims.begin() + scan->dimension, in.shape(0).dim(scan->dimension));
    shapes[i] = Shape::Array(shapes[i].element_type(), std::move(dims));
  }
  return Shape::Tuple(std::move(shapes));
}

absl::StatusOr<Shape> InferBatchNorm(const InferenceInput& in) {
  ASTITCH_ASSIGN_OR_RETURN(const BatchNormAttributes* attributes,
                           AttributesOf<BatchNormAttributes>(in));
  ASTITCH_RETURN_IF_ERROR(ExpectArrays(in));
  const Shape& x = in.shape(0);
  ASTITCH_RETURN_IF_ERROR(
      ExpectDistinctDims("feature_index", {attributes->feature_index}, x.rank()));
  if (!IsFloat(x.element_type()))
    return Expected(absl::StrCat("float elements for ", ToString(in.opcode)), x.ToString(false));
  const int64_t features = x.dim(attributes->feature_index);
  const bool is_grad = in.opcode == Opcode::kBatchNormGrad;
  for (int64_t i = 1; i < in.size(); ++i) {
    if (is_grad && i == 4) {
      ASTITCH_RETURN_IF_ERROR(ExpectDims(in, i, x.dims()));
    } else {
      ASTITCH_RETURN_IF_ERROR(ExpectDims(in, i, {features}));
    }
    ASTITCH_RETURN_IF_ERROR(
        ExpectElementType(in, i, in.shape(is_grad && i == 4 ? 0 : 1).element_type()));
  }
  const Shape same = Shape::Array(x.element_type(), x.dims());
  if (in.opcode == Opcode::kBatchNormInference) return same;
  const Shape statistics = Shape::Array(in.shape(1).element_type(), {features});
  return Shape::Tuple({same, statistics, statistics});
}

}  // namespace astitch
