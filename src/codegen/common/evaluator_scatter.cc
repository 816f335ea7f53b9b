// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Scatter: where an update goes, and the scatter read backwards: an element of the result folds, in
// order, the updates that fall on it.
#include "absl/algorithm/container.h"
#include "codegen/common/accumulators.h"
#include "codegen/common/evaluator.h"
#include "codegen/common/memory.h"
#include "codegen/common/register_types.h"
#include "ir/gather_dims.h"

namespace astitch::codegen {
namespace {

using Predicate = llvm::CmpInst::Predicate;

// Branches inside one another; past it a selection does.
constexpr int kMaxNesting = 64;

// The sizes of a window along the operand's dimensions: 1 where the updates have none.
std::vector<int64_t> WindowSizes(const GatherDims& dims, const Shape& operand,
                                 const Shape& updates) {
  std::vector<int64_t> sizes(operand.rank(), 1);
  for (size_t k = 0; k < dims.window_dims.size(); ++k)
    sizes[dims.window_dims[k]] = updates.dim(dims.offset_dims[k]);
  return sizes;
}

}  // namespace

Value Evaluator::StartOf(const Instruction& scatter, const GatherDims& dims, const Index& update,
                         size_t q) {
  const Instruction& index_array = *scatter.operand((scatter.num_operands() - 1) / 2);
  std::vector<Digits> where;
  for (int64_t d : dims.batch_dims) where.push_back(update.dims[d]);
  if (dims.index_vector_dim < index_array.shape().rank()) {
    const int64_t extent = index_array.shape().dim(dims.index_vector_dim);
    where.insert(where.begin() + dims.index_vector_dim,
                 Digits{indices_.ConstantDigit(static_cast<int64_t>(q), extent)});
  }
  return Evaluate(index_array, indices_.Intern({std::move(where)}));
}

std::vector<Value> Evaluator::WindowKey(const Instruction& scatter, const Index& update) {
  const GatherDims dims = ScatterDimsOf(scatter);
  std::vector<Value> key;
  for (size_t q = 0; q < dims.start_index_map.size(); ++q)
    key.push_back(StartOf(scatter, dims, update, q));
  for (int64_t position : dims.batching_positions)
    key.push_back(indices_.Materialize(indices_.JoinAll(update.dims[dims.batch_dims[position]])));
  return key;
}

// The window starts where the index vector says; a window that does not lie inside is skipped
// whole. UPDATE is an index of the updates, of which only the batch dimensions count.
Evaluator::ScatterTarget Evaluator::LocateWindow(const Instruction& scatter, const Index& update) {
  llvm::IRBuilderBase& builder = context_.builder;
  const int64_t width = (scatter.num_operands() - 1) / 2;
  const Instruction& index_array = *scatter.operand(width);
  const Shape& operand = scatter.operand(0)->shape();
  const GatherDims dims = ScatterDimsOf(scatter);
  const std::vector<int64_t> window =
      WindowSizes(dims, operand, scatter.operand(width + 1)->shape());
  ScatterTarget target;
  for (int64_t d = 0; d < operand.rank(); ++d)
    target.dims.push_back({indices_.ConstantDigit(0, operand.dim(d))});
  for (size_t q = 0; q < dims.start_index_map.size(); ++q) {
    Value start = StartOf(scatter, dims, update, q);
    const bool is_signed = IsSigned(index_array.shape().element_type());
    const int64_t d = dims.start_index_map[q];
    Value wide = Emit(
        {start}, [&] { return builder.CreateIntCast(start, builder.getInt64Ty(), is_signed); });
    // Unsigned: a negative start is a huge one.
    const int64_t limit = operand.dim(d) - window[d];
    Value fits = Emit({wide}, [&]() -> Value {
      if (limit < 0) return builder.getFalse();
      return builder.CreateICmpULE(wide, builder.getInt64(limit));
    });
    target.inside = indices_.And(target.inside, fits);
    Value number = Emit({wide}, [&] { return builder.CreateZExtOrTrunc(wide, indices_.type()); });
    target.dims[d] = {indices_.FromValue(number, operand.dim(d))};
  }
  for (size_t t = 0; t < dims.operand_batching_dims.size(); ++t) {
    const int64_t d = dims.batch_dims[dims.batching_positions[t]];
    target.dims[dims.operand_batching_dims[t]] = {indices_.JoinAll(update.dims[d])};
  }
  return target;
}

// UPDATE is the same in every lane.
Evaluator::ScatterTarget Evaluator::LocateUpdate(const Instruction& scatter, IndexRef update) {
  const Shape& operand = scatter.operand(0)->shape();
  const GatherDims dims = ScatterDimsOf(scatter);
  ScatterTarget target = LocateWindow(scatter, *update);
  for (size_t k = 0; k < dims.window_dims.size(); ++k) {
    const int64_t d = dims.window_dims[k];
    const Digit offset = indices_.JoinAll(update->dims[dims.offset_dims[k]]);
    target.dims[d] = {AddDigits(target.dims[d][0], offset, operand.dim(d))};
  }
  for (int64_t d = 0; d < operand.rank(); ++d) target.dims[d][0].extent = operand.dim(d);
  return target;
}

// The other way round: each window holds at most one update for an element of the result, the one
// as far from the window's start as the element is.
Evaluator::ScatterSource Evaluator::LocateSource(const Instruction& scatter, const Index& result,
                                                 Index batch) {
  const int64_t width = (scatter.num_operands() - 1) / 2;
  const Shape& operand = scatter.operand(0)->shape();
  const GatherDims dims = ScatterDimsOf(scatter);
  const std::vector<int64_t> sizes =
      WindowSizes(dims, operand, scatter.operand(width + 1)->shape());
  const ScatterTarget window = LocateWindow(scatter, batch);
  ScatterSource source{batch, std::move(batch), window.inside};
  std::vector<int64_t> update_dim(operand.rank(), -1);  // which has the offset along d
  for (size_t k = 0; k < dims.window_dims.size(); ++k)
    update_dim[dims.window_dims[k]] = dims.offset_dims[k];
  for (int64_t d = 0; d < operand.rank(); ++d) {
    const Digit mine = indices_.JoinAll(result.dims[d]);
    const Digit& start = window.dims[d][0];
    if (update_dim[d] < 0) {
      Value same = indices_.Compare(Predicate::ICMP_EQ, indices_.Materialize(mine),
                                    indices_.Materialize(start));
      source.inside = indices_.And(source.inside, same);
      continue;
    }
    Digits &at = source.at.dims[update_dim[d]], &safe = source.safe.dims[update_dim[d]];
    const bool from_zero = !absl::c_linear_search(dims.start_index_map, d);
    const int64_t size = sizes[d];
    if (from_zero && size == operand.dim(d)) {
      at = safe = result.dims[d];
      continue;
    }
    const Digit offset = AddDigits(indices_.Affine(start, -1, 0, operand.dim(d)), mine, size);
    Value number = indices_.Materialize(offset);
    source.inside = indices_.And(
        source.inside, indices_.Compare(Predicate::ICMP_SGE, number, indices_.Constant(0)));
    source.inside = indices_.And(
        source.inside, indices_.Compare(Predicate::ICMP_SLT, number, indices_.Constant(size)));
    at = {offset};
    Value least = indices_.Max(number, indices_.Constant(0));
    safe = {indices_.FromValue(indices_.Min(least, indices_.Constant(size - 1)), size)};
  }
  return source;
}

Value Evaluator::StepScatter(Frame& frame) {
  const Instruction& value = *frame.target.value;
  const int64_t width = (value.num_operands() - 1) / 2;
  const Index& index = *frame.target.index;
  if (frame.step == 0) {
    frame.step = 1;
    for (int64_t i = 0; i < width; ++i)
      frame.needs.push_back({value.operand(i), frame.target.index, 0});
    return nullptr;
  }
  const absl::StatusOr<Reducer> body = Reducer::Of(*value.called()[0]);
  if (!body.ok()) return Poison(value, body.status().message());
  const int lanes = LanesOf(index);
  const std::vector<Value> inits = Splats(Values(frame), lanes);
  const Shape& updates = value.operand(width + 1)->shape();
  if (updates.num_elements() == 0) return Finished(frame, inits);
  Accumulators fold(context_, *body, {lanes});
  fold.Start(inits);
  const std::vector<int64_t> batch_dims = ScatterDimsOf(value).batch_dims;
  std::vector<int64_t> batches;
  for (int64_t d : batch_dims) batches.push_back(updates.dim(d));
  NestLoops(batches, [&](const Digits& at) {
    Index batch;
    batch.dims.resize(updates.rank());
    for (size_t i = 0; i < at.size(); ++i) batch.dims[batch_dims[i]] = {at[i]};
    const ScatterSource source = LocateSource(value, index, std::move(batch));
    const auto fold_from = [&](const Index& update, Value valid) {
      const IndexRef where = indices_.Intern(update);
      std::vector<Value> values;
      for (int64_t i = 0; i < width; ++i)
        values.push_back(Evaluate(*value.operand(width + 1 + i), where));
      fold.Fold(0, std::move(values), valid);
    };
    if (source.inside == nullptr || WidthOf(source.inside) > 1 || nesting_ >= kMaxNesting)
      return fold_from(source.safe, source.inside);
    ++nesting_;
    scopes_.If(source.inside, [&] { fold_from(source.at, nullptr); });
    --nesting_;
  });
  return Finished(frame, body->Finish(context_, fold.Load(0), inits));
}

}  // namespace astitch::codegen
