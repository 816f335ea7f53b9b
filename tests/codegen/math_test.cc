// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The stated error of every function of the vector math, measured: f32 against the C library in
// double, f64 against quadruple precision.
//
// f32 steps through all bit patterns by a prime, so that every exponent and sign is met;
// ASTITCH_MATH_STRIDE=1 (the ctest label `long`) takes all 2^32. f64 takes random bit patterns,
// random numbers of everyday size, and corner values. Each function's worst error is printed.
#include "codegen/common/math/math.h"

#include <quadmath.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "codegen/common/math/exp_log.h"
#include "codegen/common/register_types.h"
#include "gtest/gtest.h"
#include "ir/number.h"
#include "jit.h"

namespace astitch::codegen {
namespace {

using Emit = std::function<Value(const MathBuilder&, const std::vector<Value>&)>;

struct Case {
  std::string name;
  int arity;
  Emit emit;
  double (*reference)(double, double);
  __float128 (*wide_reference)(__float128, __float128);
  double bound_f32;
};

#define ASTITCH_UNARY(name, function, bound)                                              \
  {#name,                                                                                 \
   1,                                                                                     \
   [](const MathBuilder& b, const std::vector<Value>& v) { return math::name(b, v[0]); }, \
   [](double x, double) -> double { return function(x); },                                \
   [](__float128 x, __float128) -> __float128 { return function##q(x); },                 \
   bound}
#define ASTITCH_BINARY(name, function, bound)                                                   \
  {#name,                                                                                       \
   2,                                                                                           \
   [](const MathBuilder& b, const std::vector<Value>& v) { return math::name(b, v[0], v[1]); }, \
   [](double x, double y) -> double { return function(x, y); },                                 \
   [](__float128 x, __float128 y) -> __float128 { return function##q(x, y); },                  \
   bound}

double logistic(double x) {
  return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
}
__float128 logisticq(__float128 x) { return x < 0 ? expq(x) / (1 + expq(x)) : 1 / (1 + expq(-x)); }
// e^-|x|: the exponential of what is never positive, which the emitter takes where the graph proves
// it.
double decay(double x) { return std::exp(-std::fabs(x)); }
__float128 decayq(__float128 x) { return expq(-fabsq(x)); }
Value EmitDecay(const MathBuilder& b, const std::vector<Value>& v) {
  return math::ExpNonPositive(b, b.Neg(b.Abs(v[0])));
}
double rsqrt(double x) { return 1 / std::sqrt(x); }
__float128 rsqrtq(__float128 x) { return 1 / sqrtq(x); }

const std::vector<Case>& Cases() {
  static const std::vector<Case>* cases = new std::vector<Case>{
      ASTITCH_UNARY(Exp, exp, 2),
      ASTITCH_UNARY(Exp2, exp2, 2),
      ASTITCH_UNARY(Expm1, expm1, 2),
      ASTITCH_UNARY(Logistic, logistic, 2),
      ASTITCH_UNARY(Log, log, 2),
      ASTITCH_UNARY(Log2, log2, 2),
      ASTITCH_UNARY(Log1p, log1p, 2),
      ASTITCH_UNARY(Cbrt, cbrt, 2),
      ASTITCH_UNARY(Rsqrt, rsqrt, 2),
      ASTITCH_UNARY(Tanh, tanh, 2),
      ASTITCH_UNARY(Sinh, sinh, 2),
      ASTITCH_UNARY(Cosh, cosh, 2),
      ASTITCH_UNARY(Asinh, asinh, 2),
      ASTITCH_UNARY(Acosh, acosh, 2),
      ASTITCH_UNARY(Atanh, atanh, 2),
      ASTITCH_UNARY(Erf, erf, 2),
      ASTITCH_UNARY(Sine, sin, 4),
      ASTITCH_UNARY(Cosine, cos, 4),
      ASTITCH_UNARY(Tan, tan, 4),
      ASTITCH_UNARY(Asin, asin, 2),
      ASTITCH_UNARY(Acos, acos, 2),
      ASTITCH_UNARY(Atan, atan, 2),
      ASTITCH_BINARY(Power, pow, 4),
      ASTITCH_BINARY(Atan2, atan2, 4),
      ASTITCH_BINARY(Remainder, fmod, 0),
      {"Decay", 1, EmitDecay, [](double x, double) { return decay(x); },
       [](__float128 x, __float128) { return decayq(x); }, 2},
  };
  return *cases;
}

int64_t Stride() {
  const char* stride = std::getenv("ASTITCH_MATH_STRIDE");
  return stride == nullptr ? 2861 : std::atoll(stride);
}

// |got - want| in units in the last place of T at WANT; infinite when one is NaN or infinite and
// the other is not, so that nothing passes.
template <typename T, typename Wide>
double UlpError(T got, Wide want) {
  using L = std::numeric_limits<T>;
  if (want != want || got != got) return want != want && got != got ? 0 : HUGE_VAL;
  const T nearest = static_cast<T>(want);
  if (got == nearest) return got != 0 || std::signbit(got) == std::signbit(nearest) ? 0 : HUGE_VAL;
  int exponent = L::min_exponent - 1;
  if (nearest != 0) exponent = std::max(exponent, std::ilogb(nearest));
  exponent = std::min(exponent, L::max_exponent - 1);
  const Wide ulp = Wide(std::ldexp(T(1), exponent / 2)) *
                   Wide(std::ldexp(T(1), exponent - exponent / 2 - (L::digits - 1)));
  // An infinite result stands for the first number past the largest finite one.
  const Wide value = std::isinf(got) ? (got > 0 ? 1 : -1) * (Wide(L::max()) + ulp) : Wide(got);
  return static_cast<double>((value < want ? want - value : value - want) / ulp);
}

template <typename T>
class Runner {
 public:
  static constexpr int kLanes = 32 / sizeof(T);

  explicit Runner(const std::string& features) : jit_(features) {
    jit_.Add([](llvm::Module& module, const TargetTraits& traits) {
      llvm::LLVMContext& context = module.getContext();
      llvm::Type* scalar =
          sizeof(T) == 4 ? llvm::Type::getFloatTy(context) : llvm::Type::getDoubleTy(context);
      llvm::Type* type = llvm::FixedVectorType::get(scalar, kLanes);
      for (const Case& c : Cases()) {
        EmitLoop(module, traits,
                 {c.name,
                  std::vector<llvm::Type*>(c.arity, type),
                  {type},
                  [&](EmitContext& emit, const std::vector<Value>& in) -> std::vector<Value> {
                    return {c.emit(MathBuilder(emit, in[0]->getType()), in)};
                  }});
      }
    });
  }

  // The result of each input pair; sizes are a multiple of kLanes.
  std::vector<T> Run(const Case& c, std::vector<T>& x, std::vector<T>& y) {
    std::vector<T> out(x.size());
    std::vector<void*> arrays = {x.data()};
    if (c.arity == 2) arrays.push_back(y.data());
    arrays.push_back(out.data());
    jit_.Find(c.name)(arrays.data(), x.size() / kLanes);
    return out;
  }

 private:
  Jit jit_;
};

struct Worst {
  double ulp = 0, x = 0, y = 0, got = 0, want = 0;
  template <typename T, typename Wide>
  void Add(T x_value, T y_value, T got_value, Wide want_value) {
    const double error = UlpError<T, Wide>(got_value, want_value);
    if (!(error > ulp)) return;
    *this = {error, double(x_value), double(y_value), double(got_value), double(want_value)};
  }
};

void Report(const Case& c, const char* type, const Worst& worst, double bound) {
  std::cout.precision(17);
  std::cout << type << " " << c.name << ": " << worst.ulp << " ulp at " << worst.x;
  if (c.arity == 2) std::cout << ", " << worst.y;
  std::cout << "\n";
  EXPECT_LE(worst.ulp, bound) << c.name << "(" << worst.x << ", " << worst.y << ") = " << worst.got
                              << ", expected " << worst.want;
}

template <typename T>
std::vector<T> Corners() {
  using L = std::numeric_limits<T>;
  std::vector<T> corners = {0, 1, 2, 3, 0.5, 1.5, 4, 7, 10, 89, 104, 710, 745, 1e5, 1e30};
  for (T v : {L::min(), L::max(), L::denorm_min(), L::epsilon(), L::infinity(), L::quiet_NaN()}) {
    corners.push_back(v);
  }
  for (size_t i = 0, n = corners.size(); i < n; ++i) {
    corners.push_back(std::nextafter(corners[i], T(0)));
    corners.push_back(std::nextafter(corners[i], L::infinity()));
  }
  for (size_t i = 0, n = corners.size(); i < n; ++i) corners.push_back(-corners[i]);
  while (corners.size() % 8 != 0) corners.push_back(1);
  return corners;
}

// Pairs that reach what stepping through x alone does not: all corners against all, random bits,
// and numbers of everyday size.
template <typename T, typename Bits>
void Pairs(int64_t count, std::vector<T>* x, std::vector<T>* y) {
  for (T a : Corners<T>()) {
    for (T b : Corners<T>()) x->push_back(a), y->push_back(b);
  }
  std::mt19937_64 random(20260101);
  std::normal_distribution<double> normal;
  for (int64_t i = 0; i < count; ++i) {
    const T bits_x = std::bit_cast<T>(static_cast<Bits>(random()));
    const T bits_y = std::bit_cast<T>(static_cast<Bits>(random()));
    const T small_x = static_cast<T>(std::exp(2 * normal(random)) * (random() & 4 ? 1 : -1));
    const T small_y = static_cast<T>(std::exp(2 * normal(random)) * (random() & 4 ? 1 : -1));
    // Close to 1, where powers and logarithms cancel.
    const T near_one = static_cast<T>(1 + 0.05 * normal(random));
    for (T v : {bits_x, small_x, near_one, bits_x}) x->push_back(v);
    for (T v : {bits_y, small_y, T(small_y * 100), small_y}) y->push_back(v);
  }
  while (x->size() % 8 != 0) x->push_back(1), y->push_back(1);
}

// Unary functions on every STRIDE-th float, then all on pairs.
Worst MeasureF32(Runner<float>& runner, const Case& c, int64_t stride) {
  Worst worst;
  constexpr int64_t kBatch = 1 << 20, kEnd = int64_t{1} << 32;
  std::vector<float> x, y;
  for (int64_t bits = 0; bits < kEnd && c.arity == 1;) {
    x.clear();
    for (; bits < kEnd && x.size() < kBatch; bits += stride) {
      x.push_back(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    }
    while (x.size() % 8 != 0) x.push_back(1);
    const std::vector<float> got = runner.Run(c, x, y);
    for (size_t i = 0; i < x.size(); ++i) worst.Add(x[i], 0.0f, got[i], c.reference(x[i], 0));
  }
  x.clear();
  Pairs<float, uint32_t>(c.arity == 2 ? 100000 : 1000, &x, &y);
  const std::vector<float> got = runner.Run(c, x, y);
  for (size_t i = 0; i < x.size(); ++i) worst.Add(x[i], y[i], got[i], c.reference(x[i], y[i]));
  return worst;
}

Worst MeasureF64(Runner<double>& runner, const Case& c) {
  Worst worst;
  std::vector<double> x, y;
  Pairs<double, uint64_t>(20000, &x, &y);
  const std::vector<double> got = runner.Run(c, x, y);
  for (size_t i = 0; i < x.size(); ++i) worst.Add(x[i], y[i], got[i], c.wide_reference(x[i], y[i]));
  return worst;
}

// Unary functions on all codes of a 16-bit type, as the emitter of elementwise operations does
// them: in f32, rounded once.
void CheckAllCodes(Jit& jit, const Case& c, ElementType type) {
  std::vector<uint16_t> codes(1 << 16), got(1 << 16);
  std::iota(codes.begin(), codes.end(), 0);
  void* arrays[] = {codes.data(), got.data()};
  jit.Find(c.name + "_" + std::string(ToString(type)))(arrays, (1 << 16) / 8);
  int failures = 0;
  for (int i = 0; i < 1 << 16 && failures < 3; ++i) {
    const double x = DecodeFloat(type, i);
    const double want = c.reference(x, 0), result = DecodeFloat(type, got[i]);
    if (std::isnan(want) && std::isnan(result)) continue;
    const int nearest = static_cast<int>(EncodeFloat(type, want));
    if (std::isnan(want) || std::isnan(result) || std::abs(nearest - got[i]) > 1) {
      ++failures;
      ADD_FAILURE() << ToString(type) << " " << c.name << "(" << x << ") = " << result
                    << ", expected " << want;
    }
  }
}

std::unique_ptr<Jit> NarrowJit() {
  auto jit = std::make_unique<Jit>(ThisProcessor());
  jit->Add([](llvm::Module& module, const TargetTraits& traits) {
    for (const Case& c : Cases()) {
      for (ElementType type : {ElementType::kF16, ElementType::kBF16}) {
        if (c.arity != 1) continue;
        llvm::Type* memory = MemoryType(module.getContext(), type, 8);
        EmitLoop(module, traits,
                 {c.name + "_" + std::string(ToString(type)),
                  {memory},
                  {memory},
                  [&](EmitContext& emit, const std::vector<Value>& in) -> std::vector<Value> {
                    Value x = FromMemory(emit, type, in[0]);
                    Value result = c.emit(MathBuilder(emit, x->getType()), {x});
                    return {ToMemory(emit, type, RoundTo(emit, type, result))};
                  }});
      }
    }
  });
  return jit;
}

class MathTest : public testing::TestWithParam<size_t> {};

TEST_P(MathTest, F32StaysWithinItsBound) {
  static Runner<float>* runner = new Runner<float>(ThisProcessor());
  const Case& c = Cases()[GetParam()];
  Report(c, "f32", MeasureF32(*runner, c, Stride()), c.bound_f32);
}

TEST_P(MathTest, F64StaysWithinFourUlp) {
  static Runner<double>* runner = new Runner<double>(ThisProcessor());
  const Case& c = Cases()[GetParam()];
  Report(c, "f64", MeasureF64(*runner, c), c.bound_f32 == 0 ? 0 : 4);
}

TEST_P(MathTest, SixteenBitResultsAreWithinOneUlpOnAllInputs) {
  static Jit* jit = NarrowJit().release();
  const Case& c = Cases()[GetParam()];
  if (c.arity != 1) GTEST_SKIP() << "pairs are too many";
  CheckAllCodes(*jit, c, ElementType::kF16);
  CheckAllCodes(*jit, c, ElementType::kBF16);
}

TEST_P(MathTest, BoundsHoldWithoutFusedMultiplyAdd) {
  static Runner<float>* floats = new Runner<float>("");
  static Runner<double>* doubles = new Runner<double>("");
  const Case& c = Cases()[GetParam()];
  Report(c, "f32 without fma", MeasureF32(*floats, c, 20011), c.bound_f32);
  Report(c, "f64 without fma", MeasureF64(*doubles, c), c.bound_f32 == 0 ? 0 : 4);
}

INSTANTIATE_TEST_SUITE_P(All, MathTest, testing::Range<size_t>(0, Cases().size()),
                         [](const auto& info) { return Cases()[info.param].name; });

}  // namespace
}  // namespace astitch::codegen
