// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// cholesky and triangular-solve, in double, batched over the leading dimensions. T is double or
// Complex.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "interp/arrange.h"
#include "interp/ops.h"

namespace astitch::interp {
namespace {

double Conjugate(double x) { return x; }
Complex Conjugate(const Complex& z) { return std::conj(z); }

// One matrix of a batch; a view that may be transposed and conjugated.
template <typename T>
struct MatrixView {
  const T* data;
  int64_t row_stride, column_stride;
  bool conjugates;
  T at(int64_t r, int64_t c) const {
    const T& element = data[r * row_stride + c * column_stride];
    return conjugates ? Conjugate(element) : element;
  }
};

template <typename T>
T NotANumber() {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  if constexpr (std::is_same_v<T, Complex>) {
    return {kNan, kNan};
  } else {
    return kNan;
  }
}

// The lower factor of A (its lower triangle as A's view gives it; of the diagonal the real part)
// into L; false: not positive definite.
template <typename T>
bool Factor(int64_t n, const MatrixView<T>& a, std::vector<T>& l) {
  for (int64_t r = 0; r < n; ++r) {
    for (int64_t c = 0; c <= r; ++c) {
      T sum = a.at(r, c);
      for (int64_t k = 0; k < c; ++k) {
        sum = MultiplyAdd(-l[r * n + k], Conjugate(l[c * n + k]), sum);
      }
      if (r == c) {
        if (!(std::real(sum) > 0)) return false;
        l[r * n + r] = std::sqrt(std::real(sum));
      } else {
        l[r * n + c] = sum / std::real(l[c * n + c]);
      }
    }
  }
  return true;
}

template <typename T>
Literal Cholesky(const Instruction& instruction, const Literal& operand) {
  const bool lower = instruction.as<CholeskyAttributes>().lower;
  const Shape& shape = operand.shape();
  const int64_t n = shape.dim(shape.rank() - 1);
  const std::vector<T> a = ElementsOf<T>(operand);
  std::vector<T> result(a.size());
  for (size_t base = 0; base < a.size(); base += n * n) {
    // The upper triangle, transposed and conjugated, is the lower one of the same matrix.
    const MatrixView<T> view{a.data() + base, lower ? n : 1, lower ? 1 : n, !lower};
    std::vector<T> l(n * n);
    if (!Factor(n, view, l)) {
      std::fill_n(result.begin() + base, n * n, NotANumber<T>());
      continue;
    }
    for (int64_t r = 0; r < n; ++r) {
      for (int64_t c = 0; c <= r; ++c) {
        const T& element = l[r * n + c];
        result[base + (lower ? r * n + c : c * n + r)] =
            lower || r == c ? element : Conjugate(element);
      }
    }
  }
  return LiteralOf(instruction.shape(), result);
}

// Solves T x = b in place, T triangular; X's elements lie STRIDE apart.
template <typename T>
void Substitute(int64_t n, const MatrixView<T>& t, bool lower, bool unit_diagonal, T* x,
                int64_t stride) {
  for (int64_t step = 0; step < n; ++step) {
    const int64_t r = lower ? step : n - 1 - step;
    T sum = x[r * stride];
    const int64_t begin = lower ? 0 : r + 1;
    const int64_t end = lower ? r : n;
    for (int64_t c = begin; c < end; ++c) {
      sum = MultiplyAdd(-t.at(r, c), x[c * stride], sum);
    }
    x[r * stride] = unit_diagonal ? sum : Divide(sum, t.at(r, r));
  }
}

template <typename T>
Literal TriangularSolve(const Instruction& instruction, Operands operands) {
  const auto& solve = instruction.as<TriangularSolveAttributes>();
  const Shape& shape = operands[1].shape();
  const int64_t rows = shape.dim(shape.rank() - 2);
  const int64_t columns = shape.dim(shape.rank() - 1);
  const int64_t n = solve.left_side ? rows : columns;
  const std::vector<T> a = ElementsOf<T>(operands[0]);
  std::vector<T> x = ElementsOf<T>(operands[1]);
  const int64_t batches =
      rows * columns == 0 ? 0 : static_cast<int64_t>(x.size()) / (rows * columns);
  const bool transposed = solve.transpose_a != TransposeA::kNone;
  const bool conjugates = solve.transpose_a == TransposeA::kAdjoint;
  // X op(a) = b is op(a)^T X^T = b^T: one more transposition, and rows of b instead of columns.
  const bool flip = transposed != !solve.left_side;
  const bool lower = solve.lower != flip;
  for (int64_t batch = 0; batch < batches; ++batch) {
    const MatrixView<T> view{a.data() + batch * n * n, flip ? 1 : n, flip ? n : 1, conjugates};
    T* matrix = x.data() + batch * rows * columns;
    const int64_t vectors = solve.left_side ? columns : rows;
    for (int64_t v = 0; v < vectors; ++v) {
      T* vector = solve.left_side ? matrix + v : matrix + v * columns;
      Substitute(n, view, lower, solve.unit_diagonal, vector, solve.left_side ? columns : 1);
    }
  }
  return LiteralOf(instruction.shape(), x);
}

}  // namespace

// The triangle that HLO leaves open is zero. Not positive definite: the whole matrix is NaN.
Result EvalCholesky(const Instruction& instruction, Operands operands) {
  if (IsComplex(instruction.shape().element_type())) {
    return Cholesky<Complex>(instruction, operands[0]);
  }
  return Cholesky<double>(instruction, operands[0]);
}

Result EvalTriangularSolve(const Instruction& instruction, Operands operands) {
  if (IsComplex(instruction.shape().element_type())) {
    return TriangularSolve<Complex>(instruction, operands);
  }
  return TriangularSolve<double>(instruction, operands);
}

}  // namespace astitch::interp
