// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Copies between strided boxes: merge what lies in one run, then an odometer over the outer
// dimensions and a tight loop over the innermost.
#include "interp/strides.h"

#include <cstring>

namespace astitch::interp {

std::vector<int64_t> RowMajorStrides(absl::Span<const int64_t> dims) {
  std::vector<int64_t> strides(dims.size());
  int64_t stride = 1;
  for (size_t d = dims.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= dims[d];
  }
  return strides;
}

namespace {

// A box with several sides whose neighbouring dimensions were merged where every side allows it.
struct MergedBox {
  std::vector<int64_t> dims;
  std::vector<std::vector<int64_t>> strides;  // by side
};

MergedBox Merge(absl::Span<const int64_t> dims,
                const std::vector<absl::Span<const int64_t>>& sides) {
  MergedBox box;
  box.strides.resize(sides.size());
  for (size_t d = 0; d < dims.size(); ++d) {
    if (dims[d] == 1) continue;
    bool joins = !box.dims.empty();
    for (size_t s = 0; joins && s < sides.size(); ++s) {
      joins = box.strides[s].back() == sides[s][d] * dims[d];
    }
    if (joins) {
      box.dims.back() *= dims[d];
    } else {
      box.dims.push_back(dims[d]);
    }
    for (size_t s = 0; s < sides.size(); ++s) {
      if (joins) {
        box.strides[s].back() = sides[s][d];
      } else {
        box.strides[s].push_back(sides[s][d]);
      }
    }
  }
  return box;
}

template <int kWidth>
void CopyRun(int64_t n, const std::byte* from, int64_t from_stride, std::byte* to,
             int64_t to_stride) {
  for (int64_t k = 0; k < n; ++k) {
    std::memcpy(to + k * to_stride * kWidth, from + k * from_stride * kWidth, kWidth);
  }
}

void CopyRun(int width, int64_t n, const std::byte* from, int64_t from_stride, std::byte* to,
             int64_t to_stride) {
  if (from_stride == 1 && to_stride == 1) {
    std::memcpy(to, from, n * width);
    return;
  }
  switch (width) {
    case 1:
      return CopyRun<1>(n, from, from_stride, to, to_stride);
    case 2:
      return CopyRun<2>(n, from, from_stride, to, to_stride);
    case 4:
      return CopyRun<4>(n, from, from_stride, to, to_stride);
    case 8:
      return CopyRun<8>(n, from, from_stride, to, to_stride);
    default:
      return CopyRun<16>(n, from, from_stride, to, to_stride);
  }
}

}  // namespace

void CopyBox(absl::Span<const int64_t> dims, int width, const std::byte* from_bytes,
             const Strided& from, std::byte* to_bytes, const Strided& to) {
  for (int64_t d : dims) {
    if (d == 0) return;
  }
  MergedBox box = Merge(dims, {from.strides, to.strides});
  if (box.dims.empty()) box = {{1}, {{1}, {1}}};
  const size_t inner = box.dims.size() - 1;
  const std::vector<int64_t>& from_strides = box.strides[0];
  const std::vector<int64_t>& to_strides = box.strides[1];
  std::vector<int64_t> at(inner);
  int64_t from_at = from.start;
  int64_t to_at = to.start;
  while (true) {
    CopyRun(width, box.dims[inner], from_bytes + from_at * width, from_strides[inner],
            to_bytes + to_at * width, to_strides[inner]);
    size_t d = inner;
    while (d > 0) {
      --d;
      from_at += from_strides[d];
      to_at += to_strides[d];
      if (++at[d] < box.dims[d]) break;
      from_at -= at[d] * from_strides[d];
      to_at -= at[d] * to_strides[d];
      at[d] = 0;
      if (d == 0) return;
    }
    if (inner == 0) return;
  }
}

BoxWalk::BoxWalk(absl::Span<const int64_t> dims, absl::Span<const int64_t> strides) {
  for (int64_t d : dims) size_ *= d;
  MergedBox box = Merge(dims, {strides});
  dims_ = std::move(box.dims);
  strides_ = std::move(box.strides[0]);
  at_.resize(dims_.size());
}

void BoxWalk::Next() {
  for (size_t d = dims_.size(); d-- > 0;) {
    offset_ += strides_[d];
    if (++at_[d] < dims_[d]) return;
    offset_ -= at_[d] * strides_[d];
    at_[d] = 0;
  }
}

void BoxWalk::Take(int64_t n, int64_t* out) {
  for (int64_t k = 0; k < n; ++k) {
    out[k] = offset_;
    Next();
  }
}

}  // namespace astitch::interp
