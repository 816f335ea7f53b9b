// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// fft: FFT, IFFT, RFFT and IRFFT over the last one to three dimensions, in double.
//
//   FFT     X[k] = sum over j of x[j] e^(-2 pi i j k / n), a dimension after the other
//   IFFT    the same with e^(+2 pi i j k / n), over the number of elements
//   RFFT    of real numbers: the last dimension keeps 0..n/2, as the rest is their mirror image
//   IRFFT   its inverse: the rest is the mirror image; of 0 and n/2 only the real part counts
//
// A line of n = p m elements, p the smallest prime in n, is p lines of m that are interleaved in
// it, joined by sums of p terms (Cooley and Tukey). A prime length is all joining: n^2 steps.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "interp/arrange.h"
#include "interp/ops.h"
#include "interp/strides.h"

namespace astitch::interp {
namespace {

// e^(2 pi i k / n), 0 <= k < n. The angle is brought within an eighth of a turn in whole numbers,
// so that quarters of a turn are exact and opposite points are opposite.
Complex RootOfUnity(int64_t k, int64_t n) {
  int64_t quarter = 4 * k / n;
  int64_t rest = 4 * k - quarter * n;
  if (2 * rest > n) {
    ++quarter;
    rest -= n;
  }
  const double angle = std::numbers::pi / 2 * static_cast<double>(rest) / static_cast<double>(n);
  const double c = std::cos(angle), s = std::sin(angle);
  switch (quarter % 4) {
    case 0:
      return {c, s};
    case 1:
      return {-s, c};
    case 2:
      return {-c, -s};
    default:
      return {s, -c};
  }
}

int64_t SmallestPrimeFactor(int64_t n) {
  for (int64_t p = 2; p * p <= n; ++p) {
    if (n % p == 0) return p;
  }
  return n;
}

// Transforms of one length and direction.
class LineTransform {
 public:
  LineTransform(int64_t length, bool inverse) : length_(length) {
    for (int64_t k = 0; k < length; ++k) {
      const Complex root = RootOfUnity(k, length);
      roots_.push_back(inverse ? root : std::conj(root));
    }
  }

  // IN and OUT hold a line each and do not overlap.
  void Run(const Complex* in, Complex* out) { Run(length_, in, 1, out); }

 private:
  // N elements of IN, which lie STRIDE = length / N apart.
  void Run(int64_t n, const Complex* in, int64_t stride, Complex* out) {
    if (n == 1) {
      *out = *in;
      return;
    }
    const int64_t p = SmallestPrimeFactor(n);
    const int64_t m = n / p;
    for (int64_t j = 0; j < p; ++j) Run(m, in + j * stride, stride * p, out + j * m);
    std::vector<Complex> parts(p);
    for (int64_t k = 0; k < m; ++k) {
      for (int64_t j = 0; j < p; ++j) parts[j] = out[j * m + k];
      for (int64_t to = k; to < n; to += m) out[to] = Join(parts, to, n, stride);
    }
  }

  // sum over j of parts[j] w^(j k), where w is the root of N elements, STRIDE steps of the table.
  Complex Join(const std::vector<Complex>& parts, int64_t k, int64_t n, int64_t stride) const {
    Complex sum = 0;
    int64_t turn = 0;  // j k modulo n
    for (const Complex& part : parts) {
      sum = MultiplyAdd(part, roots_[turn * stride], sum);
      turn += k;
      if (turn >= n) turn -= n;
    }
    return sum;
  }

  int64_t length_;
  std::vector<Complex> roots_;
};

// Transforms every line of ELEMENTS along DIMENSION, in place.
void TransformDimension(const std::vector<int64_t>& dims, int64_t dimension, bool inverse,
                        std::vector<Complex>& elements) {
  const int64_t length = dims[dimension];
  const std::vector<int64_t> strides = RowMajorStrides(dims);
  const int64_t stride = strides[dimension];
  std::vector<int64_t> starts = dims;
  starts[dimension] = 1;
  LineTransform transform(length, inverse);
  std::vector<Complex> line(length), transformed(length);
  BoxWalk walk(starts, strides);
  for (int64_t l = 0; l < walk.size(); ++l, walk.Next()) {
    Complex* first = elements.data() + walk.offset();
    for (int64_t k = 0; k < length; ++k) line[k] = first[k * stride];
    transform.Run(line.data(), transformed.data());
    for (int64_t k = 0; k < length; ++k) first[k * stride] = transformed[k];
  }
}

// The first KEPT of the LENGTH elements of each row.
std::vector<Complex> KeepOfRows(const std::vector<Complex>& rows, int64_t length, int64_t kept) {
  std::vector<Complex> out;
  for (size_t row = 0; row < rows.size(); row += length) {
    out.insert(out.end(), rows.begin() + row, rows.begin() + row + kept);
  }
  return out;
}

// Rows of LENGTH whose elements past the middle are the mirror image of those that HALVES has.
std::vector<Complex> Mirrored(const std::vector<Complex>& halves, int64_t length) {
  const int64_t kept = length / 2 + 1;
  std::vector<Complex> out;
  for (size_t row = 0; row < halves.size(); row += kept) {
    const Complex* half = halves.data() + row;
    for (int64_t k = 0; k < length; ++k) {
      const bool own_image = k == 0 || 2 * k == length;
      out.push_back(own_image ? half[k].real() : k < kept ? half[k] : std::conj(half[length - k]));
    }
  }
  return out;
}

}  // namespace

Result EvalFft(const Instruction& instruction, Operands operands) {
  const auto& fft = instruction.as<FftAttributes>();
  const Shape& shape = instruction.shape();
  if (shape.num_elements() == 0) return Literal(shape);
  const bool inverse = fft.type == FftType::kIfft || fft.type == FftType::kIrfft;
  const int64_t last = shape.rank() - 1;
  const int64_t length = fft.lengths.back();
  std::vector<int64_t> dims = operands[0].shape().dims();
  std::vector<Complex> elements = ElementsOf<Complex>(operands[0]);
  // The dimension that is halved is the first to go and the last to come back.
  if (fft.type != FftType::kIrfft) TransformDimension(dims, last, inverse, elements);
  if (fft.type == FftType::kRfft) {
    dims[last] = shape.dim(last);
    elements = KeepOfRows(elements, length, dims[last]);
  }
  int64_t count = length;
  for (size_t i = 1; i < fft.lengths.size(); ++i) {
    const int64_t dimension = last - static_cast<int64_t>(i);
    TransformDimension(dims, dimension, inverse, elements);
    count *= dims[dimension];
  }
  if (fft.type == FftType::kIrfft) {
    dims[last] = length;
    elements = Mirrored(elements, length);
    TransformDimension(dims, last, inverse, elements);
  }
  if (inverse) {
    for (Complex& element : elements) element /= static_cast<double>(count);
  }
  if (fft.type != FftType::kIrfft) return LiteralOf(shape, elements);
  std::vector<double> real;
  for (const Complex& element : elements) real.push_back(element.real());
  return LiteralOf(shape, real);
}

}  // namespace astitch::interp
