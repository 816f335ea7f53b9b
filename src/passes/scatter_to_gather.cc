// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// S: the dimensions that an index vector chooses; W: those of a window, whole; B: those of the index vectors.
#include "passes/scatter_to_gather.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "base/status.h"
#include "ir/gather_dims.h"
#include "passes/constants.h"
#include "passes/rewriter.h"
#include "passes/scatter_index.h"

namespace astitch {
namespace {

using Dims = std::vector<int64_t>;

// Of the array, there are so many times what updates may touch.
constexpr int64_t kSparse = 8;
// Bytes of a slice: of each, the number of an update is stored and read instead.
constexpr int64_t kLeastSlice = 16;
// Index vectors that look at an index vector in the time that a byte of the array takes.
constexpr int64_t kLooks = 4;

int64_t Product(const Dims& dims) {
  return std::accumulate(dims.begin(), dims.end(), int64_t{1}, std::multiplies<>());
}

// Whether READER computes from elements where they are wanted; others have the array in memory.
bool TakesElements(const Instruction* reader) {
  const OpKind kind = KindOf(reader->opcode());
  return kind == OpKind::kElementwise || kind == OpKind::kIndexMap ||
         reader->opcode() == Opcode::kReduce;
}

class Expansion {
 public:
  Expansion(Rewriter& rewriter, const Instruction& scatter)
      : rewriter_(rewriter),
        scatter_(scatter),
        shape_(scatter.shape()),
        indices_(scatter.operand(1)),
        updates_(scatter.operand(2)),
        dims_(ScatterDimsOf(scatter)) {
    for (int64_t d : dims_.collapsed_dims) chosen_.push_back(shape_.dim(d));
    for (int64_t d : dims_.window_dims) window_.push_back(shape_.dim(d));
    for (int64_t d : dims_.batch_dims) batch_.push_back(updates_->shape().dim(d));
    num_updates_ = Product(batch_);
  }

  // Whether each index vector chooses a whole slice of an array of equal elements, and few are chosen.
  bool Applies(int64_t least_bytes) const {
    if (!dims_.operand_batching_dims.empty() || num_updates_ == 0 || shape_.num_elements() == 0)
      return false;
    Dims chosen = dims_.start_index_map;
    std::sort(chosen.begin(), chosen.end());
    if (chosen != dims_.collapsed_dims) return false;
    for (size_t k = 0; k < window_.size(); ++k) {
      if (updates_->shape().dim(dims_.offset_dims[k]) != window_[k]) return false;
    }
    const int64_t slices = Product(chosen_), bytes = shape_.byte_size();
    // There are two scatters then, and in each all index vectors may look at all others: that takes less
    // than the array's bytes did.
    const bool few =
        kSparse * num_updates_ <= slices && num_updates_ <= kLooks * (bytes / num_updates_);
    return few && bytes >= least_bytes && bytes >= kLeastSlice * slices &&
           SplatConstant(*scatter_.operand(0)) != nullptr;
  }

  Instruction* Run(Computation* minimum) {
    Instruction* first = First(minimum);
    Instruction* few = Few(Slot(first));
    Instruction* limit = Splat(chosen_, num_updates_);
    Instruction* touched = Compare(ComparisonDirection::kLt, first, limit);
    Instruction* everywhere =
        rewriter_.Add(scatter_, Opcode::kBroadcast, Shape::Array(ElementType::kPred, shape_.dims()),
                      {touched}, DimensionsAttributes{dims_.collapsed_dims});
    return rewriter_.Add(scatter_, Opcode::kSelect, shape_,
                         {everywhere, Taken(few, first), scatter_.operand(0)});
  }

 private:
  static constexpr ElementType kNumber = ElementType::kS32;

  Instruction* Splat(const Dims& dims, int64_t value, ElementType type = kNumber) {
    return AddSplat(rewriter_, scatter_, Shape::Array(type, dims), static_cast<uint64_t>(value));
  }

  Instruction* Compare(ComparisonDirection direction, Instruction* a, Instruction* b) {
    return rewriter_.Add(scatter_, Opcode::kCompare,
                         Shape::Array(ElementType::kPred, a->shape().dims()), {a, b},
                         CompareAttributes{direction, ComparisonType::kSigned});
  }

  // S: the number of the first update of each slice, or that of updates where there is none.
  Instruction* First(Computation* minimum) {
    Instruction* line =
        rewriter_.Add(scatter_, Opcode::kIota, Shape::Array(kNumber, {num_updates_}), {},
                      DimensionsAttributes{{0}});
    Instruction* numbers =
        batch_.size() == 1
            ? line
            : rewriter_.Add(scatter_, Opcode::kReshape, Shape::Array(kNumber, batch_), {line});
    ScatterAttributes attributes;
    attributes.inserted_window_dims.resize(chosen_.size());
    std::iota(attributes.inserted_window_dims.begin(), attributes.inserted_window_dims.end(), 0);
    attributes.scatter_dims_to_operand_dims = PlacesOfIndex();
    attributes.index_vector_dim = dims_.index_vector_dim;
    attributes.indices_are_sorted = scatter_.as<ScatterAttributes>().indices_are_sorted;
    attributes.unique_indices = scatter_.as<ScatterAttributes>().unique_indices;
    Instruction* first =
        rewriter_.Add(scatter_, Opcode::kScatter, Shape::Array(kNumber, chosen_),
                      {Splat(chosen_, num_updates_), indices_, numbers}, std::move(attributes));
    first->set_called({minimum});
    return first;
  }

  // For each entry of an index vector the place of its dimension among S.
  Dims PlacesOfIndex() const {
    Dims places;
    for (int64_t d : dims_.start_index_map) {
      const auto at = std::find(dims_.collapsed_dims.begin(), dims_.collapsed_dims.end(), d);
      places.push_back(at - dims_.collapsed_dims.begin());
    }
    return places;
  }

  // B: the slot of each update, outside where its index vector is.
  Instruction* Slot(Instruction* first) {
    GatherAttributes attributes;
    attributes.collapsed_slice_dims.resize(chosen_.size());
    std::iota(attributes.collapsed_slice_dims.begin(), attributes.collapsed_slice_dims.end(), 0);
    attributes.start_index_map = PlacesOfIndex();
    attributes.index_vector_dim = dims_.index_vector_dim;
    attributes.slice_sizes.assign(chosen_.size(), 1);
    Instruction* slot = rewriter_.Add(scatter_, Opcode::kGather, Shape::Array(kNumber, batch_),
                                      {first, indices_}, std::move(attributes));
    Instruction* nowhere = Splat(batch_, num_updates_);
    for (size_t k = 0; k < chosen_.size(); ++k) {
      const int64_t extent = shape_.dim(dims_.start_index_map[k]);
      Instruction* index = Component(static_cast<int64_t>(k), extent);
      const ElementType type = index->shape().element_type();
      Instruction* begun = Compare(ComparisonDirection::kGe, index, Splat(batch_, 0, type));
      Instruction* inside = Compare(ComparisonDirection::kLt, index, Splat(batch_, extent, type));
      Instruction* both = rewriter_.Add(scatter_, Opcode::kAnd,
                                        Shape::Array(ElementType::kPred, batch_), {begun, inside});
      slot = rewriter_.Add(scatter_, Opcode::kSelect, slot->shape(), {both, slot, nowhere});
    }
    return slot;
  }

  // B: entry K of each index vector, as an integer that is exact below EXTENT.
  Instruction* Component(int64_t k, int64_t extent) {
    Instruction* index = indices_;
    const ElementType given = index->shape().element_type();
    const int64_t rank = index->shape().rank(), along = dims_.index_vector_dim;
    if (along < rank && index->shape().dim(along) > 1) {
      SliceAttributes slice;
      slice.starts.assign(rank, 0);
      slice.limits = index->shape().dims();
      slice.strides.assign(rank, 1);
      slice.starts[along] = k;
      slice.limits[along] = k + 1;
      Dims dims = index->shape().dims();
      dims[along] = 1;
      index = rewriter_.Add(scatter_, Opcode::kSlice, Shape::Array(given, dims), {index},
                            std::move(slice));
    }
    if (index->shape().dims() != batch_)
      index = rewriter_.Add(scatter_, Opcode::kReshape, Shape::Array(given, batch_), {index});
    const ElementType type = ComparedAs(given, extent);
    if (given == type) return index;
    return rewriter_.Add(scatter_, Opcode::kConvert, Shape::Array(type, batch_), {index});
  }

  // [N, W]: the slices that are touched, each in the slot of its first update.
  Instruction* Few(Instruction* slot) {
    const ElementType type = shape_.element_type();
    Dims dims = {num_updates_};
    dims.insert(dims.end(), window_.begin(), window_.end());
    Instruction* element = rewriter_.Add(scatter_, Opcode::kConstant, Shape::Scalar(type), {},
                                         SplatConstant(*scatter_.operand(0))->attributes());
    Instruction* start = rewriter_.Add(scatter_, Opcode::kBroadcast, Shape::Array(type, dims),
                                       {element}, DimensionsAttributes{});
    ScatterAttributes attributes;
    attributes.update_window_dims = dims_.offset_dims;
    attributes.inserted_window_dims = {0};
    attributes.scatter_dims_to_operand_dims = {0};
    attributes.index_vector_dim = static_cast<int64_t>(batch_.size());
    attributes.unique_indices = scatter_.as<ScatterAttributes>().unique_indices;
    Instruction* few = rewriter_.Add(scatter_, Opcode::kScatter, Shape::Array(type, dims),
                                     {start, slot, updates_}, std::move(attributes));
    few->set_called({scatter_.called()[0]});
    return few;
  }

  // Of FEW, what every slice has in its slot; of those that are not touched, anything.
  Instruction* Taken(Instruction* few, Instruction* first) {
    GatherAttributes attributes;
    attributes.offset_dims = dims_.window_dims;
    attributes.collapsed_slice_dims = {0};
    attributes.start_index_map = {0};
    attributes.index_vector_dim = static_cast<int64_t>(chosen_.size());
    attributes.slice_sizes = {1};
    attributes.slice_sizes.insert(attributes.slice_sizes.end(), window_.begin(), window_.end());
    return rewriter_.Add(scatter_, Opcode::kGather, shape_, {few, first}, std::move(attributes));
  }

  Rewriter& rewriter_;
  const Instruction& scatter_;
  const Shape& shape_;
  Instruction* indices_;
  Instruction* updates_;
  const GatherDims dims_;
  Dims chosen_, window_, batch_;
  int64_t num_updates_ = 0;
};

Computation* AddMinimum(Graph& graph) {
  Computation* minimum = graph.AddComputation("first_update");
  const Shape scalar = Shape::Scalar(ElementType::kS32);
  Instruction* a = minimum->Add(Opcode::kParameter, scalar, {}, ParameterAttributes{0}, "a");
  Instruction* b = minimum->Add(Opcode::kParameter, scalar, {}, ParameterAttributes{1}, "b");
  minimum->set_root(minimum->Add(Opcode::kMinimum, scalar, {a, b}));
  return minimum;
}

}  // namespace

absl::StatusOr<bool> ScatterToGather::Run(Graph& graph) {
  Computation* minimum = nullptr;
  const auto visit = [&](Rewriter& rewriter, Instruction& i) -> absl::StatusOr<Instruction*> {
    const bool may = i.opcode() == Opcode::kScatter && IsStatic(i) && i.num_operands() == 3 &&
                     !i.users().empty() && i.parent()->root() != &i &&
                     std::all_of(i.users().begin(), i.users().end(), TakesElements);
    if (!may) return nullptr;
    Expansion expansion(rewriter, i);
    if (!expansion.Applies(least_bytes_)) return nullptr;
    if (minimum == nullptr) minimum = AddMinimum(graph);
    return expansion.Run(minimum);
  };
  ASTITCH_ASSIGN_OR_RETURN(const bool changed, RewriteEach(graph, visit));
  if (minimum != nullptr) graph.SortCalleesFirst();
  return changed;
}

}  // namespace astitch
