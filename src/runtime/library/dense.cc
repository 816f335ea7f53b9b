// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The two innermost dimensions are a matrix; a counter runs over the others. At most five
// dimensions come here, so that the counter lives in arrays and nothing is allocated.
#include "runtime/library/dense.h"

#include <algorithm>
#include <array>

#include "base/check.h"
#include "runtime/library/convert.h"

namespace astitch {
namespace {

constexpr size_t kMaxRank = 8;

// Dimension numbers, outermost first.
std::array<size_t, kMaxRank> OrderOf(const std::vector<int64_t>& strides) {
  ASTITCH_CHECK(strides.size() <= kMaxRank) << strides.size();
  std::array<size_t, kMaxRank> order = {};
  for (size_t i = 0; i < strides.size(); ++i) order[i] = i;
  // Insertion sort: stable, and without the buffer of std::stable_sort.
  for (size_t i = 1; i < strides.size(); ++i) {
    for (size_t j = i; j > 0 && strides[order[j - 1]] < strides[order[j]]; --j) {
      std::swap(order[j - 1], order[j]);
    }
  }
  return order;
}

// Calls F(offset in the strided array, offset in the dense one, matrix) for each innermost matrix.
template <typename F>
void ForEachMatrix(const std::vector<int64_t>& dims, const std::vector<int64_t>& strides,
                   const F& f) {
  for (int64_t dim : dims) {
    if (dim == 0) return;
  }
  const std::array<size_t, kMaxRank> order = OrderOf(strides);
  const size_t rank = dims.size();
  Matrix matrix = {1, 1, 0, 1};
  if (rank >= 1) {
    matrix.columns = dims[order[rank - 1]];
    matrix.column_stride = strides[order[rank - 1]];
  }
  if (rank >= 2) {
    matrix.rows = dims[order[rank - 2]];
    matrix.row_stride = strides[order[rank - 2]];
  }
  const size_t outer = rank >= 2 ? rank - 2 : 0;
  std::array<int64_t, kMaxRank> index = {};
  int64_t strided = 0, dense = 0;
  while (true) {
    f(strided, dense, matrix);
    dense += matrix.rows * matrix.columns;
    size_t d = outer;
    while (d > 0) {
      const size_t dim = order[d - 1];
      strided += strides[dim];
      if (++index[d - 1] < dims[dim]) break;
      strided -= index[d - 1] * strides[dim];
      index[d - 1] = 0;
      --d;
    }
    if (d == 0) return;
  }
}

}  // namespace

std::vector<int64_t> DenseStrides(const std::vector<int64_t>& dims,
                                  const std::vector<int64_t>& strides) {
  const std::array<size_t, kMaxRank> order = OrderOf(strides);
  std::vector<int64_t> out(dims.size());
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    out[order[i]] = stride;
    stride *= std::max<int64_t>(dims[order[i]], 1);
  }
  return out;
}

void LoadDense(DataType type, const void* from, const std::vector<int64_t>& dims,
               const std::vector<int64_t>& strides, float* to) {
  const int64_t width = ByteWidth(type);
  ForEachMatrix(dims, strides, [&](int64_t strided, int64_t dense, const Matrix& matrix) {
    LoadAsF32(type, static_cast<const std::byte*>(from) + strided * width, matrix, to + dense);
  });
}

void StoreDense(DataType type, const float* from, const std::vector<int64_t>& dims,
                const std::vector<int64_t>& strides, void* to) {
  const int64_t width = ByteWidth(type);
  ForEachMatrix(dims, strides, [&](int64_t strided, int64_t dense, const Matrix& matrix) {
    StoreFromF32(type, from + dense, matrix, static_cast<std::byte*>(to) + strided * width);
  });
}

}  // namespace astitch
