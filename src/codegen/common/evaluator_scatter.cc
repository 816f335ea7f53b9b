// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Scatter: where an update goes, and the scatter read backwards: an element of the result folds, in
// order, the updates that fall on it.
#include "codegen/common/accumulators.h"
#include "codegen/common/evaluator.h"
#include "codegen/common/memory.h"
#include "codegen/common/register_types.h"
#include "ir/gather_dims.h"

namespace astitch::codegen {
namespace {

using Predicate = llvm::CmpInst::Predicate;

}  // namespace

// The window starts where the index vector says; a window that does not lie inside is skipped
// whole. UPDATE is an index of the updates, the same in every lane.
Evaluator::ScatterTarget Evaluator::LocateUpdate(const Instruction& scatter, IndexRef update) {
  llvm::IRBuilderBase& builder = context_.builder;
  const int64_t width = (scatter.num_operands() - 1) / 2;
  const Instruction& index_array = *scatter.operand(width);
  const Shape& operand = scatter.operand(0)->shape();
  const Shape& updates = scatter.operand(width + 1)->shape();
  const GatherDims dims =
      GatherDimsOf(scatter.as<ScatterAttributes>(), operand.rank(), updates.rank());
  std::vector<int64_t> window(operand.rank(), 1);
  for (size_t k = 0; k < dims.window_dims.size(); ++k)
    window[dims.window_dims[k]] = updates.dim(dims.offset_dims[k]);
  std::vector<Digit> position;
  for (int64_t d = 0; d < operand.rank(); ++d)
    position.push_back(indices_.ConstantDigit(0, operand.dim(d)));
  ScatterTarget target;
  for (size_t q = 0; q < dims.start_index_map.size(); ++q) {
    std::vector<Digits> where;
    for (int64_t d : dims.batch_dims) where.push_back(update->dims[d]);
    if (dims.index_vector_dim < index_array.shape().rank()) {
      const int64_t extent = index_array.shape().dim(dims.index_vector_dim);
      where.insert(where.begin() + dims.index_vector_dim,
                   Digits{indices_.ConstantDigit(static_cast<int64_t>(q), extent)});
    }
    Value start = Evaluate(index_array, indices_.Intern({std::move(where)}));
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
    position[d] = indices_.FromValue(number, operand.dim(d));
  }
  for (size_t t = 0; t < dims.operand_batching_dims.size(); ++t) {
    const int64_t d = dims.batch_dims[dims.batching_positions[t]];
    position[dims.operand_batching_dims[t]] = indices_.JoinAll(update->dims[d]);
  }
  for (size_t k = 0; k < dims.window_dims.size(); ++k) {
    const int64_t d = dims.window_dims[k];
    const Digit offset = indices_.JoinAll(update->dims[dims.offset_dims[k]]);
    position[d] = AddDigits(position[d], offset, operand.dim(d));
  }
  for (int64_t d = 0; d < operand.rank(); ++d) {
    position[d].extent = operand.dim(d);
    target.dims.push_back({position[d]});
  }
  return target;
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
  Accumulators fold(context_, *body, {lanes});
  fold.Start(inits);
  const Shape& updates = value.operand(width + 1)->shape();
  NestLoops(updates.dims(), [&](const Digits& at) {
    Index update;
    for (const Digit& digit : at) update.dims.push_back({digit});
    const IndexRef where = indices_.Intern(std::move(update));
    const ScatterTarget target = LocateUpdate(value, where);
    Value here = target.inside;
    for (size_t d = 0; d < index.dims.size(); ++d) {
      Value mine = indices_.Materialize(indices_.JoinAll(index.dims[d]));
      here = indices_.And(here, indices_.Compare(Predicate::ICMP_EQ, mine, target.dims[d][0].base));
    }
    std::vector<Value> values;
    for (int64_t i = 0; i < width; ++i)
      values.push_back(Evaluate(*value.operand(width + 1 + i), where));
    fold.Fold(0, std::move(values), here);
  });
  return Finished(frame, body->Finish(context_, fold.Load(0), inits));
}

}  // namespace astitch::codegen
