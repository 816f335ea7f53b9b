// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Sorting, Fourier transforms and linear algebra.
#include "absl/strings/str_cat.h"
#include "ir/shape_inference_families.h"

namespace astitch {
namespace {

// Operand I is a batch of square matrices of floats or complex numbers.
absl::Status ExpectSquareMatrices(const InferenceInput& in, int64_t i) {
  ASTITCH_RETURN_IF_ERROR(ExpectArray(in, i));
  const Shape& a = in.shape(i);
  const bool square = a.rank() >= 2 && a.dim(a.rank() - 1) == a.dim(a.rank() - 2);
  if (square && (IsFloat(a.element_type()) || IsComplex(a.element_type()))) return absl::OkStatus();
  return Expected(
      absl::StrCat("square matrices of floats for operand ", i, " of ", ToString(in.opcode)),
      a.ToString(false));
}

absl::StatusOr<ElementType> FftResultType(FftType kind, ElementType in) {
  if (kind == FftType::kRfft) {
    if (in == ElementType::kF32) return ElementType::kC64;
    if (in == ElementType::kF64) return ElementType::kC128;
    return Expected("f32 or f64 elements for RFFT", ToString(in));
  }
  if (!IsComplex(in)) return Expected("complex elements for fft", ToString(in));
  if (kind != FftType::kIrfft) return in;
  return PartType(in);
}

}  // namespace

absl::StatusOr<Shape> InferSort(const InferenceInput& in) {
  ASTITCH_ASSIGN_OR_RETURN(const SortAttributes* sort, AttributesOf<SortAttributes>(in));
  if (in.size() == 0) return Expected("an operand of sort", "none");
  ASTITCH_RETURN_IF_ERROR(ExpectArrays(in));
  const Shape& x = in.shape(0);
  ASTITCH_RETURN_IF_ERROR(ExpectDistinctDims("dimensions", {sort->dimension}, x.rank()));
  std::vector<Shape> shapes;
  for (int64_t i = 0; i < in.size(); ++i) {
    ASTITCH_RETURN_IF_ERROR(ExpectDims(in, i, x.dims()));
    shapes.push_back(Shape::Array(in.shape(i).element_type(), x.dims()));
  }
  return in.size() == 1 ? shapes[0] : Shape::Tuple(std::move(shapes));
}

absl::StatusOr<Shape> InferTopK(const InferenceInput& in) {
  ASTITCH_ASSIGN_OR_RETURN(const TopKAttributes* topk, AttributesOf<TopKAttributes>(in));
  ASTITCH_RETURN_IF_ERROR(ExpectArray(in, 0));
  const Shape& x = in.shape(0);
  if (x.rank() < 1) return Expected("rank 1 or more for operand 0 of topk", x.ToString(false));
  std::vector<int64_t> dims = x.dims();
  if (topk->k < 0 || topk->k > dims.back())
    return Expected(absl::StrCat("k from 0 to ", dims.back()), absl::StrCat(topk->k));
  dims.back() = topk->k;
  return Shape::Tuple(
      {Shape::Array(x.element_type(), dims), Shape::Array(ElementType::kS32, dims)});
}

absl::StatusOr<Shape> InferFft(const InferenceInput& in) {
  ASTITCH_ASSIGN_OR_RETURN(const FftAttributes* fft, AttributesOf<FftAttributes>(in));
  ASTITCH_RETURN_IF_ERROR(ExpectArray(in, 0));
  const Shape& x = in.shape(0);
  ASTITCH_ASSIGN_OR_RETURN(const ElementType type, FftResultType(fft->type, x.element_type()));
  const int64_t n = static_cast<int64_t>(fft->lengths.size());
  if (n < 1 || n > 3 || n > x.rank())
    return Expected(absl::StrCat("1 to 3 fft lengths, at most ", x.rank()), absl::StrCat(n));
  std::vector<int64_t> dims = x.dims();
  for (int64_t i = 0; i < n; ++i) {
    const int64_t d = x.rank() - n + i, length = fft->lengths[i];
    if (length < 1) return Expected("fft lengths of at least 1", ListText(fft->lengths));
    const bool halved = fft->type == FftType::kIrfft && i == n - 1;
    if (dims[d] != (halved ? length / 2 + 1 : length))
      return Expected(absl::StrCat("last dimensions that fit fft_length ", ListText(fft->lengths)),
                      x.ToString(false));
  }
  if (fft->type == FftType::kRfft) dims.back() = fft->lengths.back() / 2 + 1;
  if (fft->type == FftType::kIrfft) dims.back() = fft->lengths.back();
  return Shape::Array(type, std::move(dims));
}

absl::StatusOr<Shape> InferCholesky(const InferenceInput& in) {
  ASTITCH_RETURN_IF_ERROR(ExpectSquareMatrices(in, 0));
  return Shape::Array(in.shape(0).element_type(), in.shape(0).dims());
}

absl::StatusOr<Shape> InferTriangularSolve(const InferenceInput& in) {
  ASTITCH_ASSIGN_OR_RETURN(const TriangularSolveAttributes* solve,
                           AttributesOf<TriangularSolveAttributes>(in));
  ASTITCH_RETURN_IF_ERROR(ExpectSquareMatrices(in, 0));
  const Shape& a = in.shape(0);
  ASTITCH_RETURN_IF_ERROR(ExpectElementType(in, 1, a.element_type()));
  const Shape& b = in.shape(1);
  std::vector<int64_t> expected = a.dims();
  const int64_t free = solve->left_side ? a.rank() - 1 : a.rank() - 2;
  if (b.rank() == a.rank()) expected[free] = b.dim(free);
  ASTITCH_RETURN_IF_ERROR(ExpectDims(in, 1, expected));
  return Shape::Array(b.element_type(), b.dims());
}

}  // namespace astitch
