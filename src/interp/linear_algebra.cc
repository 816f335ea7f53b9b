// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// cholesky and triangular-solve of real matrices, in double, batched over the leading dimensions.
#include <cmath>
#include <limits>
#include <vector>

#include "interp/lanes.h"
#include "interp/ops.h"

namespace astitch::interp {
namespace {

// One matrix of a batch; a view that may be transposed.
struct MatrixView {
  const Lane* data;
  int64_t row_stride, column_stride;
  double at(int64_t r, int64_t c) const { return data[r * row_stride + c * column_stride].f; }
};

std::vector<Lane> DecodeAll(const Literal& literal) {
  std::vector<Lane> lanes(literal.shape().num_elements());
  Decode(literal.shape().element_type(), literal.bytes().data(), static_cast<int64_t>(lanes.size()),
         lanes.data());
  return lanes;
}

Literal EncodeAll(const Shape& shape, const std::vector<Lane>& lanes) {
  Literal literal(shape);
  Encode(shape.element_type(), lanes.data(), static_cast<int64_t>(lanes.size()),
         literal.mutable_bytes().data());
  return literal;
}

// The lower factor of A (its lower triangle as A's view gives it) into L; false: not positive
// definite.
bool Factor(int64_t n, const MatrixView& a, std::vector<double>& l) {
  for (int64_t r = 0; r < n; ++r) {
    for (int64_t c = 0; c <= r; ++c) {
      double sum = a.at(r, c);
      for (int64_t k = 0; k < c; ++k) sum -= l[r * n + k] * l[c * n + k];
      if (r == c) {
        if (!(sum > 0)) return false;
        l[r * n + r] = std::sqrt(sum);
      } else {
        l[r * n + c] = sum / l[c * n + c];
      }
    }
  }
  return true;
}

// Solves T x = b in place, T triangular; X's elements lie STRIDE apart.
void Substitute(int64_t n, const MatrixView& t, bool lower, bool unit_diagonal, Lane* x,
                int64_t stride) {
  for (int64_t step = 0; step < n; ++step) {
    const int64_t r = lower ? step : n - 1 - step;
    double sum = x[r * stride].f;
    const int64_t begin = lower ? 0 : r + 1;
    const int64_t end = lower ? r : n;
    for (int64_t c = begin; c < end; ++c) sum -= t.at(r, c) * x[c * stride].f;
    x[r * stride].f = unit_diagonal ? sum : sum / t.at(r, r);
  }
}

}  // namespace

// The triangle that HLO leaves open is zero. Not positive definite: the whole matrix is NaN.
Result EvalCholesky(const Instruction& instruction, Operands operands) {
  const bool lower = instruction.as<CholeskyAttributes>().lower;
  const Shape& shape = operands[0].shape();
  const int64_t n = shape.dim(shape.rank() - 1);
  const std::vector<Lane> a = DecodeAll(operands[0]);
  std::vector<Lane> result(a.size(), Lane{.f = 0});
  for (size_t base = 0; base < a.size(); base += n * n) {
    // The upper triangle, transposed, is the lower one of the same symmetric matrix.
    const MatrixView view{a.data() + base, lower ? n : 1, lower ? 1 : n};
    std::vector<double> l(n * n);
    const bool definite = Factor(n, view, l);
    for (int64_t r = 0; r < n; ++r) {
      for (int64_t c = 0; c < n; ++c) {
        const double value = lower ? l[r * n + c] : l[c * n + r];
        result[base + r * n + c].f = definite ? value : std::numeric_limits<double>::quiet_NaN();
      }
    }
  }
  return EncodeAll(instruction.shape(), result);
}

Result EvalTriangularSolve(const Instruction& instruction, Operands operands) {
  const auto& solve = instruction.as<TriangularSolveAttributes>();
  const Shape& shape = operands[1].shape();
  const int64_t rows = shape.dim(shape.rank() - 2);
  const int64_t columns = shape.dim(shape.rank() - 1);
  const int64_t n = solve.left_side ? rows : columns;
  const std::vector<Lane> a = DecodeAll(operands[0]);
  std::vector<Lane> x = DecodeAll(operands[1]);
  const int64_t batches =
      rows * columns == 0 ? 0 : static_cast<int64_t>(x.size()) / (rows * columns);
  const bool transposed = solve.transpose_a != TransposeA::kNone;  // adjoint: the same, being real
  // X op(a) = b is op(a)^T X^T = b^T: one more transposition, and rows of b instead of columns.
  const bool flip = transposed != !solve.left_side;
  const bool lower = solve.lower != flip;
  for (int64_t batch = 0; batch < batches; ++batch) {
    const MatrixView view{a.data() + batch * n * n, flip ? 1 : n, flip ? n : 1};
    Lane* matrix = x.data() + batch * rows * columns;
    const int64_t vectors = solve.left_side ? columns : rows;
    for (int64_t v = 0; v < vectors; ++v) {
      Lane* vector = solve.left_side ? matrix + v : matrix + v * columns;
      Substitute(n, view, lower, solve.unit_diagonal, vector, solve.left_side ? columns : 1);
    }
  }
  return EncodeAll(instruction.shape(), x);
}

}  // namespace astitch::interp
