// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The formulas of the header, spelled on a builder that knows the feature dimension: a value a
// feature is Spread over the array, an array is Summed to a value a feature, so each expansion
// below reads like its formula. The variance comes from the differences to the mean, not from
// E[x^2] - E[x]^2, which cancels when the mean is large: a second pass over x, which stitching
// keeps on the chip.
#include "passes/batch_norm.h"

#include <utility>
#include <vector>

#include "ir/number.h"
#include "passes/constants.h"
#include "passes/expansion.h"

namespace astitch {
namespace {

class Builder {
 public:
  Builder(Rewriter& rewriter, const Instruction& origin, Computation* sum)
      : rewriter_(rewriter),
        origin_(origin),
        sum_(sum),
        feature_(origin.as<BatchNormAttributes>().feature_index),
        type_(BatchNormComputeType(origin)),
        dims_(origin.operand(0)->shape().dims()) {}

  Instruction* Operand(int64_t i) { return Convert(origin_.operand(i), type_); }
  Instruction* Result(Instruction* value) {
    return Convert(value, origin_.operand(0)->shape().element_type());
  }
  Instruction* Binary(Opcode opcode, Instruction* a, Instruction* b) {
    return rewriter_.Add(origin_, opcode, a->shape(), {a, b});
  }
  Instruction* Add(Instruction* a, Instruction* b) { return Binary(Opcode::kAdd, a, b); }
  Instruction* Sub(Instruction* a, Instruction* b) { return Binary(Opcode::kSubtract, a, b); }
  Instruction* Mul(Instruction* a, Instruction* b) { return Binary(Opcode::kMultiply, a, b); }

  // A value a feature, at every element.
  Instruction* Spread(Instruction* per_feature) {
    return AddExpansion(rewriter_, origin_, dims_, per_feature, {feature_});
  }
  Instruction* Sum(Instruction* array) {
    std::vector<int64_t> reduced;
    for (size_t d = 0; d < dims_.size(); ++d) {
      if (static_cast<int64_t>(d) != feature_) reduced.push_back(d);
    }
    Instruction* zero = AddSplat(rewriter_, origin_, Shape::Scalar(type_), EncodeFloat(type_, 0));
    Instruction* reduce =
        rewriter_.Add(origin_, Opcode::kReduce, Shape::Array(type_, {dims_[feature_]}),
                      {array, zero}, DimensionsAttributes{std::move(reduced)});
    reduce->set_called({sum_});
    return reduce;
  }
  // A value a feature, divided by the number of elements of one.
  Instruction* PerElement(Instruction* per_feature) {
    double n = 1;
    for (size_t d = 0; d < dims_.size(); ++d) {
      if (static_cast<int64_t>(d) != feature_) n *= static_cast<double>(dims_[d]);
    }
    return Binary(Opcode::kDivide, per_feature, Splat(per_feature->shape(), n));
  }
  Instruction* ReciprocalDeviation(Instruction* variance) {
    Instruction* epsilon = Splat(variance->shape(), origin_.as<BatchNormAttributes>().epsilon);
    return rewriter_.Add(origin_, Opcode::kRsqrt, variance->shape(), {Add(variance, epsilon)});
  }
  Instruction* Tuple(std::vector<Instruction*> elements) {
    return rewriter_.Add(origin_, Opcode::kTuple, origin_.shape(), std::move(elements));
  }

 private:
  Instruction* Convert(Instruction* value, ElementType type) {
    if (value->shape().element_type() == type) return value;
    return rewriter_.Add(origin_, Opcode::kConvert, Shape::Array(type, value->shape().dims()),
                         {value});
  }
  Instruction* Splat(const Shape& shape, double value) {
    return AddSplat(rewriter_, origin_, shape, EncodeFloat(type_, value));
  }

  Rewriter& rewriter_;
  const Instruction& origin_;
  Computation* sum_;
  int64_t feature_;
  ElementType type_;
  std::vector<int64_t> dims_;
};

Instruction* Normalize(Builder& b, Instruction* centered, Instruction* variance) {
  Instruction* factor = b.Mul(b.ReciprocalDeviation(variance), b.Operand(1));
  return b.Add(b.Mul(centered, b.Spread(factor)), b.Spread(b.Operand(2)));
}

Instruction* ExpandInference(Builder& b) {
  Instruction* centered = b.Sub(b.Operand(0), b.Spread(b.Operand(3)));
  return b.Result(Normalize(b, centered, b.Operand(4)));
}

Instruction* ExpandTraining(Builder& b) {
  Instruction* x = b.Operand(0);
  Instruction* mean = b.PerElement(b.Sum(x));
  Instruction* centered = b.Sub(x, b.Spread(mean));
  Instruction* variance = b.PerElement(b.Sum(b.Mul(centered, centered)));
  Instruction* y = Normalize(b, centered, variance);
  return b.Tuple({b.Result(y), b.Result(mean), b.Result(variance)});
}

Instruction* ExpandGrad(Builder& b) {
  Instruction* scale = b.Operand(1);
  Instruction* gradient = b.Operand(4);
  Instruction* centered = b.Sub(b.Operand(0), b.Spread(b.Operand(2)));
  Instruction* r = b.ReciprocalDeviation(b.Operand(3));
  Instruction* d_offset = b.Sum(gradient);
  Instruction* sum = b.Sum(b.Mul(gradient, centered));
  Instruction* slope = b.PerElement(b.Mul(b.Mul(sum, r), r));
  Instruction* inner =
      b.Sub(b.Sub(gradient, b.Spread(b.PerElement(d_offset))), b.Mul(centered, b.Spread(slope)));
  Instruction* d_x = b.Mul(b.Spread(b.Mul(scale, r)), inner);
  return b.Tuple({b.Result(d_x), b.Result(b.Mul(sum, r)), b.Result(d_offset)});
}

}  // namespace

ElementType BatchNormComputeType(const Instruction& batch_norm) {
  const ElementType type = batch_norm.operand(0)->shape().element_type();
  return BitWidth(type) < 32 ? ElementType::kF32 : type;
}

Instruction* ExpandBatchNorm(Rewriter& rewriter, const Instruction& batch_norm, Computation* sum) {
  Builder builder(rewriter, batch_norm, sum);
  if (batch_norm.opcode() == Opcode::kBatchNormInference) return ExpandInference(builder);
  if (batch_norm.opcode() == Opcode::kBatchNormTraining) return ExpandTraining(builder);
  return ExpandGrad(builder);
}

}  // namespace astitch
