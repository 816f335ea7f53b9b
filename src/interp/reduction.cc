// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// reduce: any reducer, any number of arrays, any dimensions, folded in row-major order of the
// reduced indices from init.
//
//   kept dims  = outputs,   reduced dims = what one output folds;   element = kept + reduced offset
//
// With many outputs, a block of them fills the lanes and all fold in step; with few, one output at
// a time takes runs of its own elements.
#include <algorithm>
#include <vector>

#include "interp/fold.h"
#include "interp/strides.h"

namespace astitch::interp {
namespace {

// Below this many outputs the lanes would stay mostly empty.
constexpr int64_t kFewOutputs = 32;

struct Split {
  std::vector<int64_t> kept_dims, kept_strides, reduced_dims, reduced_strides;
};

Split SplitDims(const std::vector<int64_t>& dims, const std::vector<int64_t>& reduced) {
  const std::vector<int64_t> strides = RowMajorStrides(dims);
  Split split;
  for (int64_t d = 0; d < static_cast<int64_t>(dims.size()); ++d) {
    const bool folds = std::find(reduced.begin(), reduced.end(), d) != reduced.end();
    (folds ? split.reduced_dims : split.kept_dims).push_back(dims[d]);
    (folds ? split.reduced_strides : split.kept_strides).push_back(strides[d]);
  }
  return split;
}

struct Reduction {
  Fold fold;
  std::vector<Literal> arrays, results;
  std::vector<Lane> inits;

  ElementType ArrayType(int64_t i) const { return arrays[i].shape().element_type(); }
  void LoadInits(int64_t n) {
    for (int64_t i = 0; i < fold.width(); ++i) std::fill_n(fold.accumulator(i), n, inits[i]);
  }
  void LoadValues(int64_t base, const int64_t* offsets, int64_t n) {
    for (int64_t i = 0; i < fold.width(); ++i) {
      DecodeAt(ArrayType(i), arrays[i].bytes().data(), base, offsets, n, fold.value(i));
    }
  }
  void StoreResults(int64_t at, int64_t n) {
    for (int64_t i = 0; i < fold.width(); ++i) {
      const ElementType type = results[i].shape().element_type();
      Encode(type, fold.accumulator(i), n,
             results[i].mutable_bytes().data() + at * ByteWidth(type));
    }
  }
};

absl::Status ReduceInStep(Reduction& reduction, const Split& split) {
  BoxWalk outputs(split.kept_dims, split.kept_strides);
  std::vector<int64_t> offsets(kLanes);
  for (int64_t start = 0; start < outputs.size(); start += kLanes) {
    const int64_t n = std::min(kLanes, outputs.size() - start);
    outputs.Take(n, offsets.data());
    reduction.LoadInits(n);
    BoxWalk inner(split.reduced_dims, split.reduced_strides);
    for (int64_t k = 0; k < inner.size(); ++k, inner.Next()) {
      reduction.LoadValues(inner.offset(), offsets.data(), n);
      ASTITCH_RETURN_IF_ERROR(reduction.fold.Combine(n));
    }
    reduction.StoreResults(start, n);
  }
  return absl::OkStatus();
}

absl::Status ReduceOneByOne(Reduction& reduction, const Split& split) {
  BoxWalk outputs(split.kept_dims, split.kept_strides);
  std::vector<int64_t> offsets(kLanes);
  for (int64_t k = 0; k < outputs.size(); ++k, outputs.Next()) {
    reduction.LoadInits(1);
    BoxWalk inner(split.reduced_dims, split.reduced_strides);
    for (int64_t start = 0; start < inner.size(); start += kLanes) {
      const int64_t n = std::min(kLanes, inner.size() - start);
      inner.Take(n, offsets.data());
      reduction.LoadValues(outputs.offset(), offsets.data(), n);
      ASTITCH_RETURN_IF_ERROR(reduction.fold.CombineAll(n));
    }
    reduction.StoreResults(k, 1);
  }
  return absl::OkStatus();
}

}  // namespace

Result EvalReduce(Context& context, const Instruction& instruction, Operands operands) {
  ASTITCH_ASSIGN_OR_RETURN(Fold fold, Fold::Make(context, *instruction.called()[0]));
  Reduction reduction{std::move(fold), {}, {}, {}};
  const int64_t width = reduction.fold.width();
  const std::vector<const Shape*> result_shapes = instruction.shape().Leaves();
  for (int64_t i = 0; i < width; ++i) {
    const Literal& init = operands[width + i];
    reduction.arrays.push_back(operands[i]);
    reduction.inits.push_back(DecodeOne(init.shape().element_type(), init.bytes().data()));
    reduction.results.emplace_back(*result_shapes[i]);
  }
  const Split split = SplitDims(operands[0].shape().dims(), instruction.dimensions());
  const bool few = reduction.results[0].shape().num_elements() < kFewOutputs;
  ASTITCH_RETURN_IF_ERROR(few ? ReduceOneByOne(reduction, split) : ReduceInStep(reduction, split));
  if (!instruction.shape().IsTuple()) return std::move(reduction.results[0]);
  return Literal::Tuple(std::move(reduction.results));
}

}  // namespace astitch::interp
