// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Operations that move elements: which dimensions come out, and whether every element read exists.
#include <algorithm>
#include <numeric>
#include <optional>

#include "absl/strings/str_cat.h"
#include "base/checked_math.h"
#include "ir/shape_inference_families.h"

namespace astitch {
namespace {

absl::Status ExpectOneDim(const InferenceInput& in, absl::Span<const int64_t> dims) {
  ASTITCH_RETURN_IF_ERROR(ExpectLength("dimensions", static_cast<int64_t>(dims.size()), 1));
  return ExpectDistinctDims("dimensions", dims, in.shape(0).rank());
}

// The start indices from operand FIRST on: a scalar for each dimension of operand 0, or one vector
// with an entry for each; all of one integer type.
absl::Status ExpectStartIndices(const InferenceInput& in, int64_t first) {
  const int64_t rank = in.shape(0).rank();
  for (int64_t i = first; i < in.size(); ++i) ASTITCH_RETURN_IF_ERROR(ExpectIntegers(in, i));
  if (in.size() == first + 1 && in.shape(first).rank() == 1) {
    return ExpectDims(in, first, {rank});
  }
  ASTITCH_RETURN_IF_ERROR(ExpectLength("start indices", in.size() - first, rank));
  for (int64_t i = first; i < in.size(); ++i) {
    ASTITCH_RETURN_IF_ERROR(ExpectDims(in, i, {}));
    ASTITCH_RETURN_IF_ERROR(ExpectElementType(in, i, in.shape(first).element_type()));
  }
  return absl::OkStatus();
}

// low + n + max(n - 1, 0) * interior + high.
absl::StatusOr<int64_t> PaddedSize(int64_t n, const PadAttributes::Dim& pad) {
  if (pad.interior < 0)
    return Expected("interior padding of at least 0", absl::StrCat(pad.interior));
  const std::optional<int64_t> holes = CheckedMul(std::max<int64_t>(n - 1, 0), pad.interior);
  std::optional<int64_t> size = holes ? CheckedAdd(n, *holes) : std::nullopt;
  if (size) size = CheckedAdd(*size, pad.low);
  if (size) size = CheckedAdd(*size, pad.high);
  if (!size) return Expected("a padded size below 2^63", "an overflow");
  if (*size < 0) return Expected("a padded size of at least 0", absl::StrCat(*size));
  return *size;
}

}  // namespace

absl::StatusOr<Shape> InferTranspose(const InferenceInput& in) {
  ASTITCH_ASSIGN_OR_RETURN(const DimensionsAttributes* attributes,
                           AttributesOf<DimensionsAttributes>(in));
  ASTITCH_RETURN_IF_ERROR(ExpectArray(in, 0));
  const Shape& x = in.shape(0);
  const std::vector<int64_t>& permutation = attributes->dimensions;
  ASTITCH_RETURN_IF_ERROR(
      ExpectLength("dimensions", static_cast<int64_t>(permutation.size()), x.rank()));
  ASTITCH_RETURN_IF_ERROR(ExpectDistinctDims("dimensions", permutation, x.rank()));
  std::vector<int64_t> dims;
  for (int64_t from : permutation) dims.push_back(x.dim(from));
  return Shape::Array(x.element_type(), std::move(dims));
}

absl::StatusOr<Shape> InferReverse(const InferenceInput& in) {
  ASTITCH_ASSIGN_OR_RETURN(const DimensionsAttributes* attributes,
                           AttributesOf<DimensionsAttributes>(in));
  ASTITCH_RETURN_IF_ERROR(ExpectArray(in, 0));
  const Shape& x = in.shape(0);
  ASTITCH_RETURN_IF_ERROR(ExpectDistinctDims("dimensions", attributes->dimensions, x.rank()));
  return Shape::Array(x.element_type(), x.dims());
}

absl::StatusOr<Shape> InferConcatenate(const InferenceInput& in) {
  ASTITCH_ASSIGN_OR_RETURN(const DimensionsAttributes* attributes,
                           AttributesOf<DimensionsAttributes>(in));
  if (in.size() == 0) return Expected("an operand of concatenate", "none");
  ASTITCH_RETURN_IF_ERROR(ExpectArrays(in));
  ASTITCH_RETURN_IF_ERROR(ExpectOneDim(in, attributes->dimensions));
  const int64_t along = attributes->dimensions[0];
  ElementType type = in.shape(0).element_type();
  std::vector<int64_t> dims = in.shape(0).dims();
  for (int64_t i = 1; i < in.size(); ++i) {
    ASTITCH_RETURN_IF_ERROR(ExpectElementType(in, i, type));
    std::vector<int64_t> expected = in.shape(0).dims();
    if (in.shape(i).rank() == in.shape(0).rank()) expected[along] = in.shape(i).dim(along);
    ASTITCH_RETURN_IF_ERROR(ExpectDims(in, i, expected));
    const std::optional<int64_t> sum = CheckedAdd(dims[along], in.shape(i).dim(along));
    if (!sum) return Expected("a concatenated size below 2^63", "an overflow");
    dims[along] = *sum;
  }
  return Shape::Array(type, std::move(dims));
}

absl::StatusOr<Shape> InferSlice(const InferenceInput& in) {
  ASTITCH_ASSIGN_OR_RETURN(const SliceAttributes* slice, AttributesOf<SliceAttributes>(in));
  ASTITCH_RETURN_IF_ERROR(ExpectArray(in, 0));
  const Shape& x = in.shape(0);
  for (const std::vector<int64_t>* list : {&slice->starts, &slice->limits, &slice->strides}) {
    ASTITCH_RETURN_IF_ERROR(
        ExpectLength("slice ranges", static_cast<int64_t>(list->size()), x.rank()));
  }
  std::vector<int64_t> dims;
  for (int64_t d = 0; d < x.rank(); ++d) {
    const int64_t start = slice->starts[d], limit = slice->limits[d], stride = slice->strides[d];
    if (start < 0 || start > limit || limit > x.dim(d) || stride < 1)
      return Expected(absl::StrCat("0 <= start <= limit <= ", x.dim(d), " and stride >= 1"),
                      absl::StrCat("[", start, ":", limit, ":", stride, "] for dimension ", d));
    dims.push_back(CeilDiv(limit - start, stride));
  }
  return Shape::Array(x.element_type(), std::move(dims));
}

absl::StatusOr<Shape> InferPad(const InferenceInput& in) {
  ASTITCH_ASSIGN_OR_RETURN(const PadAttributes* padding, AttributesOf<PadAttributes>(in));
  ASTITCH_RETURN_IF_ERROR(ExpectArrays(in));
  const Shape& x = in.shape(0);
  ASTITCH_RETURN_IF_ERROR(ExpectDims(in, 1, {}));
  ASTITCH_RETURN_IF_ERROR(ExpectElementType(in, 1, x.element_type()));
  ASTITCH_RETURN_IF_ERROR(
      ExpectLength("padding groups", static_cast<int64_t>(padding->dims.size()), x.rank()));
  std::vector<int64_t> dims;
  for (int64_t d = 0; d < x.rank(); ++d) {
    ASTITCH_ASSIGN_OR_RETURN(const int64_t size, PaddedSize(x.dim(d), padding->dims[d]));
    dims.push_back(size);
  }
  return Shape::Array(x.element_type(), std::move(dims));
}

absl::StatusOr<Shape> InferDynamicSlice(const InferenceInput& in) {
  ASTITCH_ASSIGN_OR_RETURN(const DynamicSliceAttributes* attributes,
                           AttributesOf<DynamicSliceAttributes>(in));
  if (in.size() == 0) return Expected("an operand of dynamic-slice", "none");
  ASTITCH_RETURN_IF_ERROR(ExpectArray(in, 0));
  ASTITCH_RETURN_IF_ERROR(ExpectStartIndices(in, 1));
  const Shape& x = in.shape(0);
  const std::vector<int64_t>& sizes = attributes->sizes;
  ASTITCH_RETURN_IF_ERROR(
      ExpectLength("dynamic_slice_sizes", static_cast<int64_t>(sizes.size()), x.rank()));
  for (int64_t d = 0; d < x.rank(); ++d) {
    if (sizes[d] < 0 || sizes[d] > x.dim(d))
      return Expected(absl::StrCat("dynamic_slice_sizes within ", DimsText(x.dims())),
                      ListText(sizes));
  }
  return Shape::Array(x.element_type(), sizes);
}

absl::StatusOr<Shape> InferDynamicUpdateSlice(const InferenceInput& in) {
  if (in.size() < 2)
    return Expected("an array and an update", absl::StrCat(in.size(), " operands"));
  ASTITCH_RETURN_IF_ERROR(ExpectArray(in, 0));
  const Shape& x = in.shape(0);
  ASTITCH_RETURN_IF_ERROR(ExpectElementType(in, 1, x.element_type()));
  ASTITCH_RETURN_IF_ERROR(ExpectStartIndices(in, 2));
  const Shape& update = in.shape(1);
  bool fits = update.rank() == x.rank();
  for (int64_t d = 0; fits && d < x.rank(); ++d) fits = update.dim(d) <= x.dim(d);
  if (!fits)
    return Expected(absl::StrCat("an update that fits into ", x.ToString(false)),
                    update.ToString(false));
  return Shape::Array(x.element_type(), x.dims());
}

absl::StatusOr<Shape> InferGetDimensionSize(const InferenceInput& in) {
  ASTITCH_ASSIGN_OR_RETURN(const DimensionsAttributes* attributes,
                           AttributesOf<DimensionsAttributes>(in));
  ASTITCH_RETURN_IF_ERROR(ExpectArray(in, 0));
  ASTITCH_RETURN_IF_ERROR(ExpectOneDim(in, attributes->dimensions));
  return Shape::Scalar(ElementType::kS32);
}

absl::StatusOr<Shape> InferSetDimensionSize(const InferenceInput& in) {
  ASTITCH_ASSIGN_OR_RETURN(const DimensionsAttributes* attributes,
                           AttributesOf<DimensionsAttributes>(in));
  ASTITCH_RETURN_IF_ERROR(ExpectArrays(in));
  ASTITCH_RETURN_IF_ERROR(ExpectOneDim(in, attributes->dimensions));
  ASTITCH_RETURN_IF_ERROR(ExpectDims(in, 1, {}));
  ASTITCH_RETURN_IF_ERROR(ExpectElementType(in, 1, ElementType::kS32));
  Shape result = in.shape(0);
  result.set_dynamic(attributes->dimensions[0]);
  return result;
}

}  // namespace astitch
