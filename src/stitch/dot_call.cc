// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Collapses groups of dimensions into one extent and one stride where memory allows.
#include "stitch/dot_call.h"

#include <algorithm>

#include "stitch/dim_atoms.h"

namespace astitch {
namespace {

std::vector<int64_t> FreeDims(const Shape& shape, const std::vector<int64_t>& batch,
                              const std::vector<int64_t>& contracting) {
  std::vector<int64_t> free;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    const bool taken = std::find(batch.begin(), batch.end(), d) != batch.end() ||
                       std::find(contracting.begin(), contracting.end(), d) != contracting.end();
    if (!taken) free.push_back(d);
  }
  return free;
}

int64_t Product(const Shape& shape, const std::vector<int64_t>& dims) {
  int64_t product = 1;
  for (int64_t d : dims) product *= shape.dim(d);
  return product;
}

// Appends the stride of DIMS as one dimension; false when they have none.
bool AppendStride(const Shape& shape, const std::vector<int64_t>& dims,
                  const std::vector<int64_t>& strides, std::vector<int64_t>& out) {
  std::vector<int64_t> extents, theirs;
  for (int64_t d : dims) {
    extents.push_back(shape.dim(d));
    theirs.push_back(strides[d]);
  }
  const std::optional<int64_t> one = OneStride(extents, theirs);
  if (one.has_value()) out.push_back(*one);
  return one.has_value();
}

// VIEW of an array of SHAPE as batch..., one, two.
bool AsMatrix(const Shape& shape, const DotView& view, const std::vector<int64_t>& batch,
              const std::vector<int64_t>& one, const std::vector<int64_t>& two,
              StridedOperand& out) {
  out = {view.value, {}};
  for (int64_t d : batch) out.strides.push_back(view.strides[d]);
  return AppendStride(shape, one, view.strides, out.strides) &&
         AppendStride(shape, two, view.strides, out.strides);
}

DotView Dense(const Instruction* value) { return {value, RowMajorStrides(value->shape())}; }

}  // namespace

DotDims::DotDims(const Instruction& dot)
    : dot_(dot),
      attributes_(dot.as<DotAttributes>()),
      lhs_free_(
          FreeDims(dot.operand(0)->shape(), attributes_.lhs_batch, attributes_.lhs_contracting)),
      rhs_free_(
          FreeDims(dot.operand(1)->shape(), attributes_.rhs_batch, attributes_.rhs_contracting)) {
  int64_t d = 0;
  while (d < static_cast<int64_t>(attributes_.lhs_batch.size())) out_batch_.push_back(d++);
  for (size_t i = 0; i < lhs_free_.size(); ++i) out_m_.push_back(d++);
  for (size_t i = 0; i < rhs_free_.size(); ++i) out_n_.push_back(d++);
}

bool DotDims::SetLhs(const DotView& view, StridedOperand& out) const {
  return AsMatrix(dot_.operand(0)->shape(), view, attributes_.lhs_batch, lhs_free_,
                  attributes_.lhs_contracting, out);
}

bool DotDims::SetRhs(const DotView& view, StridedOperand& out) const {
  return AsMatrix(dot_.operand(1)->shape(), view, attributes_.rhs_batch,
                  attributes_.rhs_contracting, rhs_free_, out);
}

bool DotDims::SetOut(const DotView& view, StridedOperand& out) const {
  return AsMatrix(dot_.shape(), view, out_batch_, out_m_, out_n_, out);
}

absl::StatusOr<DotCall> DotDims::DenseCall() const {
  const Shape& lhs = dot_.operand(0)->shape();
  DotCall call;
  call.dot = &dot_;
  for (int64_t d : out_batch_) call.batch.push_back(dot_.shape().dim(d));
  call.m = Product(lhs, lhs_free_);
  call.n = Product(dot_.operand(1)->shape(), rhs_free_);
  call.k = Product(lhs, attributes_.lhs_contracting);
  if (!SetLhs(Dense(dot_.operand(0)), call.lhs) || !SetRhs(Dense(dot_.operand(1)), call.rhs) ||
      !SetOut(Dense(&dot_), call.out)) {
    return ErrorAt(dot_, "the dimensions of an operand do not collapse into a strided matrix");
  }
  return call;
}

absl::StatusOr<DotCall> MakeDotCall(const Instruction& dot) { return DotDims(dot).DenseCall(); }

}  // namespace astitch
