// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Collapses groups of dimensions into one extent and one stride where memory allows.
#include "stitch/library_calls.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace astitch {
namespace {

std::vector<int64_t> RowMajorStrides(const Shape& shape) {
  std::vector<int64_t> strides(shape.rank(), 1);
  for (int64_t d = shape.rank() - 2; d >= 0; --d) strides[d] = strides[d + 1] * shape.dim(d + 1);
  return strides;
}

struct Collapsed {
  int64_t extent = 1, stride = 1;
};

// The dimensions DIMS of SHAPE as one; nothing when they are not evenly spaced in that order.
std::optional<Collapsed> Collapse(const Shape& shape, const std::vector<int64_t>& dims) {
  const std::vector<int64_t> strides = RowMajorStrides(shape);
  Collapsed out;
  bool first = true;
  for (size_t i = dims.size(); i-- > 0;) {
    const int64_t extent = shape.dim(dims[i]), stride = strides[dims[i]];
    if (extent == 1) continue;
    if (first) {
      out = {extent, stride};
      first = false;
    } else {
      if (stride != out.stride * out.extent) return std::nullopt;
      out.extent *= extent;
    }
  }
  return out;
}

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

}  // namespace

absl::StatusOr<DotCall> MakeDotCall(const Instruction& dot) {
  const auto& attributes = dot.as<DotAttributes>();
  const Shape& lhs = dot.operand(0)->shape();
  const Shape& rhs = dot.operand(1)->shape();
  const auto lhs_free =
      Collapse(lhs, FreeDims(lhs, attributes.lhs_batch, attributes.lhs_contracting));
  const auto rhs_free =
      Collapse(rhs, FreeDims(rhs, attributes.rhs_batch, attributes.rhs_contracting));
  const auto lhs_k = Collapse(lhs, attributes.lhs_contracting);
  const auto rhs_k = Collapse(rhs, attributes.rhs_contracting);
  if (!lhs_free || !rhs_free || !lhs_k || !rhs_k) {
    return ErrorAt(dot, "the dimensions of an operand do not collapse into a strided matrix");
  }
  DotCall call;
  call.dot = &dot;
  call.m = lhs_free->extent;
  call.n = rhs_free->extent;
  call.k = lhs_k->extent;
  const std::vector<int64_t> lhs_strides = RowMajorStrides(lhs), rhs_strides = RowMajorStrides(rhs);
  call.lhs.value = dot.operand(0);
  call.rhs.value = dot.operand(1);
  call.out.value = &dot;
  for (size_t b = 0; b < attributes.lhs_batch.size(); ++b) {
    call.batch.push_back(lhs.dim(attributes.lhs_batch[b]));
    call.lhs.strides.push_back(lhs_strides[attributes.lhs_batch[b]]);
    call.rhs.strides.push_back(rhs_strides[attributes.rhs_batch[b]]);
  }
  int64_t step = call.m * call.n;
  call.out.strides.assign(call.batch.size(), 0);
  for (size_t b = call.batch.size(); b-- > 0;) {
    call.out.strides[b] = step;
    step *= call.batch[b];
  }
  call.lhs.strides.insert(call.lhs.strides.end(), {lhs_free->stride, lhs_k->stride});
  call.rhs.strides.insert(call.rhs.strides.end(), {rhs_k->stride, rhs_free->stride});
  call.out.strides.insert(call.out.strides.end(), {call.n, 1});
  return call;
}

}  // namespace astitch
