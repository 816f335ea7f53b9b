// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Collapses groups of dimensions into one extent and one stride where memory allows.
#include "stitch/dot_call.h"

#include <algorithm>

#include "stitch/dim_atoms.h"

namespace astitch {
namespace {

constexpr int64_t kNone = -1;

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
  for (int64_t d : batch) out.strides.push_back(d == kNone ? 0 : view.strides[d]);
  return AppendStride(shape, one, view.strides, out.strides) &&
         AppendStride(shape, two, view.strides, out.strides);
}

}  // namespace

DotView Dense(const Instruction* value) { return {value, RowMajorStrides(value->shape())}; }

DotDims::DotDims(const Instruction& dot) : dot_(&dot) {
  const auto& attributes = dot.as<DotAttributes>();
  batch_[0] = attributes.lhs_batch, batch_[1] = attributes.rhs_batch;
  contracted_[0] = attributes.lhs_contracting, contracted_[1] = attributes.rhs_contracting;
  int64_t d = 0;
  while (d < static_cast<int64_t>(batch_[0].size())) out_batch_.push_back(d++);
  for (int64_t k : {0, 1}) {
    free_[k] = FreeDims(dot.operand(k)->shape(), batch_[k], contracted_[k]);
    for (size_t i = 0; i < free_[k].size(); ++i) out_free_[k].push_back(d++);
  }
}

DotDims::DotDims(const Instruction& dot, int64_t k, int64_t dim) : DotDims(dot) {
  const int64_t at = std::find(free_[k].begin(), free_[k].end(), dim) - free_[k].begin();
  batch_[k].push_back(dim);
  batch_[1 - k].push_back(kNone);
  out_batch_.push_back(out_free_[k][at]);
  free_[k].erase(free_[k].begin() + at);
  out_free_[k].erase(out_free_[k].begin() + at);
}

bool DotDims::SetOperand(int64_t k, const DotView& view, StridedOperand& out) const {
  const Shape& shape = dot_->operand(k)->shape();
  return k == 0 ? AsMatrix(shape, view, batch_[0], free_[0], contracted_[0], out)
                : AsMatrix(shape, view, batch_[1], contracted_[1], free_[1], out);
}

bool DotDims::SetOut(const DotView& view, StridedOperand& out) const {
  return AsMatrix(dot_->shape(), view, out_batch_, out_free_[0], out_free_[1], out);
}

absl::StatusOr<DotCall> DotDims::DenseCall() const {
  DotCall call;
  call.dot = dot_;
  for (int64_t d : out_batch_) call.batch.push_back(dot_->shape().dim(d));
  call.m = Product(dot_->shape(), out_free_[0]);
  call.n = Product(dot_->shape(), out_free_[1]);
  call.k = Product(dot_->operand(0)->shape(), contracted_[0]);
  if (!SetOperand(0, Dense(dot_->operand(0)), call.lhs) ||
      !SetOperand(1, Dense(dot_->operand(1)), call.rhs) || !SetOut(Dense(dot_), call.out)) {
    return ErrorAt(*dot_, "the dimensions of an operand do not collapse into a strided matrix");
  }
  return call;
}

absl::StatusOr<DotCall> MakeDotCall(const Instruction& dot) { return DotDims(dot).DenseCall(); }

}  // namespace astitch
