// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One comparison of each indexed dimension with its iota, an update at a time.
#include "passes/scatter_to_select.h"

#include <algorithm>

#include "base/checked_math.h"
#include "ir/gather_dims.h"
#include "passes/rewriter.h"
#include "passes/scalar_computation.h"
#include "passes/scatter_index.h"

namespace astitch {
namespace {

// Updates of each batch coordinate: every one is a comparison at each element.
constexpr int64_t kMostUpdates = 4;

class Expansion {
 public:
  Expansion(Rewriter& rewriter, const Instruction& scatter)
      : rewriter_(rewriter),
        scatter_(scatter),
        shape_(scatter.shape()),
        indices_(scatter.operand(1)),
        updates_(scatter.operand(2)),
        dims_(GatherDimsOf(scatter.as<ScatterAttributes>(), shape_.rank(),
                           updates_->shape().rank())) {}

  bool Applies() const {
    if (!IsStatic(scatter_) || scatter_.num_operands() != 3 || shape_.num_elements() == 0)
      return false;
    if (!dims_.offset_dims.empty() || !IsElementwiseOnScalars(*scatter_.called()[0])) return false;
    int64_t batch = 1;
    for (int64_t d : dims_.operand_batching_dims) batch *= shape_.dim(d);
    return updates_->shape().num_elements() > 0 &&
           updates_->shape().num_elements() <= kMostUpdates * batch;
  }

  Instruction* Run() {
    Instruction* result = scatter_.operand(0);
    std::vector<int64_t> at(updates_->shape().rank(), 0);
    do {
      Instruction* update = Spread(Piece(updates_, at));
      Instruction* changed =
          ApplyToArrays(rewriter_, scatter_, *scatter_.called()[0], shape_.dims(), {result, update})
              .at(0);
      result = rewriter_.Add(scatter_, Opcode::kSelect, shape_, {Matches(at), changed, result});
    } while (Next(at));
    return result;
  }

 private:
  bool IsBatching(int64_t update_dim) const {
    const auto& positions = dims_.batching_positions;
    return std::find(positions.begin(), positions.end(), update_dim) != positions.end();
  }

  // The next update of a batch coordinate, in order; batching coordinates stay 0.
  bool Next(std::vector<int64_t>& at) const {
    for (int64_t d = static_cast<int64_t>(at.size()); d-- > 0;) {
      if (IsBatching(d)) continue;
      if (++at[d] < updates_->shape().dim(d)) return true;
      at[d] = 0;
    }
    return false;
  }

  // The elements of ARRAY, whose dimensions are those of the updates, at AT and every batch
  // coordinate: an array of the batching dimensions, in the order of the array's.
  Instruction* Piece(Instruction* array, const std::vector<int64_t>& at) {
    SliceAttributes slice;
    std::vector<int64_t> sliced, batch;
    for (int64_t d = 0; d < array->shape().rank(); ++d) {
      const bool batching = IsBatching(d);
      slice.starts.push_back(batching ? 0 : at[d]);
      slice.limits.push_back(batching ? array->shape().dim(d) : at[d] + 1);
      slice.strides.push_back(1);
      sliced.push_back(batching ? array->shape().dim(d) : 1);
      if (batching) batch.push_back(array->shape().dim(d));
    }
    const ElementType type = array->shape().element_type();
    Instruction* piece = array;
    if (sliced != array->shape().dims())
      piece = rewriter_.Add(scatter_, Opcode::kSlice, Shape::Array(type, sliced), {piece},
                            std::move(slice));
    if (batch != sliced)
      piece = rewriter_.Add(scatter_, Opcode::kReshape, Shape::Array(type, batch), {piece});
    return piece;
  }

  // An array of the batching dimensions, for every element of the result.
  Instruction* Spread(Instruction* piece) {
    DimensionsAttributes to;
    for (int64_t d = 0; d < updates_->shape().rank(); ++d) {
      const auto& positions = dims_.batching_positions;
      const auto it = std::find(positions.begin(), positions.end(), d);
      if (it != positions.end())
        to.dimensions.push_back(dims_.operand_batching_dims[it - positions.begin()]);
    }
    return rewriter_.Add(scatter_, Opcode::kBroadcast,
                         Shape::Array(piece->shape().element_type(), shape_.dims()), {piece}, to);
  }

  // Entry C of the index vectors: an array whose dimensions are those of the updates.
  Instruction* Entry(int64_t c) {
    const Shape& shape = indices_->shape();
    if (dims_.index_vector_dim == shape.rank()) return indices_;
    SliceAttributes slice;
    std::vector<int64_t> sliced, rest;
    for (int64_t d = 0; d < shape.rank(); ++d) {
      const bool vector = d == dims_.index_vector_dim;
      slice.starts.push_back(vector ? c : 0);
      slice.limits.push_back(vector ? c + 1 : shape.dim(d));
      slice.strides.push_back(1);
      sliced.push_back(vector ? 1 : shape.dim(d));
      if (!vector) rest.push_back(shape.dim(d));
    }
    Instruction* entry = indices_;
    if (sliced != shape.dims())
      entry = rewriter_.Add(scatter_, Opcode::kSlice, Shape::Array(shape.element_type(), sliced),
                            {entry}, std::move(slice));
    return rewriter_.Add(scatter_, Opcode::kReshape, Shape::Array(shape.element_type(), rest),
                         {entry});
  }

  // Whether an element is where the update at AT goes.
  Instruction* Matches(const std::vector<int64_t>& at) {
    const Shape mask = Shape::Array(ElementType::kPred, shape_.dims());
    Instruction* all = nullptr;
    for (size_t c = 0; c < dims_.start_index_map.size(); ++c) {
      const int64_t dim = dims_.start_index_map[c];
      Instruction* index = Piece(Entry(static_cast<int64_t>(c)), at);
      const ElementType type = ComparedAs(indices_->shape().element_type(), shape_.dim(dim));
      if (index->shape().element_type() != type)
        index = rewriter_.Add(scatter_, Opcode::kConvert, Shape::Array(type, index->shape().dims()),
                              {index});
      Instruction* coordinate =
          rewriter_.Add(scatter_, Opcode::kIota, Shape::Array(type, shape_.dims()), {},
                        DimensionsAttributes{{dim}});
      Instruction* match =
          rewriter_.Add(scatter_, Opcode::kCompare, mask, {coordinate, Spread(index)},
                        CompareAttributes{ComparisonDirection::kEq, ComparisonType::kSigned});
      all = all == nullptr ? match : rewriter_.Add(scatter_, Opcode::kAnd, mask, {all, match});
    }
    if (all != nullptr) return all;
    Literal yes(Shape::Scalar(ElementType::kPred));
    yes.mutable_bytes()[0] = std::byte{1};
    Instruction* scalar =
        rewriter_.Add(scatter_, Opcode::kConstant, Shape::Scalar(ElementType::kPred), {},
                      ConstantAttributes{std::move(yes)});
    return rewriter_.Add(scatter_, Opcode::kBroadcast, mask, {scalar}, DimensionsAttributes{});
  }

  Rewriter& rewriter_;
  const Instruction& scatter_;
  const Shape& shape_;
  Instruction* indices_;
  Instruction* updates_;
  GatherDims dims_;
};

absl::StatusOr<Instruction*> Visit(Rewriter& rewriter, Instruction& i) {
  if (i.opcode() != Opcode::kScatter) return nullptr;
  Expansion expansion(rewriter, i);
  return expansion.Applies() ? expansion.Run() : nullptr;
}

}  // namespace

absl::StatusOr<bool> ScatterToSelect::Run(Graph& graph) { return RewriteEach(graph, Visit); }

}  // namespace astitch
