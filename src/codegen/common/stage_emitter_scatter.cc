// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Scatters, whose order is their meaning, in place of the operand that an earlier phase has copied.
//
//   one thread           updates its home one element after the other, row by row
//   rows side by side    a place is its first row's, which folds all the rows that go there, in order
//
//        index vectors   4  9  4  7  9  4        row 0 has place 4: folds rows 0, 2, 5, stores
//        rows            0  1  2  3  4  5        row 1 has place 9: folds rows 1, 4, stores
//                                                rows 2, 4 and 5 find a row before them: nothing
#include "codegen/common/register_types.h"
#include "codegen/common/scalar_computation.h"
#include "codegen/common/stage_emitter.h"

namespace astitch::codegen {

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

absl::Status StageEmitter::PrepareScatter(RootState& state) {
  ASTITCH_ASSIGN_OR_RETURN(Reducer reducer, Reducer::Of(*state.root->value->called()[0]));
  if (reducer.num_results() > 1 || roots_.size() > 1)
    return ErrorAt(*state.root->value, "has several results, or roots beside it");
  state.reducer = std::make_unique<Reducer>(std::move(reducer));
  state.accumulators.push_back(
      std::make_unique<Accumulators>(emission_.context, *state.reducer, target_.Copies(sweep_)));
  return absl::OkStatus();
}

void StageEmitter::ScatterRow(RootState& state, const Tile& tile, const RowPoint& row) {
  const Instruction& value = *state.root->value;
  IndexBuilder& indices = emission_.indices;
  homes_.EnterRow(row);
  const Index& own = *IndexAt(*state.root, &row, nullptr);
  const Evaluator::ScatterTarget window = evaluator_.LocateWindow(value, own);
  const std::vector<Value> key = evaluator_.WindowKey(value, own);
  const auto alike = [&](const Digit& rows) -> Value {
    RowPoint other = row;
    other.row = rows;
    const std::vector<Value> others =
        evaluator_.WindowKey(value, *IndexAt(*state.root, &other, nullptr));
    Value same = SplatLanes(builder(), builder().getTrue(), rows.lanes);
    for (size_t q = 0; q < key.size(); ++q) {
      Value one = SplatLanes(builder(), key[q], rows.lanes);
      Value equal = builder().CreateICmpEQ(one, SplatLanes(builder(), others[q], rows.lanes));
      same = q == 0 ? equal : builder().CreateAnd(same, equal);
    }
    return same;
  };
  Where(indices.And(row.valid, window.inside), [&] {
    Value before = target_.AnyRowBefore(row.row.base, phase_.num_rows(), alike);
    emission_.scopes.If(builder().CreateNot(before),
                        [&] { ScatterRowsAlike(state, tile, row, alike); });
  });
}

StageEmitter::UpdatePlace StageEmitter::PlaceOfUpdate(RootState& state, const RowPoint& row,
                                                      const ColumnPoint& column) {
  const IndexRef at = IndexAt(*state.root, &row, &column.column);
  Evaluator::ScatterTarget target = evaluator_.LocateUpdate(*state.root->value, at);
  const IndexRef index = emission_.indices.Intern({std::move(target.dims)});
  return {index, homes_.StorePlace(*state.root, 0, index, row, &column.column)};
}

// What the operand has at PLACE, before any row: if it is the same everywhere, nobody reads it.
Value StageEmitter::BeforeUpdates(RootState& state, const UpdatePlace& place) {
  const Instruction& value = *state.root->value;
  const Instruction& operand = *value.operand(0);
  const bool uniform =
      operand.opcode() == Opcode::kBroadcast && operand.operand(0)->opcode() == Opcode::kConstant;
  if (uniform) return evaluator_.Evaluate(operand, place.index);
  return LoadElements(emission_.context, emission_.indices, place.home.array, place.home.position);
}

// The operand's element joins as an init value does: first or last, as the reducer says. Lanes
// without a column of their own read none, since another writes it.
void StageEmitter::ScatterRowsAlike(RootState& state, const Tile& tile, const RowPoint& row,
                                    KernelTarget::MatchFn alike) {
  const Instruction& value = *state.root->value;
  const EmitContext& context = emission_.context;
  Accumulators& fold = *state.accumulators[0];
  const auto start = [&](const ColumnPoint& column, Value from) {
    fold.Store(column.number, state.reducer->Start(context, {from}));
  };
  target_.ForEachColumn(tile, sweep_, [&](const ColumnPoint& column) {
    const UpdatePlace place = PlaceOfUpdate(state, row, column);
    if (place.home.array.pointer == nullptr)
      return evaluator_.Fail(ErrorAt(value, "needs a home for its result"));
    start(column, NullValue(builder().getContext(), value.shape().element_type()));
    Where(column.valid, [&] { start(column, BeforeUpdates(state, place)); });
  });
  const auto fold_row = [&](const RowPoint& from) {
    target_.ForEachColumn(tile, sweep_, [&](const ColumnPoint& column) {
      const IndexRef at = IndexAt(*state.root, &from, &column.column);
      fold.Fold(column.number, {evaluator_.Evaluate(*value.operand(2), at)}, nullptr);
    });
  };
  fold_row(row);
  target_.ForEachRowAfter(row.row.base, phase_.num_rows(), alike, [&](Value number) {
    RowPoint from = row;
    from.row = emission_.indices.FromValue(number, phase_.num_rows());
    fold_row(from);
  });
  target_.ForEachColumn(tile, sweep_, [&](const ColumnPoint& column) {
    const UpdatePlace place = PlaceOfUpdate(state, row, column);
    if (place.home.array.pointer == nullptr) return;
    Where(column.valid, [&] {
      const std::vector<Value> folded = fold.Load(column.number);
      const Value before = SplatLanes(builder(), BeforeUpdates(state, place), WidthOf(folded[0]));
      const std::vector<Value> results = state.reducer->Finish(context, folded, {before});
      StoreElements(context, emission_.indices, place.home.array, place.home.position, results[0],
                    false);
    });
  });
}

}  // namespace astitch::codegen
