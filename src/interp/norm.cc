// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The batch-norm family, all in double: statistics over every dimension but the feature's.
//
//   outer | feature | inner      element = (outer * features + feature) * inner_size + inner
#include <cmath>
#include <vector>

#include "interp/lanes.h"
#include "interp/ops.h"

namespace astitch::interp {
namespace {

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

struct Features {
  int64_t outer = 1, features = 1, inner = 1;

  Features(const Shape& shape, int64_t feature_index) {
    for (int64_t d = 0; d < shape.rank(); ++d) {
      (d < feature_index ? outer : d == feature_index ? features : inner) *= shape.dim(d);
    }
  }
  double count() const { return static_cast<double>(outer * inner); }
  // Calls FN(element, feature) in row-major order.
  template <typename Fn>
  void ForEach(Fn fn) const {
    int64_t element = 0;
    for (int64_t o = 0; o < outer; ++o) {
      for (int64_t f = 0; f < features; ++f) {
        for (int64_t i = 0; i < inner; ++i) fn(element++, f);
      }
    }
  }
};

}  // namespace

Result EvalBatchNormTraining(const Instruction& instruction, Operands operands) {
  const auto& attributes = instruction.as<BatchNormAttributes>();
  const Shape& shape = operands[0].shape();
  const Features features(shape, attributes.feature_index);
  const std::vector<Lane> x = DecodeAll(operands[0]);
  const std::vector<Lane> scale = DecodeAll(operands[1]);
  const std::vector<Lane> offset = DecodeAll(operands[2]);
  std::vector<Lane> mean(features.features, Lane{.f = 0});
  std::vector<Lane> variance = mean;
  features.ForEach([&](int64_t k, int64_t f) { mean[f].f += x[k].f; });
  for (Lane& m : mean) m.f /= features.count();
  features.ForEach([&](int64_t k, int64_t f) {
    const double d = x[k].f - mean[f].f;
    variance[f].f += d * d;
  });
  for (Lane& v : variance) v.f /= features.count();
  std::vector<Lane> y(x.size());
  features.ForEach([&](int64_t k, int64_t f) {
    const double deviation = std::sqrt(variance[f].f + attributes.epsilon);
    y[k].f = (x[k].f - mean[f].f) / deviation * scale[f].f + offset[f].f;
  });
  const std::vector<Shape>& shapes = instruction.shape().elements();
  return Literal::Tuple(
      {EncodeAll(shapes[0], y), EncodeAll(shapes[1], mean), EncodeAll(shapes[2], variance)});
}

Result EvalBatchNormInference(const Instruction& instruction, Operands operands) {
  const auto& attributes = instruction.as<BatchNormAttributes>();
  const Features features(operands[0].shape(), attributes.feature_index);
  std::vector<Lane> x = DecodeAll(operands[0]);
  const std::vector<Lane> scale = DecodeAll(operands[1]);
  const std::vector<Lane> offset = DecodeAll(operands[2]);
  const std::vector<Lane> mean = DecodeAll(operands[3]);
  const std::vector<Lane> variance = DecodeAll(operands[4]);
  features.ForEach([&](int64_t k, int64_t f) {
    const double deviation = std::sqrt(variance[f].f + attributes.epsilon);
    x[k].f = (x[k].f - mean[f].f) / deviation * scale[f].f + offset[f].f;
  });
  return EncodeAll(instruction.shape(), x);
}

// With n elements a feature, r = 1/sqrt(variance + epsilon) and gs = sum of g * (x - mean):
// d_offset = sum of g, d_scale = gs * r, d_x = scale * r / n * (n g - d_offset - (x - mean) gs
// r^2).
Result EvalBatchNormGrad(const Instruction& instruction, Operands operands) {
  const auto& attributes = instruction.as<BatchNormAttributes>();
  const Features features(operands[0].shape(), attributes.feature_index);
  const std::vector<Lane> x = DecodeAll(operands[0]);
  const std::vector<Lane> scale = DecodeAll(operands[1]);
  const std::vector<Lane> mean = DecodeAll(operands[2]);
  const std::vector<Lane> variance = DecodeAll(operands[3]);
  const std::vector<Lane> g = DecodeAll(operands[4]);
  std::vector<Lane> d_offset(features.features, Lane{.f = 0});
  std::vector<Lane> sums = d_offset;
  features.ForEach([&](int64_t k, int64_t f) {
    d_offset[f].f += g[k].f;
    sums[f].f += g[k].f * (x[k].f - mean[f].f);
  });
  std::vector<Lane> d_scale(features.features);
  std::vector<double> r(features.features);
  for (int64_t f = 0; f < features.features; ++f) {
    r[f] = 1 / std::sqrt(variance[f].f + attributes.epsilon);
    d_scale[f].f = sums[f].f * r[f];
  }
  std::vector<Lane> d_x(x.size());
  const double n = features.count();
  features.ForEach([&](int64_t k, int64_t f) {
    const double centred = (x[k].f - mean[f].f) * sums[f].f * r[f] * r[f];
    d_x[k].f = scale[f].f * r[f] / n * (n * g[k].f - d_offset[f].f - centred);
  });
  const std::vector<Shape>& shapes = instruction.shape().elements();
  return Literal::Tuple(
      {EncodeAll(shapes[0], d_x), EncodeAll(shapes[1], d_scale), EncodeAll(shapes[2], d_offset)});
}

}  // namespace astitch::interp
