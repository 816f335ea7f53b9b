// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The masked updates have the scatter's batch dimensions first, then those of the result.
#include "passes/scatter_to_reduce.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "ir/gather_dims.h"
#include "ir/number.h"
#include "passes/combiner.h"
#include "passes/constants.h"
#include "passes/rewriter.h"
#include "passes/scatter_index.h"

namespace astitch {
namespace {

// Each row more is a comparison and a step of the fold more, of every update.
constexpr int64_t kMostRows = 4;

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

  // Null where the scatter is no such one.
  Instruction* Run() {
    const std::optional<double> identity = Applies();
    if (!identity.has_value()) return nullptr;
    const ElementType type = updates_->shape().element_type();
    for (int64_t d : dims_.batch_dims) masked_.push_back(updates_->shape().dim(d));
    masked_.insert(masked_.end(), shape_.dims().begin(), shape_.dims().end());
    Instruction* update = Spread(updates_, UpdateDims());
    uint64_t bits = 0;
    StoreFromDouble(type, reinterpret_cast<std::byte*>(&bits), *identity);
    Instruction* none = AddSplat(rewriter_, scatter_, Shape::Array(type, masked_), bits);
    Instruction* mine = rewriter_.Add(scatter_, Opcode::kSelect, Shape::Array(type, masked_),
                                      {Matches(), update, none});
    DimensionsAttributes folded;
    folded.dimensions.resize(dims_.batch_dims.size());
    std::iota(folded.dimensions.begin(), folded.dimensions.end(), 0);
    Instruction* init = rewriter_.Add(scatter_, Opcode::kConstant, Shape::Scalar(type), {},
                                      SplatConstant(*scatter_.operand(0))->attributes());
    Instruction* result =
        rewriter_.Add(scatter_, Opcode::kReduce, shape_, {mine, init}, std::move(folded));
    result->set_called({scatter_.called()[0]});
    return result;
  }

 private:
  // The combiner's identity if the scatter is one of whole rows into few equal ones.
  std::optional<double> Applies() const {
    if (!IsStatic(scatter_) || scatter_.num_operands() != 3 || shape_.num_elements() == 0 ||
        updates_->shape().num_elements() == 0)
      return std::nullopt;
    if (dims_.start_index_map.size() != 1 || !dims_.operand_batching_dims.empty())
      return std::nullopt;
    const int64_t row = dims_.start_index_map[0];
    if (dims_.collapsed_dims != std::vector<int64_t>{row} || shape_.dim(row) > kMostRows)
      return std::nullopt;
    for (size_t k = 0; k < dims_.window_dims.size(); ++k) {
      if (updates_->shape().dim(dims_.offset_dims[k]) != shape_.dim(dims_.window_dims[k]))
        return std::nullopt;
    }
    const std::vector<int64_t> to = UpdateDims();
    if (dims_.batch_dims.empty() || !std::is_sorted(to.begin(), to.end())) return std::nullopt;
    if (SplatConstant(*scatter_.operand(0)) == nullptr) return std::nullopt;
    return IdentityOf(*scatter_.called()[0], shape_.element_type());
  }

  // For each dimension of the updates, the one of the masked updates.
  std::vector<int64_t> UpdateDims() const {
    std::vector<int64_t> to(updates_->shape().rank());
    for (size_t n = 0; n < dims_.batch_dims.size(); ++n)
      to[dims_.batch_dims[n]] = static_cast<int64_t>(n);
    for (size_t k = 0; k < dims_.offset_dims.size(); ++k)
      to[dims_.offset_dims[k]] =
          static_cast<int64_t>(dims_.batch_dims.size()) + dims_.window_dims[k];
    return to;
  }

  Instruction* Spread(Instruction* value, std::vector<int64_t> to) {
    return rewriter_.Add(scatter_, Opcode::kBroadcast,
                         Shape::Array(value->shape().element_type(), masked_), {value},
                         DimensionsAttributes{std::move(to)});
  }

  // Whether an update is of the row at its place.
  Instruction* Matches() {
    std::vector<int64_t> batch;
    for (int64_t d : dims_.batch_dims) batch.push_back(updates_->shape().dim(d));
    Instruction* index = indices_;
    const ElementType given = indices_->shape().element_type();
    if (index->shape().dims() != batch)
      index = rewriter_.Add(scatter_, Opcode::kReshape, Shape::Array(given, batch), {index});
    const ElementType type = ComparedAs(given, kMostRows);
    if (given != type)
      index = rewriter_.Add(scatter_, Opcode::kConvert, Shape::Array(type, batch), {index});
    std::vector<int64_t> to(batch.size());
    std::iota(to.begin(), to.end(), 0);
    const int64_t row = static_cast<int64_t>(batch.size()) + dims_.start_index_map[0];
    Instruction* coordinate = rewriter_.Add(scatter_, Opcode::kIota, Shape::Array(type, masked_),
                                            {}, DimensionsAttributes{{row}});
    return rewriter_.Add(scatter_, Opcode::kCompare, Shape::Array(ElementType::kPred, masked_),
                         {coordinate, Spread(index, std::move(to))},
                         CompareAttributes{ComparisonDirection::kEq, ComparisonType::kSigned});
  }

  Rewriter& rewriter_;
  const Instruction& scatter_;
  const Shape& shape_;
  Instruction* indices_;
  Instruction* updates_;
  GatherDims dims_;
  std::vector<int64_t> masked_;
};

absl::StatusOr<Instruction*> Visit(Rewriter& rewriter, Instruction& i) {
  return i.opcode() == Opcode::kScatter ? Expansion(rewriter, i).Run() : nullptr;
}

}  // namespace

absl::StatusOr<bool> ScatterToReduce::Run(Graph& graph) { return RewriteEach(graph, Visit); }

}  // namespace astitch
