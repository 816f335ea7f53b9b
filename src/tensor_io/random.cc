// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Compiled without contraction of a * b + c, which would round differently where there is an FMA.
#include "tensor_io/random.h"

#include <algorithm>
#include <cmath>

#include "ir/number.h"

namespace astitch {
namespace {

constexpr uint64_t kGolden = 0x9e3779b97f4a7c15;  // SplitMix64's step: 2^64 / golden ratio, odd
constexpr int kDrawsPerElement = 6;               // 64-bit words a normal number takes

uint64_t Mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

// The words of one tensor's stream.
class Stream {
 public:
  Stream(uint64_t seed, uint64_t parameter)
      : key_(Mix(Mix(seed + kGolden) + kGolden * (parameter + 1))) {}

  uint64_t Word(uint64_t index, uint64_t draw = 0) const {
    return Mix(key_ + kGolden * (index * kDrawsPerElement + draw + 1));
  }
  // In [0, 1), a multiple of 2^-53.
  double Uniform(uint64_t index) const { return static_cast<double>(Word(index) >> 11) * 0x1p-53; }
  // Of [0, bound), by the high half of a product.
  uint64_t Below(uint64_t index, uint64_t bound) const {
    return static_cast<uint64_t>(static_cast<unsigned __int128>(Word(index)) * bound >> 64);
  }
  double Normal(uint64_t index) const {
    int64_t sum = 0;
    for (int draw = 0; draw < kDrawsPerElement; ++draw) {
      const uint64_t word = Word(index, draw);
      sum += static_cast<int64_t>(word >> 32) + static_cast<int64_t>(word & 0xffffffff);
    }
    constexpr int64_t kTwiceMean = 12 * int64_t{0xffffffff};
    return static_cast<double>(2 * sum - kTwiceMean) * 0x1p-33;
  }

 private:
  uint64_t key_;
};

// The divisor of fan and fan1.
double FanIn(const Shape& shape, Distribution::Kind kind) {
  if (shape.rank() == 0) return 1;
  if (kind == Distribution::Kind::kFan1 || shape.rank() == 2) {
    return static_cast<double>(std::max<int64_t>(1, shape.dim(0)));
  }
  double rows = 1;
  for (int64_t d = 0; d + 1 < shape.rank(); ++d) rows *= static_cast<double>(shape.dim(d));
  return std::max(1.0, rows);
}

class Sampler {
 public:
  Sampler(const Shape& shape, const Distribution& distribution, uint64_t seed, uint64_t parameter)
      : distribution_(distribution),
        stream_(seed, parameter),
        scale_(1 / std::sqrt(FanIn(shape, distribution.kind))) {}

  double operator()(uint64_t index) const {
    switch (distribution_.kind) {
      case Distribution::Kind::kNormal:
        return stream_.Normal(index);
      case Distribution::Kind::kSmall:
        return stream_.Normal(index) * 0.02;
      case Distribution::Kind::kFan:
      case Distribution::Kind::kFan1:
        return stream_.Normal(index) * scale_;
      case Distribution::Kind::kOne:
        return 1 + stream_.Normal(index) * 0.02;
      case Distribution::Kind::kPositive:
        return stream_.Uniform(index) + 0.5;
      case Distribution::Kind::kUnit:
        return stream_.Uniform(index);
      case Distribution::Kind::kWide:
        return stream_.Normal(index) * 20;
      case Distribution::Kind::kIds:
        return static_cast<double>(stream_.Below(index, Bound()));
      case Distribution::Kind::kLength:
        return static_cast<double>(1 + stream_.Below(index, Bound()));
      case Distribution::Kind::kBool:
        return stream_.Uniform(index) < distribution_.argument ? 1 : 0;
      case Distribution::Kind::kZero:
        return 0;
      case Distribution::Kind::kStep:
        return distribution_.argument;
    }
    return 0;
  }

 private:
  uint64_t Bound() const { return static_cast<uint64_t>(distribution_.argument); }

  Distribution distribution_;
  Stream stream_;
  double scale_;
};

// Integers of a parameter whose manifest says nothing of integers.
Distribution ForType(const Distribution& distribution, ElementType type) {
  const bool plain = distribution.kind == Distribution::Kind::kNormal;
  return plain && !IsFloat(type) && !IsComplex(type) ? DefaultDistribution(type) : distribution;
}

}  // namespace

Literal DrawLiteral(const Shape& shape, const Distribution& distribution, uint64_t seed,
                    uint64_t parameter) {
  Literal out(Shape::Array(shape.element_type(), shape.dims()));
  const ElementType type = PartType(shape.element_type());
  const int64_t count = shape.num_elements() * (IsComplex(shape.element_type()) ? 2 : 1);
  const Sampler sample(shape, ForType(distribution, type), seed, parameter);
  if (type == ElementType::kF32) {  // the commonest type by far: no call an element
    float* to = reinterpret_cast<float*>(out.mutable_bytes().data());
    for (int64_t i = 0; i < count; ++i) to[i] = static_cast<float>(sample(i));
    return out;
  }
  std::byte* to = out.mutable_bytes().data();
  const int width = ByteWidth(type);
  for (int64_t i = 0; i < count; ++i) StoreFromDouble(type, to + i * width, sample(i));
  return out;
}

}  // namespace astitch
