// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Fourier transforms: exact small ones, numpy's values, the definition, and round trips.
#include <cmath>
#include <complex>
#include <numbers>

#include "tests/interp/run_text.h"

namespace astitch {
namespace {

using Complex = std::complex<double>;
using Numbers = std::vector<Complex>;

template <typename T>
Literal ArrayOf(ElementType type, const std::vector<int64_t>& dims, const std::vector<T>& values) {
  Literal literal(Shape::Array(type, dims));
  std::copy(values.begin(), values.end(), literal.mutable_data<T>().begin());
  return literal;
}

// One fft of type KIND and of LENGTHS, from an array to another, as their shapes are written.
absl::StatusOr<Literal> Transform(absl::string_view kind, absl::string_view lengths,
                                  const Literal& operand, absl::string_view result) {
  return RunText(absl::StrCat("ENTRY e {\n  x = ", operand.shape().ToString(false),
                              " parameter(0)\n  ROOT r = ", result, " fft(x), fft_type=", kind,
                              ", fft_length={", lengths, "}\n}\n"),
                 {operand});
}

// Every part within BOUND of what is wanted; real results are complex ones without a second part.
template <typename T>
void ExpectNear(const absl::StatusOr<Literal>& got, const std::vector<T>& want, double bound) {
  ASSERT_TRUE(got.ok()) << got.status();
  const absl::Span<const T> values = got->data<T>();
  ASSERT_EQ(values.size(), want.size());
  for (size_t k = 0; k < want.size(); ++k) {
    EXPECT_LE(std::abs(values[k] - want[k]), bound) << "element " << k << ": " << values[k];
  }
}

Numbers Some(int64_t n) {
  Numbers numbers;
  for (int64_t k = 0; k < n; ++k) {
    numbers.emplace_back(std::sin(0.7 * k * k + 1), std::cos(1.3 * k) - 0.2);
  }
  return numbers;
}

TEST(Fft, QuartersOfATurnAreExact) {
  ExpectAll({
      {"c64[4] fft(c64[4] constant({(1, 0), (2, 0), (3, 0), (4, 0)})), fft_type=FFT, "
       "fft_length={4}",
       "{(10, 0), (-2, 2), (-2, 0), (-2, -2)}"},
      {"c64[4] fft(c64[4] constant({(10, 0), (-2, 2), (-2, 0), (-2, -2)})), fft_type=IFFT, "
       "fft_length={4}",
       "{(1, 0), (2, 0), (3, 0), (4, 0)}"},
      {"c64[3] fft(f32[4] constant({1, 2, 3, 4})), fft_type=RFFT, fft_length={4}",
       "{(10, 0), (-2, 2), (-2, 0)}"},
      // Nothing imaginary at zero and at the middle has an effect.
      {"f32[4] fft(c64[3] constant({(6, inf), (-1.5, 0.5), (-2, nan)})), fft_type=IRFFT, "
       "fft_length={4}",
       "{0.25, 1.75, 1.75, 2.25}"},
      {"f64[1] fft(c128[1] constant({(3, 7)})), fft_type=IRFFT, fft_length={1}", "{3}"},
      {"c128[2,1] fft(c128[2,1] constant({{(3, 7)}, {(1, -1)}})), fft_type=IFFT, fft_length={1}",
       "{ {(3, 7)}, {(1, -1)} }"},
      {"c64[1] fft(c64[1] constant({(inf, 1)})), fft_type=FFT, fft_length={1}", "{(inf, 1)}"},
      {"c64[2,2] fft(c64[2,2] constant({{(1, 0), (2, 1)}, {(4, 0), (8, 3)}})), fft_type=FFT, "
       "fft_length={2,2}",
       "{ { (15, 4), (-5, -4) }, { (-9, -2), (3, 2) } }"},
      {"c64[0,4] fft(c64[0,4] constant({})), fft_type=FFT, fft_length={4}", "{  }"},
  });
}

TEST(Fft, NumpysValues) {
  Numbers seven;
  std::vector<double> squares;
  for (int k = 0; k < 12; ++k) squares.push_back(k * k);
  for (int k = 0; k < 7; ++k) seven.emplace_back(k, (6 - k) * (6 - k));
  ExpectNear<Complex>(Transform("FFT", "7", ArrayOf(ElementType::kC128, {7}, seven), "c128[7]"),
                      {{21, 91},
                       {32.839124440015894, 43.35961877448272},
                       {10.45578430544207, 26.017030182002962},
                       {0.4942608018276249, 21.98118495297143},
                       {-7.494260801827625, 20.38348063224038},
                       {-17.45578430544207, 20.434716459826134},
                       {-39.839124440015894, 28.823968998476367}},
                      1e-13);
  ExpectNear<Complex>(Transform("RFFT", "12", ArrayOf(ElementType::kF64, {12}, squares), "c128[7]"),
                      {{506, 0},
                       {17.569219381653046, 268.70765814495917},
                       {-48, 124.70765814495915},
                       {-60, 72},
                       {-64, 41.56921938165307},
                       {-65.56921938165306, 19.292341855040846},
                       {-66, 0}},
                      1e-12);
  ExpectNear<double>(
      Transform("IRFFT", "7",
                ArrayOf<Complex>(ElementType::kC128, {4}, {{1, 0}, {2, 2}, {3, 4}, {4, 6}}),
                "f64[7]"),
      {2.714285714285714, -3.02603877660853, 1.2350510750656607, -1.1175888821450952,
       0.9338448444000123, -1.3230449403142048, 1.583490965316443},
      1e-14);
  ExpectNear<Complex>(
      Transform("RFFT", "3,4", ArrayOf(ElementType::kF64, {3, 4}, squares), "c128[3,3]"),
      {{506, 0},
       {-60, 72},
       {-66, 0},
       {-232, 207.84609690826525},
       {10.143593539448982, -37.856406460551014},
       {24, -13.856406460551018},
       {-232, -207.84609690826525},
       {37.856406460551014, -10.143593539448982},
       {24, 13.856406460551018}},
      1e-12);
}

// Lengths that are prime, powers, and products of several primes.
TEST(Fft, AnyLengthFollowsTheDefinition) {
  for (const int64_t n : {1, 2, 3, 4, 5, 6, 8, 9, 12, 13, 16, 30, 49, 64, 210, 243, 1009}) {
    const Numbers x = Some(n);
    std::vector<std::complex<long double>> roots;
    for (int64_t k = 0; k < n; ++k) {
      roots.push_back(std::polar<long double>(1, -2 * std::numbers::pi_v<long double> * k / n));
    }
    Numbers want;
    for (int64_t k = 0; k < n; ++k) {
      std::complex<long double> sum = 0;
      for (int64_t j = 0; j < n; ++j) {
        sum += std::complex<long double>(x[j]) * roots[j * k % n];
      }
      want.emplace_back(static_cast<double>(sum.real()), static_cast<double>(sum.imag()));
    }
    SCOPED_TRACE(absl::StrCat("length ", n));
    ExpectNear(Transform("FFT", absl::StrCat(n), ArrayOf(ElementType::kC128, {n}, x),
                         absl::StrCat("c128[", n, "]")),
               want, 1e-15 * n);
  }
}

TEST(Fft, ThereAndBackInThreeDimensions) {
  const Literal x = ArrayOf(ElementType::kC128, {2, 3, 5, 8}, Some(240));
  const absl::StatusOr<Literal> there = Transform("FFT", "3,5,8", x, "c128[2,3,5,8]");
  ASSERT_TRUE(there.ok()) << there.status();
  ExpectNear(Transform("IFFT", "3,5,8", *there, "c128[2,3,5,8]"), Some(240), 1e-14);
}

// A last dimension of odd length has no middle.
TEST(Fft, RealNumbersThereAndBack) {
  for (const int64_t last : {8, 9}) {
    std::vector<double> numbers;
    for (const Complex& z : Some(2 * 3 * last)) numbers.push_back(z.real());
    const Literal x = ArrayOf(ElementType::kF64, {2, 3, last}, numbers);
    const std::string lengths = absl::StrCat("3,", last);
    const absl::StatusOr<Literal> there =
        Transform("RFFT", lengths, x, absl::StrCat("c128[2,3,", last / 2 + 1, "]"));
    ASSERT_TRUE(there.ok()) << there.status();
    ExpectNear(Transform("IRFFT", lengths, *there, absl::StrCat("f64[2,3,", last, "]")), numbers,
               1e-14);
  }
}

}  // namespace
}  // namespace astitch
