// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Scans: roots whose every element is the fold of its row up to there.
//
// What it leaves in an element is in a register for the roots behind it in the stage, if it goes forward.
//
//   serially    one thread a row carries an accumulator from column to column
//   together    each thread folds its own columns of a point up to each of them; what the threads
//               before it in the row came to, and what all points before, joins in front:
//
//                 point 0                          point 1
//                 a0 a1 | b0 b1 | c0 c1            a2 a3 | ...
//                 thread's own   a0 a0+a1 | b0 b0+b1 | ...
//                 threads before        - | a0+a1    | a0+a1 + b0+b1
//                 carried               -                              all of point 0
//
// A row that tasks share is gone over twice: a partial scan leaves what each part of the columns
// comes to, and behind a barrier every part starts from those before it.
#include <algorithm>
#include <numeric>

#include "codegen/common/register_types.h"
#include "codegen/common/stage_emitter.h"
#include "ir/window_form.h"

namespace astitch::codegen {
namespace {

using Predicate = llvm::CmpInst::Predicate;

}  // namespace

absl::Status StageEmitter::PrepareScan(RootState& state) {
  const Instruction& value = *state.root->value;
  const std::optional<int64_t> scanned = ScannedDim(value);
  if (!scanned.has_value())
    return ErrorAt(value, "is no cumulative window, which a scan root needs");
  state.reversed = ScansBackward(value);
  const bool in_parts = sweep_.chunk > 0 && phase_.col_tasks() > 1;
  if (in_parts && !state.root->partial && !state.root->takes_parts())
    return ErrorAt(value, "scans columns that tasks share, but takes no parts");
  std::vector<int32_t> columns(stage_.columns.size());
  std::iota(columns.begin(), columns.end(), static_cast<int32_t>(phase_.rows.size()));
  if (state.root->map[*scanned] != columns)
    return ErrorAt(value, "is scanned along other axes than those of the columns");
  return absl::OkStatus();
}

// The place in the scanned dimension of POSITION in the order of the scan; lanes ascend in memory.
Digit StageEmitter::ScannedColumn(const RootState& state, const Digit& position) {
  if (!state.reversed) return position;
  IndexBuilder& indices = emission_.indices;
  const int64_t last = position.extent - position.lanes;
  Digit column = position;
  column.base = indices.Sub(indices.Constant(last), position.base);
  column.multiple = std::gcd(position.multiple, last);
  column.ForgetBounds();
  return column;
}

void StageEmitter::ScanAt(RootState& state, const RowPoint& row, const ColumnPoint& column,
                          Accumulators& carried) {
  sweep_.serial ? ScanSerially(state, row, column, carried)
                : ScanTogether(state, row, column, carried);
}

void StageEmitter::ScanSerially(RootState& state, const RowPoint& row, const ColumnPoint& column,
                                Accumulators& carried) {
  const Root& root = *state.root;
  IndexBuilder& indices = emission_.indices;
  const Digit at = ScannedColumn(state, column.column);
  const IndexRef index = IndexAt(root, &row, &at);
  Value first = indices.Compare(Predicate::ICMP_EQ, column.column.base, indices.Constant(0));
  const std::vector<Value> start = state.reducer->Start(emission_.context, state.inits);
  std::vector<Value> before = carried.Load(0);
  for (size_t i = 0; i < before.size(); ++i)
    before[i] = builder().CreateSelect(first, SplatLanes(builder(), start[i], WidthOf(before[i])),
                                       before[i]);
  carried.Store(0, before);
  std::vector<Value> values;
  for (int i = 0; i < state.reducer->num_results(); ++i)
    values.push_back(evaluator_.Evaluate(*root.value->operand(i), index));
  carried.Fold(0, std::move(values), nullptr);
  Value owner = target_.RowOwner(sweep_);
  StoreScanned(state, row, index, at, carried.Load(0), owner);
}

// What joins at the end, at the places of INDEX, where VALID holds of the columns.
void StageEmitter::StoreScanned(RootState& state, const RowPoint& row, IndexRef index,
                                const Digit& column, std::vector<Value> values, Value valid) {
  std::vector<Value> inits = state.inits;
  for (Value& init : inits) init = SplatLanes(builder(), init, WidthOf(values[0]));
  values = state.reducer->Finish(emission_.context, values, inits);
  std::vector<Homes::Place> places(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const int leaf = static_cast<int>(i);
    // The roots behind it have it in a register.
    evaluator_.Define(*state.root->value, index, leaf, values[i]);
    if (!homes_.IsRegister(*state.root->value, leaf))
      places[i] = homes_.StorePlace(*state.root, leaf, index, row, &column);
  }
  IndexBuilder& indices = emission_.indices;
  StorePlaces(places, values, true, indices.And(row.has_slot, valid));
  StorePlaces(places, values, false, indices.And(row.valid, valid));
}

void StageEmitter::ScanTogether(RootState& state, const RowPoint& row, const ColumnPoint& column,
                                Accumulators& carried) {
  const Root& root = *state.root;
  llvm::IRBuilderBase& b = builder();
  const Digit at = ScannedColumn(state, column.column);
  const int lanes = at.lanes, results = state.reducer->num_results();
  const IndexRef index = IndexAt(root, &row, &at);
  std::vector<Value> values;
  for (int i = 0; i < results; ++i) {
    Value value = evaluator_.Evaluate(*root.value->operand(i), index);
    values.push_back(SplatLanes(b, value, lanes));
  }
  auto fold = [&](absl::Span<const Value> x, absl::Span<const Value> y) {
    return Fold(state, x, y);
  };
  const std::vector<Value> start = state.reducer->Start(emission_.context, state.inits);
  std::vector<Value> own = start, up_to(results);
  for (int j = 0; j < lanes; ++j) {
    const int lane = state.reversed ? lanes - 1 - j : j;
    std::vector<Value> element = values;
    for (Value& value : element)
      value = lanes == 1 ? value : b.CreateExtractElement(value, static_cast<uint64_t>(lane));
    own = fold(own, element);
    for (int i = 0; i < results; ++i) {
      if (lanes == 1) {
        up_to[i] = own[i];
        continue;
      }
      if (j == 0)
        up_to[i] = llvm::PoisonValue::get(llvm::FixedVectorType::get(own[i]->getType(), lanes));
      up_to[i] = b.CreateInsertElement(up_to[i], own[i], static_cast<uint64_t>(lane));
    }
  }
  for (int i = 0; i < results && column.valid != nullptr; ++i)
    own[i] = b.CreateSelect(column.valid, own[i], start[i]);
  const KernelTarget::Scanned scanned = target_.ScanInRow(sweep_, own, start, fold);
  const std::vector<Value> before_point = carried.Load(0);
  carried.Store(0, fold(before_point, scanned.all));
  std::vector<Value> before = fold(before_point, scanned.before);
  for (Value& value : before) value = SplatLanes(b, value, lanes);
  StoreScanned(state, row, index, at, fold(before, up_to), column.valid);
}

// Where the columns of a row are shared by tasks: CARRIED becomes what the parts before TILE's come
// to.
void StageEmitter::StartFromParts(RootState& state, const Tile& tile, const RowPoint& row,
                                  Accumulators& carried) {
  if (!state.root->takes_parts() || tile.column_part == nullptr) return;
  IndexBuilder& indices = emission_.indices;
  Stage parts;
  parts.columns = {state.root->parts};
  parts.vector_rows = stage_.vector_rows;
  Sweep sweep = sweep_;
  sweep.stage = &parts;
  sweep.columns = state.root->parts;
  sweep.chunk = 0;
  sweep.cuts.clear();
  const IndexRef result = ResultAt(*state.root, &row, nullptr);
  target_.ForEachColumn(tile, sweep, [&](const ColumnPoint& part) {
    std::vector<Value> values;
    for (int i = 0; i < state.reducer->num_results(); ++i) {
      const Homes::Place place = homes_.PartialPlace(
          *state.root, i, state.reducer->accumulator_type(i), result, part.column);
      values.push_back(
          LoadElements(emission_.context, emission_.indices, place.array, place.position));
    }
    Value before = indices.Compare(Predicate::ICMP_SLT, part.column.base, tile.column_part);
    carried.Fold(0, std::move(values), indices.And(part.valid, before));
  });
  auto fold = [&](absl::Span<const Value> x, absl::Span<const Value> y) {
    return Fold(state, x, y);
  };
  carried.Store(0, target_.MeetInRow(sweep, carried.Load(0), fold));
}

}  // namespace astitch::codegen
