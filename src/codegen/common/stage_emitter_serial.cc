// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Roots whose order is their meaning: scatters update their home one element after the other, scans
// carry an accumulator from column to column.
#include <algorithm>

#include "codegen/common/scalar_computation.h"
#include "codegen/common/stage_emitter.h"
#include "ir/gather_dims.h"

namespace astitch::codegen {
namespace {

using Predicate = llvm::CmpInst::Predicate;

// The dimension that a cumulative reduce-window walks, and whether it starts at the end. Error: the
// window is not that of a scan.
struct ScanShape {
  int64_t dim = -1;
  bool reversed = false;
};

absl::StatusOr<ScanShape> ScanOf(const Instruction& value) {
  const Window& window = value.as<WindowAttributes>().window;
  ScanShape scan;
  for (size_t d = 0; d < window.size(); ++d) {
    const int64_t extent = LeafShape(value, 0).dim(d);
    if (window[d].size == 1 && extent != 1) continue;
    if (extent == 1 && window[d] == WindowDim{}) continue;
    WindowDim forward, backward;
    forward.size = backward.size = extent;
    forward.pad_low = backward.pad_high = extent - 1;
    const bool is_forward = window[d] == forward;
    if (scan.dim >= 0 || (!is_forward && !(window[d] == backward)))
      return ErrorAt(value, "is no cumulative window, which a scan root needs");
    scan = {static_cast<int64_t>(d), !is_forward};
  }
  return scan;
}

}  // namespace

void StageEmitter::ScanAt(RootState& state, const RowPoint& row, const ColumnPoint& column) {
  const Root& root = *state.root;
  IndexBuilder& indices = emission_.indices;
  const absl::StatusOr<ScanShape> scan = ScanOf(*root.value);
  if (!scan.ok()) return evaluator_.Fail(scan.status());
  std::vector<Digits> axes = homes_.Axes(&row, &column.column);
  Value first = nullptr;
  if (!stage_.columns.empty()) {
    Digits& last = axes.back();
    const Digit position = indices.JoinAll(last);
    first = indices.Compare(Predicate::ICMP_EQ, position.base, indices.Constant(0));
    const int64_t extent = stage_.columns.back();
    if (scan->reversed) last = {indices.Affine(position, -1, extent - 1, extent)};
  }
  const IndexRef index = indices.Intern({homes_.Apply(root.map, axes)});
  if (first != nullptr) {
    const std::vector<Value> start = state.reducer->Start(emission_.context, state.inits);
    std::vector<Value> carried = state.accumulators->Load(0);
    for (size_t i = 0; i < carried.size(); ++i)
      carried[i] = builder().CreateSelect(first, start[i], carried[i]);
    state.accumulators->Store(0, carried);
  }
  std::vector<Value> values;
  for (int i = 0; i < state.reducer->num_results(); ++i)
    values.push_back(evaluator_.Evaluate(*root.value->operand(i), index));
  state.accumulators->Fold(0, std::move(values), nullptr);
  std::vector<Value> results =
      state.reducer->Finish(emission_.context, state.accumulators->Load(0), state.inits);
  std::vector<Homes::Place> places;
  const Digit at = indices.JoinAll(axes.empty()               ? Digits{}
                                   : column.column.extent > 1 ? Digits{column.column}
                                                              : Digits{});
  for (size_t leaf = 0; leaf < results.size(); ++leaf)
    places.push_back(homes_.StorePlace(root, static_cast<int>(leaf), index, row, &at));
  Where(indices.And(row.valid, target_.RowOwner(sweep_)), [&] {
    for (size_t leaf = 0; leaf < results.size(); ++leaf) {
      if (places[leaf].array.pointer == nullptr) continue;
      StoreElements(emission_.context, indices, places[leaf].array, places[leaf].position,
                    results[leaf], false);
    }
  });
}

// One update: its window's start from the index vector, its own place in the window, and the
// combination with what is stored there. A window that does not lie inside is skipped whole.
void StageEmitter::ScatterAt(RootState& state, const RowPoint& row, const ColumnPoint& column) {
  const Root& root = *state.root;
  const Instruction& value = *root.value;
  IndexBuilder& indices = emission_.indices;
  const int64_t width = (value.num_operands() - 1) / 2;
  const Instruction& index_array = *value.operand(width);
  const Shape& operand = value.operand(0)->shape();
  const Shape& updates = value.operand(width + 1)->shape();
  const GatherDims dims =
      GatherDimsOf(value.as<ScatterAttributes>(), operand.rank(), updates.rank());
  const IndexRef at = IndexAt(root, &row, &column.column);
  std::vector<int64_t> window(operand.rank(), 1);
  for (size_t k = 0; k < dims.window_dims.size(); ++k)
    window[dims.window_dims[k]] = updates.dim(dims.offset_dims[k]);

  std::vector<Digit> position;
  for (int64_t d = 0; d < operand.rank(); ++d)
    position.push_back(indices.ConstantDigit(0, operand.dim(d)));
  Value inside = indices.And(row.valid, target_.RowOwner(sweep_));
  for (size_t q = 0; q < dims.start_index_map.size(); ++q) {
    std::vector<Digits> where;
    for (int64_t d : dims.batch_dims) where.push_back(at->dims[d]);
    if (dims.index_vector_dim < index_array.shape().rank()) {
      const int64_t extent = index_array.shape().dim(dims.index_vector_dim);
      where.insert(where.begin() + dims.index_vector_dim,
                   Digits{indices.ConstantDigit(static_cast<int64_t>(q), extent)});
    }
    Value start = evaluator_.Evaluate(index_array, indices.Intern({std::move(where)}));
    const bool is_signed = IsSigned(index_array.shape().element_type());
    Value wide = builder().CreateIntCast(start, builder().getInt64Ty(), is_signed);
    const int64_t d = dims.start_index_map[q];
    const int64_t limit = operand.dim(d) - window[d];
    if (limit < 0) return;
    // Unsigned: a negative start is a huge one.
    Value fits = builder().CreateICmpULE(wide, builder().getInt64(limit));
    emission_.scopes.SetDepth(fits, emission_.scopes.depth());
    inside = indices.And(inside, fits);
    Value number = builder().CreateTrunc(wide, indices.type());
    emission_.scopes.SetDepth(number, emission_.scopes.depth());
    position[d] = indices.FromValue(number, operand.dim(d));
  }
  for (size_t t = 0; t < dims.operand_batching_dims.size(); ++t) {
    const int64_t d = dims.batch_dims[dims.batching_positions[t]];
    position[dims.operand_batching_dims[t]] = indices.JoinAll(at->dims[d]);
  }
  for (size_t k = 0; k < dims.window_dims.size(); ++k) {
    const int64_t d = dims.window_dims[k];
    const Digit offset = indices.JoinAll(at->dims[dims.offset_dims[k]]);
    Digit sum = position[d];
    sum.base = indices.Add(position[d].base, offset.base);
    sum.multiple = 1;
    position[d] = sum;
  }
  Index target;
  for (int64_t d = 0; d < operand.rank(); ++d) {
    position[d].extent = operand.dim(d);
    target.dims.push_back({position[d]});
  }
  const IndexRef place_index = indices.Intern(std::move(target));
  Where(inside, [&] {
    std::vector<Value> arguments;
    std::vector<Homes::Place> places;
    for (int64_t i = 0; i < width; ++i) {
      places.push_back(
          homes_.StorePlace(root, static_cast<int>(i), place_index, row, &column.column));
      if (places.back().array.pointer == nullptr)
        return evaluator_.Fail(ErrorAt(value, "needs a home for each of its results"));
      arguments.push_back(
          LoadElements(emission_.context, indices, places.back().array, places.back().position));
    }
    for (int64_t i = 0; i < width; ++i)
      arguments.push_back(evaluator_.Evaluate(*value.operand(width + 1 + i), at));
    absl::StatusOr<std::vector<Value>> results =
        EmitScalarComputation(emission_.context, *value.called()[0], arguments, false);
    if (!results.ok()) return evaluator_.Fail(results.status());
    for (int64_t i = 0; i < width; ++i) {
      StoreElements(emission_.context, indices, places[i].array, places[i].position, (*results)[i],
                    false);
    }
  });
}

}  // namespace astitch::codegen
