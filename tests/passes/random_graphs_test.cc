// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Random graphs of the operations that the passes rewrite, through the interpreter before and after
// the whole pipeline: equal bit for bit, signs of zeros included. A failure prints the graph.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "interp/interpreter.h"
#include "ir/number.h"
#include "ir/verifier.h"
#include "tests/passes/pass_test_util.h"

namespace astitch {
namespace {

constexpr int kGraphs = 400;
constexpr int kOperations = 25;
constexpr int64_t kMaxElements = 512;

class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed), graph_(std::make_unique<Graph>("random")) {
    main_ = graph_->AddComputation("main");
    sum_ = graph_->AddComputation("sum");
    const Shape scalar = Shape::Scalar(ElementType::kF32);
    Instruction* a = sum_->Add(Opcode::kParameter, scalar, {}, ParameterAttributes{0}, "a");
    Instruction* b = sum_->Add(Opcode::kParameter, scalar, {}, ParameterAttributes{1}, "b");
    sum_->set_root(sum_->Add(Opcode::kAdd, scalar, {a, b}));
    graph_->set_entry(main_);
  }

  std::unique_ptr<Graph> Make() {
    for (int i = 0; i < 3; ++i) {
      std::vector<int64_t> dims;
      for (int64_t rank = Below(4); rank > 0; --rank) dims.push_back(1 + Below(4));
      Push(Opcode::kParameter, std::move(dims), {}, ParameterAttributes{i});
    }
    for (int i = 0; i < kOperations; ++i) AddOperation();
    std::vector<Shape> shapes;
    const std::vector<Instruction*> results(values_.end() - 6, values_.end());
    for (const Instruction* value : results) shapes.push_back(value->shape());
    main_->set_root(main_->Add(Opcode::kTuple, Shape::Tuple(std::move(shapes)), results));
    graph_->SortCalleesFirst();
    return std::move(graph_);
  }

 private:
  int64_t Below(int64_t bound) { return static_cast<int64_t>(random_() % bound); }

  Instruction* Push(Opcode opcode, std::vector<int64_t> dims, std::vector<Instruction*> operands,
                    Attributes attributes = {}) {
    values_.push_back(main_->Add(opcode, Shape::Array(ElementType::kF32, std::move(dims)),
                                 std::move(operands), std::move(attributes)));
    return values_.back();
  }

  Instruction* Constant(float value) {
    Literal literal(Shape::Scalar(ElementType::kF32));
    literal.mutable_data<float>()[0] = value;
    return main_->Add(Opcode::kConstant, literal.shape(), {}, ConstantAttributes{literal});
  }

  // A value of these dims: one there is, or a broadcast constant.
  Instruction* Partner(const std::vector<int64_t>& dims) {
    for (int tries = 0; tries < 4; ++tries) {
      Instruction* value = values_[Below(values_.size())];
      if (value->shape().dims() == dims) return value;
    }
    static constexpr float kConstants[] = {0.0f, -0.0f, 1.0f, 2.0f, -1.0f, 0.25f, INFINITY};
    return Push(Opcode::kBroadcast, dims, {Constant(kConstants[Below(7)])}, DimensionsAttributes{});
  }

  void AddOperation() {
    Instruction* x = values_[Below(values_.size())];
    const std::vector<int64_t>& dims = x->shape().dims();
    switch (Below(11)) {
      case 0: {
        static constexpr Opcode kUnary[] = {Opcode::kNegate, Opcode::kAbs, Opcode::kCeil,
                                            Opcode::kSign, Opcode::kExponential};
        Push(kUnary[Below(5)], dims, {x});
        return;
      }
      case 1:
      case 2: {
        static constexpr Opcode kBinary[] = {Opcode::kAdd,     Opcode::kSubtract, Opcode::kMultiply,
                                             Opcode::kMaximum, Opcode::kDivide,   Opcode::kPower};
        Instruction* y = Partner(dims);
        if (Below(2) == 0) std::swap(x, y);
        Push(kBinary[Below(6)], dims, {x, y});
        return;
      }
      case 3:
        return AddReshape(x);
      case 4: {
        std::vector<int64_t> permutation = Permutation(dims.size()), permuted;
        for (int64_t d : permutation) permuted.push_back(dims[d]);
        Push(Opcode::kTranspose, permuted, {x}, DimensionsAttributes{permutation});
        return;
      }
      case 5:
      case 6:
        return AddBroadcast(x);
      case 7:
        return AddSlice(x);
      case 8:
        return AddConcatenateOrPad(x);
      case 9:
        return AddReduce(x);
      case 10: {
        Instruction* y = Partner(dims);
        Instruction* less = main_->Add(Opcode::kCompare, Shape::Array(ElementType::kPred, dims),
                                       {x, y}, CompareAttributes{ComparisonDirection::kLt});
        Push(Opcode::kSelect, dims, {less, y, x});
        return;
      }
    }
  }

  std::vector<int64_t> Permutation(size_t rank) {
    std::vector<int64_t> permutation(rank);
    std::iota(permutation.begin(), permutation.end(), 0);
    for (size_t i = rank; i > 1; --i) std::swap(permutation[i - 1], permutation[Below(i)]);
    return permutation;
  }

  // Splits, merges or adds dimensions of size 1.
  void AddReshape(Instruction* x) {
    std::vector<int64_t> dims = x->shape().dims();
    const int64_t at = Below(dims.size() + 1);
    if (Below(2) == 0 || dims.size() < 2) {
      dims.insert(dims.begin() + at, 1);
    } else {
      const int64_t d = Below(dims.size() - 1);
      dims[d] *= dims[d + 1];
      dims.erase(dims.begin() + d + 1);
    }
    if (Below(3) == 0) dims.erase(std::remove(dims.begin(), dims.end(), 1), dims.end());
    if (!dims.empty() && dims[0] == 4) dims = Prepend(2, dims, 2);
    Push(Opcode::kReshape, std::move(dims), {x}, ReshapeAttributes{});
  }

  static std::vector<int64_t> Prepend(int64_t size, std::vector<int64_t> dims, int64_t first) {
    dims[0] = first;
    dims.insert(dims.begin(), size);
    return dims;
  }

  void AddBroadcast(Instruction* x) {
    const int64_t rank = x->shape().rank() + Below(3);
    if (x->shape().num_elements() * 9 > kMaxElements || rank > 6) return;
    std::vector<int64_t> places = Permutation(rank);
    places.resize(x->shape().rank());
    if (Below(3) != 0) std::sort(places.begin(), places.end());
    std::vector<int64_t> dims(rank, 0);
    for (size_t i = 0; i < places.size(); ++i) dims[places[i]] = x->shape().dim(i);
    for (int64_t& d : dims) d = d == 0 ? 1 + Below(3) : d;
    Push(Opcode::kBroadcast, std::move(dims), {x}, DimensionsAttributes{std::move(places)});
  }

  Instruction* AddPiece(Instruction* x, int64_t dim, int64_t start, int64_t limit, int64_t stride) {
    SliceAttributes slice;
    slice.starts.assign(x->shape().rank(), 0);
    slice.limits = x->shape().dims();
    slice.strides.assign(x->shape().rank(), 1);
    slice.starts[dim] = start;
    slice.limits[dim] = limit;
    slice.strides[dim] = stride;
    std::vector<int64_t> dims = x->shape().dims();
    dims[dim] = (limit - start + stride - 1) / stride;
    return Push(Opcode::kSlice, std::move(dims), {x}, std::move(slice));
  }

  void AddSlice(Instruction* x) {
    if (x->shape().rank() == 0) return;
    const int64_t dim = Below(x->shape().rank());
    const int64_t size = x->shape().dim(dim);
    const int64_t start = Below(size);
    AddPiece(x, dim, start, start + 1 + Below(size - start), 1 + Below(2));
  }

  void AddConcatenateOrPad(Instruction* x) {
    if (x->shape().rank() == 0 || x->shape().num_elements() * 2 > kMaxElements) return;
    const int64_t dim = Below(x->shape().rank());
    std::vector<int64_t> dims = x->shape().dims();
    if (Below(2) == 0) {
      PadAttributes pad;
      pad.dims.resize(dims.size());
      pad.dims[dim].low = Below(3) - 1;
      if (dims[dim] + pad.dims[dim].low < 1) return;
      dims[dim] += pad.dims[dim].low;
      Push(Opcode::kPad, std::move(dims), {x, Constant(-0.0f)}, std::move(pad));
      return;
    }
    const int64_t cut = dims[dim] > 1 ? 1 + Below(dims[dim] - 1) : 0;
    Instruction* first = cut == 0 ? x : AddPiece(x, dim, 0, cut, 1);
    Instruction* second = AddPiece(x, dim, cut, dims[dim], 1);
    if (Below(3) == 0) std::swap(first, second);
    dims[dim] = first->shape().dim(dim) + second->shape().dim(dim);
    Push(Opcode::kConcatenate, std::move(dims), {first, second}, DimensionsAttributes{{dim}});
  }

  void AddReduce(Instruction* x) {
    std::vector<int64_t> dims, reduced;
    for (int64_t d = 0; d < x->shape().rank(); ++d) {
      if (Below(2) == 0) {
        reduced.push_back(d);
      } else {
        dims.push_back(x->shape().dim(d));
      }
    }
    Instruction* start = Constant(Below(2) == 0 ? 0.0f : -0.0f);
    Push(Opcode::kReduce, std::move(dims), {x, start}, DimensionsAttributes{std::move(reduced)})
        ->set_called({sum_});
  }

  std::mt19937 random_;
  std::unique_ptr<Graph> graph_;
  Computation* main_;
  Computation* sum_;
  std::vector<Instruction*> values_;
};

bool SameBits(const Literal& a, const Literal& b) {
  const auto x = a.data<float>(), y = b.data<float>();
  for (size_t i = 0; i < x.size(); ++i) {
    const bool both_nan = x[i] != x[i] && y[i] != y[i];
    if (!both_nan && std::memcmp(&x[i], &y[i], sizeof(float)) != 0) return false;
  }
  return x.size() == y.size();
}

TEST(RandomGraphsTest, PipelineKeepsEveryBit) {
  for (uint32_t seed = 1; seed <= kGraphs; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    const std::unique_ptr<Graph> graph = Generator(seed).Make();
    ASSERT_TRUE(VerifyGraph(*graph).ok()) << VerifyGraph(*graph) << ToHloText(*graph);
    std::vector<Literal> arguments;
    for (const Instruction* parameter : graph->entry()->parameters()) {
      Literal value(parameter->shape());
      float next = -2.0f;
      for (float& element : value.mutable_data<float>()) {
        element = next == 0 ? -0.0f : next;
        next = next > 3 ? -2.0f : next + 0.5f;
      }
      arguments.push_back(std::move(value));
    }
    const std::string before = ToHloText(*graph);
    const auto expected = Evaluate(*graph, arguments);
    ASSERT_TRUE(expected.ok()) << expected.status() << before;
    ASSERT_TRUE(RunPasses(*graph, StandardPipeline()).ok()) << before;
    const auto got = Evaluate(*graph, arguments);
    ASSERT_TRUE(got.ok()) << got.status() << before << ToHloText(*graph);
    for (size_t i = 0; i < expected->elements().size(); ++i) {
      ASSERT_TRUE(SameBits(got->elements()[i], expected->elements()[i])) << "element " << i << "\n"
                                                                         << before << "\nbecame\n"
                                                                         << ToHloText(*graph);
    }
    const std::string after = ToHloText(*graph);
    const auto again = RunPasses(*graph, StandardPipeline());
    ASSERT_TRUE(again.ok());
    EXPECT_FALSE(*again) << after << "\nagain became\n" << ToHloText(*graph);
  }
}

}  // namespace
}  // namespace astitch
