// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Scatters, whose order is their meaning: they update their home one element after the other.
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

}  // namespace astitch::codegen
