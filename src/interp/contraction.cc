// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// dot: both operands are gathered into [batch, m, k] and [batch, k, n] in the widest type, then
// multiplied as plain matrices.
#include "interp/contraction.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "interp/arrange.h"
#include "interp/lanes.h"
#include "interp/ops.h"
#include "interp/strides.h"

namespace astitch::interp {
namespace {

bool Contains(const std::vector<int64_t>& list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

std::vector<int64_t> FreeDims(int64_t rank, const std::vector<int64_t>& batch,
                              const std::vector<int64_t>& contracting) {
  std::vector<int64_t> free;
  for (int64_t d = 0; d < rank; ++d) {
    if (!Contains(batch, d) && !Contains(contracting, d)) free.push_back(d);
  }
  return free;
}

int64_t SizeOf(const Shape& shape, const std::vector<int64_t>& dims) {
  int64_t size = 1;
  for (int64_t d : dims) size *= shape.dim(d);
  return size;
}

// A tile of C stays in registers while K runs; B comes packed in panels as wide as the tile.
constexpr int64_t kTileRows = 4;
constexpr int64_t kTileColumns = 4;

template <typename T>
void TileProduct(int64_t k, const T* a, int64_t a_stride, const T* panel, T* c, int64_t c_stride) {
  T sums[kTileRows][kTileColumns];
  for (int64_t r = 0; r < kTileRows; ++r) {
    for (int64_t j = 0; j < kTileColumns; ++j) sums[r][j] = c[r * c_stride + j];
  }
  for (int64_t p = 0; p < k; ++p) {
    const T* b = panel + p * kTileColumns;
    for (int64_t r = 0; r < kTileRows; ++r) {
      const T scale = a[r * a_stride + p];
      for (int64_t j = 0; j < kTileColumns; ++j) sums[r][j] = MultiplyAdd(scale, b[j], sums[r][j]);
    }
  }
  for (int64_t r = 0; r < kTileRows; ++r) {
    for (int64_t j = 0; j < kTileColumns; ++j) c[r * c_stride + j] = sums[r][j];
  }
}

// Rows and columns that fill no tile.
template <typename T>
void EdgeProduct(int64_t k, const T* a, const T* b, int64_t b_stride, T* c) {
  T sum = *c;
  for (int64_t p = 0; p < k; ++p) sum = MultiplyAdd(a[p], b[p * b_stride], sum);
  *c = sum;
}

// C[m, n] += A[m, k] * B[k, n], row-major, in the order of k.
template <typename T>
void MatrixProduct(int64_t m, int64_t n, int64_t k, const T* a, const T* b, T* c) {
  const int64_t whole_rows = m - m % kTileRows;
  const int64_t whole_columns = n - n % kTileColumns;
  std::vector<T> panel(whole_rows == 0 ? 0 : k * kTileColumns);
  for (int64_t j = 0; j < whole_columns; j += kTileColumns) {
    if (whole_rows == 0) break;
    for (int64_t p = 0; p < k; ++p) {
      std::copy_n(b + p * n + j, kTileColumns, panel.data() + p * kTileColumns);
    }
    for (int64_t i = 0; i < whole_rows; i += kTileRows) {
      TileProduct(k, a + i * k, k, panel.data(), c + i * n + j, n);
    }
  }
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = i < whole_rows ? whole_columns : 0; j < n; ++j) {
      EdgeProduct(k, a + i * k, b + j, n, c + i * n + j);
    }
  }
}

template <typename T>
void Contract(const Literal& lhs, const Literal& rhs, const DotAttributes& dims, Literal& result) {
  const std::vector<int64_t> lhs_free =
      FreeDims(lhs.shape().rank(), dims.lhs_batch, dims.lhs_contracting);
  const std::vector<int64_t> rhs_free =
      FreeDims(rhs.shape().rank(), dims.rhs_batch, dims.rhs_contracting);
  std::vector<int64_t> lhs_order = dims.lhs_batch;
  lhs_order.insert(lhs_order.end(), lhs_free.begin(), lhs_free.end());
  lhs_order.insert(lhs_order.end(), dims.lhs_contracting.begin(), dims.lhs_contracting.end());
  std::vector<int64_t> rhs_order = dims.rhs_batch;
  rhs_order.insert(rhs_order.end(), dims.rhs_contracting.begin(), dims.rhs_contracting.end());
  rhs_order.insert(rhs_order.end(), rhs_free.begin(), rhs_free.end());
  const std::vector<T> a = Arrange<T>(lhs, lhs_order);
  const std::vector<T> b = Arrange<T>(rhs, rhs_order);
  const int64_t batch = SizeOf(lhs.shape(), dims.lhs_batch);
  const int64_t m = SizeOf(lhs.shape(), lhs_free);
  const int64_t n = SizeOf(rhs.shape(), rhs_free);
  const int64_t k = SizeOf(lhs.shape(), dims.lhs_contracting);
  const ElementType type = result.shape().element_type();
  std::vector<T> c(m * n);
  for (int64_t i = 0; i < batch; ++i) {
    std::fill(c.begin(), c.end(), T{0});
    MatrixProduct(m, n, k, a.data() + i * m * k, b.data() + i * k * n, c.data());
    EncodeElements(type, c.data(), m * n,
                   result.mutable_bytes().data() + i * m * n * ByteWidth(type));
  }
}

// Every element times the scale of its block, exactly: a double holds the product.
Literal ApplyScales(const Literal& data, const Literal& scales) {
  const Shape& shape = data.shape();
  Literal scaled(Shape::Array(ElementType::kF64, shape.dims()));
  const std::vector<int64_t> scale_strides = RowMajorStrides(scales.shape().dims());
  absl::Span<double> out = scaled.mutable_data<double>();
  const int width = ByteWidth(shape.element_type());
  const ElementType scale_type = scales.shape().element_type();
  std::vector<int64_t> at(shape.rank());
  for (size_t element = 0; element < out.size(); ++element) {
    int64_t scale = 0;
    for (int64_t d = 0; d < shape.rank(); ++d) {
      scale += at[d] / (shape.dim(d) / scales.shape().dim(d)) * scale_strides[d];
    }
    out[element] = DecodeOne(shape.element_type(), data.bytes().data() + element * width).f *
                   DecodeOne(scale_type, scales.bytes().data() + scale * ByteWidth(scale_type)).f;
    for (int64_t d = shape.rank(); d-- > 0 && ++at[d] == shape.dim(d);) at[d] = 0;
  }
  return scaled;
}

bool ScalesDivide(const Shape& data, const Shape& scales) {
  if (!IsFloat(data.element_type()) || !IsFloat(scales.element_type())) return false;
  if (data.rank() != scales.rank()) return false;
  for (int64_t d = 0; d < data.rank(); ++d) {
    if (scales.dim(d) == 0 || data.dim(d) % scales.dim(d) != 0) return false;
  }
  return true;
}

}  // namespace

Literal ContractPair(const Literal& lhs, const Literal& rhs, const DotAttributes& dims,
                     const Shape& result_shape) {
  Literal result(result_shape);
  if (IsFloat(result_shape.element_type())) {
    Contract<double>(lhs, rhs, dims, result);
  } else if (IsComplex(result_shape.element_type())) {
    Contract<Complex>(lhs, rhs, dims, result);
  } else {
    Contract<uint64_t>(lhs, rhs, dims, result);
  }
  return result;
}

Result EvalDot(const Instruction& instruction, Operands operands) {
  return ContractPair(operands[0], operands[1], instruction.as<DotAttributes>(),
                      instruction.shape());
}

// (lhs, rhs, lhs_scale, rhs_scale), or the first version's (lhs, lhs_scale, rhs, rhs_scale), which
// the scales' dims give away.
Result EvalScaledDot(const Instruction& instruction, Operands operands) {
  int64_t rhs = 1;
  int64_t lhs_scale = 2;
  if (operands[1].shape().element_type() == ElementType::kF8E8M0FNU &&
      operands[2].shape().element_type() != ElementType::kF8E8M0FNU) {
    std::swap(rhs, lhs_scale);
  }
  if (!ScalesDivide(operands[0].shape(), operands[lhs_scale].shape()) ||
      !ScalesDivide(operands[rhs].shape(), operands[3].shape())) {
    return ErrorAt(instruction, "float scales whose dimensions divide those of the data",
                   absl::StrCat(operands[lhs_scale].shape().ToString(false), " and ",
                                operands[3].shape().ToString(false)));
  }
  return ContractPair(ApplyScales(operands[0], operands[lhs_scale]),
                      ApplyScales(operands[rhs], operands[3]), instruction.as<DotAttributes>(),
                      instruction.shape());
}

}  // namespace astitch::interp
