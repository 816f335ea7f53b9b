// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Roots whose order is their meaning: scatters update their home one element after the other, scans
// carry an accumulator from column to column.
#include <algorithm>

#include "codegen/common/register_types.h"
#include "codegen/common/scalar_computation.h"
#include "codegen/common/stage_emitter.h"

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

void StageEmitter::ScanAt(RootState& state, const RowPoint& row, const ColumnPoint& column,
                          Accumulators& accumulators) {
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
    std::vector<Value> carried = accumulators.Load(0);
    for (size_t i = 0; i < carried.size(); ++i)
      carried[i] = builder().CreateSelect(
          first, SplatLanes(builder(), start[i], WidthOf(carried[i])), carried[i]);
    accumulators.Store(0, carried);
  }
  std::vector<Value> values;
  for (int i = 0; i < state.reducer->num_results(); ++i)
    values.push_back(evaluator_.Evaluate(*root.value->operand(i), index));
  accumulators.Fold(0, std::move(values), nullptr);
  std::vector<Value> inits = state.inits;
  for (Value& init : inits) init = SplatLanes(builder(), init, sweep_.row_lanes());
  std::vector<Value> results =
      state.reducer->Finish(emission_.context, accumulators.Load(0), inits);
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

// One update: combined with what is stored where it goes.
void StageEmitter::ScatterAt(RootState& state, const RowPoint& row, const ColumnPoint& column) {
  const Root& root = *state.root;
  const Instruction& value = *root.value;
  IndexBuilder& indices = emission_.indices;
  const int64_t width = (value.num_operands() - 1) / 2;
  const IndexRef at = IndexAt(root, &row, &column.column);
  Evaluator::ScatterTarget target = evaluator_.LocateUpdate(value, at);
  Value owner = indices.And(row.valid, target_.RowOwner(sweep_));
  const IndexRef place_index = indices.Intern({std::move(target.dims)});
  Where(indices.And(target.inside, owner), [&] {
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
