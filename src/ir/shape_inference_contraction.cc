// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// dot and its relatives, and convolution. The element type inferred is the operands'; a wider
// printed one is the user's choice and the verifier lets it stand.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "ir/convolution_dims.h"
#include "ir/shape_inference_families.h"
#include "ir/window.h"

namespace astitch {
namespace {

bool Contains(const std::vector<int64_t>& list, int64_t d) {
  return std::find(list.begin(), list.end(), d) != list.end();
}

// Like CommonType; two floats of one width (f8e4m3fn with f8e5m2) take the left one's.
absl::StatusOr<ElementType> ProductType(const InferenceInput& in, int64_t l, int64_t r) {
  const ElementType a = in.shape(l).element_type(), b = in.shape(r).element_type();
  if (IsFloat(a) && IsFloat(b) && BitWidth(a) == BitWidth(b)) return a;
  return CommonType(in, l, r);
}

// Batch and contracting dims of one side are distinct dims of it.
absl::Status CheckSide(absl::string_view side, const std::vector<int64_t>& batch,
                       const std::vector<int64_t>& contracting, int64_t rank) {
  std::vector<int64_t> all = batch;
  all.insert(all.end(), contracting.begin(), contracting.end());
  return ExpectDistinctDims(absl::StrCat(side, " batch and contracting dims"), all, rank);
}

absl::Status CheckPairs(absl::string_view what, const Shape& lhs, const std::vector<int64_t>& l,
                        const Shape& rhs, const std::vector<int64_t>& r) {
  ASTITCH_RETURN_IF_ERROR(ExpectLength(absl::StrCat("rhs ", what, " dims"),
                                       static_cast<int64_t>(r.size()),
                                       static_cast<int64_t>(l.size())));
  for (size_t i = 0; i < l.size(); ++i) {
    if (lhs.dim(l[i]) != rhs.dim(r[i]))
      return Expected(absl::StrCat("equal sizes of ", what, " dims ", l[i], " and ", r[i]),
                      absl::StrCat(lhs.ToString(false), " and ", rhs.ToString(false)));
  }
  return absl::OkStatus();
}

absl::Status CheckDotLists(const DotAttributes& dot, const Shape& lhs, const Shape& rhs) {
  ASTITCH_RETURN_IF_ERROR(CheckSide("lhs", dot.lhs_batch, dot.lhs_contracting, lhs.rank()));
  ASTITCH_RETURN_IF_ERROR(CheckSide("rhs", dot.rhs_batch, dot.rhs_contracting, rhs.rank()));
  ASTITCH_RETURN_IF_ERROR(CheckPairs("batch", lhs, dot.lhs_batch, rhs, dot.rhs_batch));
  return CheckPairs("contracting", lhs, dot.lhs_contracting, rhs, dot.rhs_contracting);
}

// Batch dims, lhs free dims, rhs free dims. DROPPED_RHS are further dims of rhs that vanish.
std::vector<int64_t> ProductDims(const DotAttributes& dot, const Shape& lhs, const Shape& rhs,
                                 const std::vector<int64_t>& dropped_rhs) {
  std::vector<int64_t> dims;
  for (int64_t d : dot.lhs_batch) dims.push_back(lhs.dim(d));
  for (int64_t d = 0; d < lhs.rank(); ++d) {
    if (!Contains(dot.lhs_batch, d) && !Contains(dot.lhs_contracting, d))
      dims.push_back(lhs.dim(d));
  }
  for (int64_t d = 0; d < rhs.rank(); ++d) {
    if (!Contains(dot.rhs_batch, d) && !Contains(dot.rhs_contracting, d) &&
        !Contains(dropped_rhs, d))
      dims.push_back(rhs.dim(d));
  }
  return dims;
}

absl::StatusOr<Shape> DotOf(const InferenceInput& in, const DotAttributes& dot, int64_t l,
                            int64_t r) {
  ASTITCH_RETURN_IF_ERROR(CheckDotLists(dot, in.shape(l), in.shape(r)));
  ASTITCH_ASSIGN_OR_RETURN(const ElementType type, ProductType(in, l, r));
  return Shape::Array(type, ProductDims(dot, in.shape(l), in.shape(r), {}));
}

// A scale has its data's rank, and each of its dims divides the data's.
absl::Status CheckScale(const InferenceInput& in, int64_t data, int64_t scale) {
  const Shape &x = in.shape(data), &s = in.shape(scale);
  bool fits = s.rank() == x.rank() || s.rank() == 0;
  for (int64_t d = 0; fits && d < s.rank(); ++d)
    fits = s.dim(d) > 0 ? x.dim(d) % s.dim(d) == 0 : x.dim(d) == 0;
  if (fits) return absl::OkStatus();
  return Expected(absl::StrCat("a scale whose dimensions divide ", x.ToString(false)),
                  s.ToString(false));
}

absl::Status CheckGroups(const ConvolutionAttributes& conv, const ConvolutionDims& dims,
                         const Shape& lhs, const Shape& rhs) {
  const int64_t g = conv.feature_group_count, b = conv.batch_group_count;
  if (g < 1 || b < 1 || (g > 1 && b > 1))
    return Expected("group counts of at least 1, of which one is 1",
                    absl::StrCat("feature ", g, " and batch ", b));
  const int64_t features = lhs.dim(dims.lhs_feature), inputs = rhs.dim(dims.rhs_input_feature);
  if (features % g != 0 || features / g != inputs)
    return Expected(absl::StrCat(features, " input features in ", g, " groups"),
                    absl::StrCat(inputs, " in the kernel"));
  const int64_t outputs = rhs.dim(dims.rhs_output_feature);
  if (outputs % g != 0 || outputs % b != 0)
    return Expected(absl::StrCat("output features divisible by ", std::max(g, b)),
                    absl::StrCat(outputs));
  if (lhs.dim(dims.lhs_batch) % b != 0)
    return Expected(absl::StrCat("a batch divisible by ", b),
                    absl::StrCat(lhs.dim(dims.lhs_batch)));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Shape> InferDot(const InferenceInput& in) {
  ASTITCH_ASSIGN_OR_RETURN(const DotAttributes* dot, AttributesOf<DotAttributes>(in));
  ASTITCH_RETURN_IF_ERROR(ExpectArrays(in));
  return DotOf(in, *dot, 0, 1);
}

absl::StatusOr<Shape> InferRaggedDot(const InferenceInput& in) {
  ASTITCH_ASSIGN_OR_RETURN(const DotAttributes* dot, AttributesOf<DotAttributes>(in));
  ASTITCH_RETURN_IF_ERROR(ExpectArrays(in));
  ASTITCH_RETURN_IF_ERROR(ExpectIntegers(in, 2));
  const Shape &lhs = in.shape(0), &rhs = in.shape(1), &sizes = in.shape(2);
  ASTITCH_RETURN_IF_ERROR(CheckDotLists(*dot, lhs, rhs));
  ASTITCH_ASSIGN_OR_RETURN(const ElementType type, ProductType(in, 0, 1));
  ASTITCH_RETURN_IF_ERROR(
      ExpectLength("lhs_ragged_dims", static_cast<int64_t>(dot->lhs_ragged.size()), 1));
  ASTITCH_RETURN_IF_ERROR(ExpectDistinctDims("lhs_ragged_dims", dot->lhs_ragged, lhs.rank()));
  if (sizes.rank() < 1) return Expected("group sizes of rank 1 or more", sizes.ToString(false));
  const int64_t ragged = dot->lhs_ragged[0], num_groups = sizes.dims().back();
  const bool contracting = Contains(dot->lhs_contracting, ragged);
  const bool in_batch = Contains(dot->lhs_batch, ragged);
  ASTITCH_RETURN_IF_ERROR(ExpectLength("rhs_group_dims",
                                       static_cast<int64_t>(dot->rhs_group.size()),
                                       contracting || in_batch ? 0 : 1));
  ASTITCH_RETURN_IF_ERROR(ExpectDistinctDims("rhs_group_dims", dot->rhs_group, rhs.rank()));
  for (int64_t d : dot->rhs_group) {
    if (Contains(dot->rhs_batch, d) || Contains(dot->rhs_contracting, d))
      return Expected("rhs_group_dims apart from batch and contracting dims",
                      ListText(dot->rhs_group));
    if (rhs.dim(d) != num_groups)
      return Expected(absl::StrCat(num_groups, " groups in rhs"), rhs.ToString(false));
  }
  std::vector<int64_t> dims = ProductDims(*dot, lhs, rhs, dot->rhs_group);
  if (contracting) dims.insert(dims.begin(), num_groups);
  return Shape::Array(type, std::move(dims));
}

absl::StatusOr<Shape> InferScaledDot(const InferenceInput& in) {
  ASTITCH_ASSIGN_OR_RETURN(const DotAttributes* dot, AttributesOf<DotAttributes>(in));
  ASTITCH_RETURN_IF_ERROR(ExpectArrays(in));
  // Today's order is lhs, rhs and their scales; the first version had each scale after its data.
  const absl::StatusOr<Shape> today = DotOf(in, *dot, 0, 1);
  if (today.ok() && CheckScale(in, 0, 2).ok() && CheckScale(in, 1, 3).ok()) return today;
  const absl::StatusOr<Shape> first = DotOf(in, *dot, 0, 2);
  if (first.ok() && CheckScale(in, 0, 1).ok() && CheckScale(in, 2, 3).ok()) return first;
  if (!today.ok()) return today;
  ASTITCH_RETURN_IF_ERROR(CheckScale(in, 0, 2));
  return CheckScale(in, 1, 3);
}

absl::StatusOr<Shape> InferConvolution(const InferenceInput& in) {
  ASTITCH_ASSIGN_OR_RETURN(const ConvolutionAttributes* conv,
                           AttributesOf<ConvolutionAttributes>(in));
  if (in.size() != 2) return Expected("2 operands of convolution", absl::StrCat(in.size()));
  ASTITCH_RETURN_IF_ERROR(ExpectArrays(in));
  ASTITCH_ASSIGN_OR_RETURN(const ConvolutionDims dims, ParseConvolutionDims(conv->dim_labels));
  const Shape &lhs = in.shape(0), &rhs = in.shape(1);
  const int64_t rank = dims.num_spatial() + 2;
  for (int64_t i : {0, 1}) {
    ASTITCH_RETURN_IF_ERROR(ExpectLength(
        absl::StrCat("dimensions of operand ", i, " by dim_labels"), in.shape(i).rank(), rank));
  }
  ASTITCH_RETURN_IF_ERROR(ExpectLength(
      "window dimensions", static_cast<int64_t>(conv->window.size()), dims.num_spatial()));
  ASTITCH_RETURN_IF_ERROR(CheckGroups(*conv, dims, lhs, rhs));
  ASTITCH_ASSIGN_OR_RETURN(const ElementType type, ProductType(in, 0, 1));
  std::vector<int64_t> out(rank);
  out[dims.out_batch] = lhs.dim(dims.lhs_batch) / conv->batch_group_count;
  out[dims.out_feature] = rhs.dim(dims.rhs_output_feature);
  for (int64_t s = 0; s < dims.num_spatial(); ++s) {
    const int64_t kernel = rhs.dim(dims.rhs_spatial[s]);
    WindowDim window = conv->window[s];
    if (window.size != kernel)
      return Expected(absl::StrCat("window size ", kernel, " as the kernel has"),
                      absl::StrCat(window.size));
    ASTITCH_ASSIGN_OR_RETURN(out[dims.out_spatial[s]],
                             WindowOutputSize(lhs.dim(dims.lhs_spatial[s]), window));
  }
  return Shape::Array(type, std::move(out));
}

}  // namespace astitch
