// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A stage in the order of its sweep: accumulators start, every point evaluates its roots, results of
// rows meet. Stages that take chunks do the first and the last around all chunks.
#include "codegen/common/stage_emitter.h"

#include <algorithm>

#include "base/check.h"
#include "base/checked_math.h"
#include "codegen/common/register_types.h"

namespace astitch::codegen {
namespace {

absl::Status CheckMap(const Phase& phase, const Stage& stage, const Root& root) {
  const Shape& shape = MappedShape(root);
  std::vector<int64_t> extents = phase.rows;
  extents.insert(extents.end(), stage.columns.begin(), stage.columns.end());
  if (static_cast<int64_t>(root.map.size()) != shape.rank()) {
    return ErrorAt(*root.value, absl::StrCat("has a map of ", root.map.size(), " dimensions for ",
                                             shape.ToString(false)));
  }
  for (int64_t d = 0; d < shape.rank(); ++d) {
    int64_t product = 1;
    for (int32_t axis : root.map[d]) {
      if (axis < 0 || static_cast<size_t>(axis) >= extents.size())
        return ErrorAt(*root.value, absl::StrCat("has axis ", axis, " in its map, of ",
                                                 extents.size(), " axes"));
      product *= extents[axis];
    }
    if (product != shape.dim(d)) {
      return ErrorAt(*root.value, absl::StrCat("has a map whose axes make ", product,
                                               " in dimension ", d, " of ", shape.ToString(false)));
    }
  }
  return absl::OkStatus();
}

bool IsScatterRoot(const KernelPlan& plan, const Instruction& value) {
  if (value.opcode() != Opcode::kScatter) return false;
  for (const Phase& phase : plan.phases) {
    for (const Stage& stage : phase.stages) {
      for (const Root& root : stage.roots) {
        if (root.kind == RootKind::kScatter && root.value == &value) return true;
      }
    }
  }
  return false;
}

}  // namespace

StageEmitter::StageEmitter(Emission& emission, KernelTarget& target, Homes& homes,
                           Evaluator& evaluator, const Phase& phase, const Stage& stage,
                           std::string mark)
    : emission_(emission),
      target_(target),
      homes_(homes),
      evaluator_(evaluator),
      phase_(phase),
      stage_(stage),
      mark_(std::move(mark)) {
  sweep_.phase = &phase;
  sweep_.stage = &stage;
  sweep_.columns = ProductOf(stage.columns);
  if (stage.columns.size() == 1) FindCuts();
  for (const Root& root : stage.roots) {
    roots_.emplace_back();
    roots_.back().root = &root;
  }
}

// Of everything in the kernel that is as long as a row and made of several parts: a cut too many
// costs little.
void StageEmitter::FindCuts() {
  constexpr size_t kMaxCuts = 4;
  std::vector<int64_t>& cuts = sweep_.cuts;
  for (const Placement& placement : emission_.plan.placements) {
    const Instruction& value = *placement.value;
    if (value.opcode() == Opcode::kConcatenate) {
      const int64_t d = value.dimensions()[0];
      if (value.shape().dim(d) != sweep_.columns) continue;
      int64_t start = 0;
      for (const Instruction* piece : value.operands()) {
        cuts.push_back(start);
        start += piece->shape().dim(d);
      }
    } else if (value.opcode() == Opcode::kPad) {
      const PadAttributes& pad = value.as<PadAttributes>();
      for (int64_t d = 0; d < value.shape().rank(); ++d) {
        if (value.shape().dim(d) != sweep_.columns || pad.dims[d].interior != 0) continue;
        cuts.push_back(pad.dims[d].low);
        cuts.push_back(pad.dims[d].low + value.operand(0)->shape().dim(d));
      }
    }
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  cuts.erase(std::remove_if(cuts.begin(), cuts.end(),
                            [&](int64_t cut) {
                              return cut <= 0 || cut >= sweep_.columns || cut % stage_.vector != 0;
                            }),
             cuts.end());
  if (cuts.size() > kMaxCuts) cuts.clear();
}

absl::Status StageEmitter::Prepare() {
  const bool combines = std::any_of(roots_.begin(), roots_.end(), [](const RootState& state) {
    return state.root->kind == RootKind::kCombine;
  });
  if (phase_.cols_per_task > 0 && sweep_.columns > 1 && !combines)
    sweep_.chunk = phase_.columns_per_task(stage_);
  if (stage_.chunk > 0) sweep_.chunk = std::min(stage_.chunk, sweep_.columns);
  for (RootState& state : roots_) {
    ASTITCH_RETURN_IF_ERROR(CheckMap(phase_, stage_, *state.root));
    const RootKind kind = state.root->kind;
    if (kind == RootKind::kStore || kind == RootKind::kTurn || kind == RootKind::kScatter) {
      if (kind == RootKind::kScatter && target_.ScattersSideBySide()) {
        ASTITCH_RETURN_IF_ERROR(PrepareScatter(state));
      } else {
        sweep_.serial = sweep_.serial || kind == RootKind::kScatter;
      }
      continue;
    }
    state.one_column = state.root->over == ReduceOver::kRows && sweep_.columns == 1;
    sweep_.along_columns = sweep_.along_columns || state.of_columns();
    const Computation& body = *state.root->value->called()[0];
    ASTITCH_ASSIGN_OR_RETURN(Reducer reducer, Reducer::Of(body));
    state.reducer = std::make_unique<Reducer>(std::move(reducer));
    const bool carries = kind == RootKind::kScan && !target_.ScansTogether();
    sweep_.serial = sweep_.serial || carries || !state.reducer->parallel();
    const bool in_parts = sweep_.chunk > 0 && phase_.col_tasks() > 1 && phase_.cluster == 1;
    if (stage_.chunk > 0 && (kind == RootKind::kScan || !state.of_row() || sweep_.serial))
      return ErrorAt(*state.root->value, "takes no chunks of columns");
    if (in_parts && !state.root->partial && (state.of_row() || state.of_task()))
      return ErrorAt(*state.root->value, "folds columns that tasks share, but is not partial");
    if (kind == RootKind::kScan) {
      ASTITCH_RETURN_IF_ERROR(PrepareScan(state));
    }
    state.kept_columns = KeptColumns(phase_, stage_, *state.root);
    if (state.of_columns() && state.kept_columns < sweep_.columns) {
      if (!state.reducer->parallel())
        return ErrorAt(*state.root->value, "has a body whose order matters, beside rows");
      if (sweep_.chunk > 0)
        return ErrorAt(*state.root->value, "folds columns that tasks share, beside rows");
    }
    if (state.root->partial && !state.reducer->parallel())
      return ErrorAt(*state.root->value, "has a body whose order matters, but the plan splits it");
  }
  sweep_.row_lanes_if_serial =
      target_.SerialRowsInLanes() &&
      std::all_of(roots_.begin(), roots_.end(), [](const RootState& state) {
        const RootKind kind = state.root->kind;
        return kind == RootKind::kStore || kind == RootKind::kTurn || state.scans() ||
               (state.reduces() && state.of_row());
      });
  FindTurned();
  for (RootState& state : roots_) {
    if (state.reducer == nullptr || state.root->kind == RootKind::kScatter) continue;
    const bool beyond_a_row = state.of_columns() || state.of_task();
    if (sweep_.serial && beyond_a_row && phase_.rows_at_once > 1 && !target_.SerialRowsInLanes())
      return ErrorAt(*state.root->value, "has a body whose order matters, over rows side by side");
    ASTITCH_RETURN_IF_ERROR(PrepareReduction(state));
  }
  return absl::OkStatus();
}

absl::Status StageEmitter::PrepareReduction(RootState& state) {
  const Instruction& value = *state.root->value;
  const int64_t width = state.reducer->num_results();
  homes_.EnterStage(stage_);
  for (int64_t i = 0; i < width; ++i) {
    state.inits.push_back(
        evaluator_.Evaluate(*value.operand(width + i), emission_.indices.Scalar()));
  }
  std::vector<int> lanes = target_.Copies(sweep_);
  if (sweep_.row_lanes() > 1) {
    std::fill(lanes.begin(), lanes.end(), sweep_.row_lanes());
    if (state.of_task()) lanes.push_back(1);  // rows that make no whole vector
  }
  if (state.scans()) lanes = {sweep_.row_lanes()};
  const int rows = state.of_row() || state.scans() ? target_.RowsTogether(sweep_) : 1;
  for (int k = 0; k < rows; ++k)
    state.accumulators.push_back(
        std::make_unique<Accumulators>(emission_.context, *state.reducer, lanes));
  if (state.of_columns() && state.reduces()) {
    std::vector<ElementType> types;
    for (int64_t i = 0; i < width; ++i) types.push_back(state.reducer->accumulator_type(i));
    state.columns_id = target_.AddColumnAccumulators(sweep_, types);
  }
  return evaluator_.status();
}

std::vector<Value> StageEmitter::Fold(const RootState& state, absl::Span<const Value> a,
                                      absl::Span<const Value> b) {
  return state.reducer->Fold(emission_.context, a, b);
}

void StageEmitter::Where(Value condition, absl::FunctionRef<void()> code) {
  if (condition == nullptr) return code();
  emission_.scopes.If(condition, code);
}

IndexRef StageEmitter::IndexAt(const Root& root, const RowPoint* row, const Digit* column) {
  return emission_.indices.Intern({homes_.Apply(root.map, homes_.Axes(row, column))});
}

IndexRef StageEmitter::ResultAt(const Root& root, const RowPoint* row, const Digit* column) {
  // A part of a scanned row.
  if (root.kind == RootKind::kScan) return emission_.indices.Intern({{{row->row}}});
  const IndexRef operand = IndexAt(root, row, column);
  if (root.kind != RootKind::kReduce) return operand;
  const std::vector<int64_t>& folded = root.value->dimensions();
  Index result;
  for (size_t d = 0; d < operand->dims.size(); ++d) {
    if (std::find(folded.begin(), folded.end(), static_cast<int64_t>(d)) == folded.end())
      result.dims.push_back(operand->dims[d]);
  }
  return emission_.indices.Intern(std::move(result));
}

void StageEmitter::StartTask(const Task& task) {
  homes_.EnterStage(stage_);
  for (RootState& state : roots_) {
    if (!state.reduces()) continue;
    if (state.of_task()) state.of(0).Start(state.inits);
    if (!state.of_columns()) continue;
    const std::vector<Value> start = state.reducer->Start(emission_.context, state.inits);
    target_.StartColumns(state.columns_id, task.tile, sweep_, start);
  }
}

void StageEmitter::EmitTile(const Tile& tile) {
  tile_ = tile;
  homes_.EnterStage(stage_);
  target_.StageBarrier(stage_.barrier);
  target_.Mark(mark_);
  if (phase_.num_rows() == 0) return;
  const bool only_columns = std::all_of(roots_.begin(), roots_.end(), [](const RootState& state) {
    return state.reduces() && state.of_columns();
  });
  if (only_columns && !sweep_.serial && target_.ColumnsMayBeOuter()) {
    if (sweep_.columns > 0) EmitColumnsOuter(tile);
    return;
  }
  const bool only_stores = std::all_of(roots_.begin(), roots_.end(), [](const RootState& state) {
    return state.root->kind == RootKind::kStore;
  });
  if (turns_ && only_stores) return EmitSquaresOuter(tile);
  if (roots_[0].root->kind == RootKind::kScatter && target_.ScattersSideBySide()) {
    return target_.ForEachRow(tile, sweep_,
                              [&](const RowPoint& row) { ScatterRow(roots_[0], tile, row); });
  }
  target_.ForEachRowGroup(tile, sweep_, [&](absl::Span<const RowPoint> rows) {
    if (stage_.chunk == 0) StartRows(tile, rows);
    SweepRows(tile, rows);
    if (stage_.chunk == 0) FinishRows(tile, rows);
  });
}

int64_t StageEmitter::num_chunks() const {
  return stage_.chunk == 0 ? 1 : CeilDiv(sweep_.columns, stage_.chunk);
}

bool StageEmitter::has_row_results() const {
  return std::any_of(roots_.begin(), roots_.end(),
                     [](const RootState& state) { return state.reduces() && state.of_row(); });
}

void StageEmitter::StartChunks(const Tile& tile) {
  tile_ = tile;
  homes_.EnterStage(stage_);
  target_.ForEachRowGroup(tile, sweep_,
                          [&](absl::Span<const RowPoint> rows) { StartRows(tile, rows); });
}

void StageEmitter::FinishChunks(const Tile& tile) {
  tile_ = tile;
  homes_.EnterStage(stage_);
  target_.ForEachRowGroup(tile, sweep_,
                          [&](absl::Span<const RowPoint> rows) { FinishRows(tile, rows); });
}

// A column's accumulator is loaded once, takes the tile's rows, and is stored again.
void StageEmitter::EmitColumnsOuter(const Tile& tile) {
  target_.ForEachColumn(tile, sweep_, [&](const ColumnPoint& column) {
    for (RootState& state : roots_) {
      state.of(0).Store(column.copy, target_.LoadColumnAccumulators(state.columns_id, column));
    }
    target_.ForEachRow(tile, sweep_, [&](const RowPoint& row) {
      homes_.EnterRow(row);
      for (RootState& state : roots_) {
        Value valid = row.valid;
        if (state.root->partial) valid = emission_.indices.And(valid, FoldsForAll(tile));
        state.of(0).Fold(column.copy, ValuesAt(state, row, column), valid);
      }
    });
    for (RootState& state : roots_) {
      target_.StoreColumnAccumulators(state.columns_id, column, state.of(0).Load(column.copy));
    }
  });
}

void StageEmitter::StartRows(const Tile& tile, absl::Span<const RowPoint> rows) {
  for (RootState& state : roots_) {
    const bool starts = (state.reduces() && state.of_row()) || state.scans();
    for (size_t k = 0; k < rows.size() && starts; ++k) {
      Accumulators& accumulators = state.of(static_cast<int>(k));
      accumulators.Start(state.inits);
      if (state.scans()) StartFromParts(state, tile, rows[k], accumulators);
    }
  }
}

void StageEmitter::SweepRows(const Tile& tile, absl::Span<const RowPoint> rows) {
  if (turns_ && rows[0].row.lanes > 1) {
    EmitSquares(tile, rows[0]);
  } else if (sweep_.columns > 0) {
    SweepStreaming([&](bool nontemporal) {
      target_.ForEachColumn(
          tile, sweep_, [&](const ColumnPoint& column) { EmitPoint(rows, column, nontemporal); });
    });
  }
}

void StageEmitter::FinishRows(const Tile& tile, absl::Span<const RowPoint> rows) {
  for (size_t k = 0; k < rows.size(); ++k) {
    homes_.EnterRow(rows[k]);
    for (RootState& state : roots_) {
      if (state.reduces() && state.of_row())
        FinishRow(state, tile, rows[k], state.of(static_cast<int>(k)));
    }
  }
}

void StageEmitter::SweepStreaming(absl::FunctionRef<void(bool nontemporal)> sweep) {
  Value streams = StreamingCondition();
  if (streams == nullptr) return sweep(false);
  if (auto* always = llvm::dyn_cast<llvm::ConstantInt>(streams)) return sweep(always->isOne());
  emission_.scopes.If(streams, [&] { sweep(true); });
  emission_.scopes.If(builder().CreateNot(streams), [&] { sweep(false); });
}

// Whether every output of the sweep starts on an address that whole vectors keep aligned.
Value StageEmitter::StreamingCondition() {
  if (!stage_.streaming || (sweep_.row_lanes() > 1 && !turns_)) return nullptr;
  const Sweep stores = turns_ ? SquareSweep() : sweep_;
  Value condition = nullptr;
  for (const RootState& state : roots_) {
    if (state.root->kind != RootKind::kStore) continue;
    const Placement* home = emission_.plan.FindPlacement(state.root->value);
    if (home == nullptr || home->home != Home::kOutput) continue;
    Value can = target_.CanStream(home->output, *state.root->value, stores);
    if (can == nullptr) return nullptr;
    condition = emission_.indices.And(condition, can);
  }
  return condition;
}

void StageEmitter::EmitPoint(absl::Span<const RowPoint> rows, const ColumnPoint& column,
                             bool nontemporal) {
  for (RootState& state : roots_) EmitRoot(state, rows, column, nontemporal);
}

void StageEmitter::EmitRoot(RootState& state, absl::Span<const RowPoint> rows,
                            const ColumnPoint& column, bool nontemporal) {
  if (state.reduces()) return FoldRowsAt(state, rows, column);
  for (size_t k = 0; k < rows.size(); ++k) {
    homes_.EnterRow(rows[k]);
    if (state.scans()) {
      ScanAt(state, rows[k], column, state.of(static_cast<int>(k)));
    } else if (state.root->kind == RootKind::kScatter) {
      ScatterAt(state, rows[k], column);
    } else {
      StoreAt(state, rows[k], column, nontemporal);
    }
  }
}

// What belongs to a column is loaded once for all the rows.
void StageEmitter::FoldRowsAt(RootState& state, absl::Span<const RowPoint> rows,
                              const ColumnPoint& column) {
  if (state.of_columns()) {
    state.of(0).Store(column.copy, target_.LoadColumnAccumulators(state.columns_id, column));
  }
  for (size_t k = 0; k < rows.size(); ++k) {
    const RowPoint& row = rows[k];
    homes_.EnterRow(row);
    Value valid = state.of_row() ? column.valid : emission_.indices.And(row.valid, column.valid);
    if (state.root->partial) valid = emission_.indices.And(valid, FoldsForAll(tile_));
    Accumulators& accumulators = state.of(static_cast<int>(k));
    const bool single = state.of_task() && sweep_.row_lanes() > 1 && row.row.uniform();
    const int copy = single ? accumulators.num_copies() - 1 : column.copy;
    accumulators.Fold(copy, ValuesAt(state, row, column), valid);
  }
  if (state.of_columns()) {
    target_.StoreColumnAccumulators(state.columns_id, column, state.of(0).Load(column.copy));
  }
}

std::vector<Value> StageEmitter::ValuesAt(RootState& state, const RowPoint& row,
                                          const ColumnPoint& column) {
  const Root& root = *state.root;
  std::vector<Value> values;
  for (int i = 0; i < state.reducer->num_results(); ++i) {
    if (root.kind == RootKind::kCombine) {
      const Homes::Place place =
          homes_.PartialPlace(root, i, state.reducer->accumulator_type(i),
                              ResultAt(root, &row, &column.column), column.column);
      values.push_back(
          LoadElements(emission_.context, emission_.indices, place.array, place.position));
    } else {
      const Digit at = ScannedColumn(state, column.column);
      values.push_back(evaluator_.Evaluate(*root.value->operand(i), IndexAt(root, &row, &at)));
    }
  }
  return values;
}

Value StageEmitter::ElementOf(const Root& root, int leaf, IndexRef index) {
  if (!IsScatterRoot(emission_.plan, *root.value))
    return evaluator_.Evaluate(*root.value, index, leaf);
  if (Value turned = homes_.Read(*root.value, leaf, index)) return turned;
  return evaluator_.Evaluate(*root.value->operand(leaf), index);
}

void StageEmitter::StoreAt(RootState& state, const RowPoint& row, const ColumnPoint& column,
                           bool nontemporal) {
  const Root& root = *state.root;
  const IndexRef index = IndexAt(root, &row, &column.column);
  IndexBuilder& indices = emission_.indices;
  Value mine = column.valid;
  if (sweep_.serial) mine = indices.And(mine, target_.RowOwner(sweep_));
  Value in_tile = indices.And(row.has_slot, mine), in_memory = indices.And(row.valid, mine);
  if (sweep_.chunk == 0) in_memory = indices.And(in_memory, SpeaksForRow(tile_));
  for (int leaf = 0; leaf < NumLeaves(*root.value); ++leaf) {
    const Homes::Place place = homes_.StorePlace(root, leaf, index, row, &column.column);
    if (place.array.pointer == nullptr) continue;
    Value value = ElementOf(root, leaf, index);
    const bool scatters = IsScatterRoot(emission_.plan, *root.value);
    if (sweep_.columns == 1 && !sweep_.serial && !scatters && RowsStayInRegisters())
      homes_.DefineRow(root, leaf, row, value);
    const Digit& at = place.position;
    const bool in_a_row = !at.uniform() && !at.per_lane && at.stride == 1;
    const bool whole = (at.lanes == 1 || (in_a_row && at.multiple % at.lanes == 0)) &&
                       state.root->value->shape().IsArray();
    Where(place.in_tile ? in_tile : in_memory, [&] {
      const bool around = nontemporal && whole && !place.in_tile;
      StoreElements(emission_.context, indices, place.array, at, value, around);
    });
  }
}

void StageEmitter::FinishRow(RootState& state, const Tile& tile, const RowPoint& row,
                             const Accumulators& accumulators) {
  auto fold = [&](absl::Span<const Value> a, absl::Span<const Value> b) {
    return Fold(state, a, b);
  };
  std::vector<Value> values = accumulators.Meet(sweep_.row_lanes());
  values = target_.MeetInRow(sweep_, std::move(values), fold);
  Value once = nullptr;
  if (MeetsInCluster(state)) {
    Value owner = emission_.indices.And(row.valid, target_.RowOwner(sweep_));
    values = target_.MeetInCluster(sweep_, std::move(values), owner, fold);
  }
  if (!state.root->partial) once = SpeaksForRow(tile);
  Digit part = emission_.indices.ConstantDigit(0, state.root->parts);
  if (tile.column_part != nullptr && state.root->parts > 1)
    part = emission_.indices.FromValue(tile.column_part, state.root->parts);
  Value owner = target_.RowOwner(sweep_);
  StoreResults(state, ResultAt(*state.root, &row, nullptr), row, nullptr, &part, std::move(values),
               emission_.indices.And(row.has_slot, owner),
               emission_.indices.And(emission_.indices.And(row.valid, owner), once));
}

Value StageEmitter::SpeaksForRow(const Tile& tile) {
  if (tile.column_part == nullptr || !RowsStayInRegisters()) return nullptr;
  IndexBuilder& indices = emission_.indices;
  return indices.Compare(llvm::CmpInst::ICMP_EQ, tile.column_part, indices.Constant(0));
}

void StageEmitter::StoreResults(RootState& state, IndexRef result, const RowPoint& row,
                                const Digit* column, const Digit* part, std::vector<Value> values,
                                Value in_tile, Value in_memory) {
  const Root& root = *state.root;
  const bool partial = root.leaves_parts();
  if (!partial) {
    std::vector<Value> inits = state.inits;
    for (Value& init : inits) init = SplatLanes(builder(), init, WidthOf(values[0]));
    values = state.reducer->Finish(emission_.context, values, inits);
  }
  const bool registers = !partial && state.of_row() && RowsStayInRegisters();
  std::vector<Homes::Place> places(values.size());
  for (size_t i = 0; i < values.size(); ++i) {
    const int leaf = static_cast<int>(i);
    if (partial) {
      places[i] =
          homes_.PartialPlace(root, leaf, state.reducer->accumulator_type(leaf), result, *part);
    } else {
      if (registers) homes_.DefineRow(root, leaf, row, values[i]);
      if (registers && homes_.IsRegister(*root.value, leaf)) continue;
      places[i] = homes_.StorePlace(root, leaf, result, row, column);
    }
  }
  StorePlaces(places, values, true, in_tile);
  StorePlaces(places, values, false, in_memory);
}

// Of PLACES, those that are tile memory or those that are not.
void StageEmitter::StorePlaces(absl::Span<const Homes::Place> places,
                               absl::Span<const Value> values, bool in_tile, Value condition) {
  auto chosen = [&](const Homes::Place& place) {
    return place.array.pointer != nullptr && place.in_tile == in_tile;
  };
  if (std::none_of(places.begin(), places.end(), chosen)) return;
  Where(condition, [&] {
    for (size_t i = 0; i < values.size(); ++i) {
      if (!chosen(places[i])) continue;
      StoreElements(emission_.context, emission_.indices, places[i].array, places[i].position,
                    values[i], false);
    }
  });
}

// The first row of the task's batch: it has the batch's axes, and 0 for the others.
RowPoint StageEmitter::BatchRow(const Task& task) {
  IndexBuilder& indices = emission_.indices;
  const Digit batch = indices.FromValue(task.batch, phase_.num_batches());
  const Digit first = indices.ConstantDigit(0, std::max<int64_t>(1, phase_.rows_per_batch()));
  RowPoint row;
  row.row = indices.JoinAll({batch, first});
  row.in_tile = indices.ConstantDigit(0, phase_.tile_rows);
  return row;
}

Value StageEmitter::FoldsForAll(const Tile& tile) {
  if (tile.column_part == nullptr || sweep_.chunk > 0) return nullptr;
  IndexBuilder& indices = emission_.indices;
  return indices.Compare(llvm::CmpInst::ICMP_EQ, tile.column_part, indices.Constant(0));
}

void StageEmitter::FinishTask(const Task& task) {
  homes_.EnterStage(stage_);
  IndexBuilder& indices = emission_.indices;
  for (RootState& state : roots_) {
    if (!state.reduces() || state.of_row()) continue;
    if (state.root->partial && state.root->parts == 0) continue;  // of no rows: no part to write
    auto fold = [&](absl::Span<const Value> a, absl::Span<const Value> b) {
      return Fold(state, a, b);
    };
    const RowPoint row = BatchRow(task);
    Value number = task.row_part;
    if (state.of_task()) {
      if (task.tile.column_part != nullptr)
        number = indices.Add(indices.Mul(number, phase_.col_tasks()), task.tile.column_part);
      std::vector<Value> values = state.of(0).Meet(1);
      values = target_.MeetInTask(sweep_, std::move(values), fold);
      Value once = nullptr;
      if (MeetsInCluster(state)) {
        values = target_.MeetInCluster(sweep_, std::move(values), target_.TaskOwner(), fold);
        once = SpeaksForRow(task.tile);
      }
      const Digit part = indices.FromValue(number, state.root->parts);
      Value owner = target_.TaskOwner();
      StoreResults(state, ResultAt(*state.root, &row, nullptr), row, nullptr, &part,
                   std::move(values), owner, indices.And(owner, once));
      continue;
    }
    if (sweep_.columns == 0) continue;
    const Digit part = indices.FromValue(number, state.root->parts);
    target_.FinishColumns(state.columns_id, task.tile, sweep_, state.kept_columns, fold,
                          [&](const ColumnPoint& column, std::vector<Value> values) {
                            Value once = indices.And(column.valid, FoldsForAll(task.tile));
                            StoreResults(state, ResultAt(*state.root, &row, &column.column), row,
                                         &column.column, &part, std::move(values), once, once);
                          });
  }
}

void StageEmitter::AnnounceTile() {
  homes_.EnterStage(stage_);
  for (const RootState& state : roots_) {
    const bool partial = state.root->leaves_parts();
    if (!partial && (!state.reduces() || state.of_row())) homes_.Announce(*state.root);
  }
}

void StageEmitter::AnnounceTask() {
  homes_.EnterStage(stage_);
  for (const RootState& state : roots_) {
    if (state.reduces() && !state.of_row() && !state.root->partial) homes_.Announce(*state.root);
  }
}

}  // namespace astitch::codegen
