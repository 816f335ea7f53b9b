// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Worker threads: tiles that live in a core's cache, tasks of at least a tenth of a millisecond's
// bytes, whole vectors.
#include <algorithm>
#include <numeric>

#include "base/checked_math.h"
#include "ir/gather_dims.h"
#include "stitch/mapping_rules.h"

namespace astitch {
namespace {

constexpr int64_t kTaskBytes = 256 << 10;  // handed out at once; below it the hand-over shows
constexpr int64_t kMaxParts = 32;          // of a split reduction, folded again by one reader
constexpr int64_t kFlatTask = 16384;       // elements of a task of a flat elementwise kernel
constexpr int32_t kLanes = 16;             // along rows, and where columns are no multiple of more
constexpr int32_t kWideLanes = 32;         // along columns
constexpr int32_t kRowsTogether = 4;   // swept side by side where columns have results of their own
constexpr int32_t kScanned = 8;        // scanned side by side
constexpr int64_t kTurnedRows = 256;   // of a transposition: what is read of a page at a time
constexpr int64_t kLineElements = 64;  // task boundaries fall on whole cache lines of any type

// Rows of a tile of scans: each waits for its own carry.
int64_t RowsOfScan(const PhaseShape& shape) { return shape.lanes_along_rows ? kLanes : kScanned; }

int64_t TileRows(const PhaseShape& shape, const MachineModel& machine) {
  const int64_t row_bytes = std::max<int64_t>(shape.row_bytes, 1);
  if (row_bytes < 512) return std::clamp<int64_t>((16 << 10) / row_bytes, 16, 256);
  int64_t rows = std::clamp<int64_t>(machine.l1_bytes * 3 / 4 / row_bytes, 1, 16);
  // Sweeps over row scalars run along the rows: give them a vector's worth while the tile stays in
  // the second cache.
  if ((shape.scalars || shape.lanes_along_rows) && rows < 8 && 8 * row_bytes <= machine.l2_bytes)
    rows = 8;
  if (shape.lanes_along_rows) rows = std::max<int64_t>(rows, 16);
  if (shape.scans) rows = std::max(rows, RowsOfScan(shape));
  return rows >= 8 ? rows / 8 * 8 : rows >= 4 ? 4 : rows >= 2 ? 2 : 1;
}

// One sweep of stores with lanes along rows.
bool Transposes(const PhaseShape& shape, const Phase& phase) {
  if (!shape.lanes_along_rows || phase.stages.size() != 1) return false;
  const std::vector<Root>& roots = phase.stages[0].roots;
  return std::all_of(roots.begin(), roots.end(),
                     [](const Root& root) { return root.kind == RootKind::kStore; });
}

// Lanes are as many on every machine: they decide in which order a reduction folds. A vector of
// several registers hides the latency of long chains of operations and shares their constants; more
// vectors in flight than one bring nothing then (measured: 32 lanes against four times 8 on
// AVX2: a polynomial of 127 operations 1.5 times, gelu and silu 1.2 to 1.3 times as fast).
void MapStage(const PhaseShape& shape, Phase& phase, Stage& stage) {
  int64_t columns = 1;
  for (int64_t extent : stage.columns) columns *= extent;
  const bool combine = !stage.roots.empty() && stage.roots[0].kind == RootKind::kCombine;
  stage.vector_rows =
      (stage.columns.empty() || combine || shape.lanes_along_rows) && phase.tile_rows > 1;
  stage.vector = kLanes;
  const bool scans = std::any_of(stage.roots.begin(), stage.roots.end(), [](const Root& root) {
    return root.kind == RootKind::kScan && !root.partial;
  });
  if (scans) {
    if (!stage.vector_rows)
      phase.rows_at_once = static_cast<int32_t>(std::min<int64_t>(phase.tile_rows, kScanned));
    return;
  }
  if (stage.vector_rows) {
    int64_t stores = 0;
    for (const Root& root : stage.roots) stores += root.kind == RootKind::kStore;
    // Accumulators of rows in lanes are copies of one column each; stores come in squares.
    stage.unroll = combine || stage.columns.empty() || stores > 0 ? 1 : 2;
    if (stage.columns.empty() && phase.tile_rows < kLanes && phase.tile_rows >= 4)
      stage.vector = phase.tile_rows >= 8 ? 8 : 4;
    return;
  }
  int32_t row_results = 0, column_results = 0, stores = 0;
  for (const Root& root : stage.roots) {
    row_results += root.over == ReduceOver::kColumns;
    column_results += root.over == ReduceOver::kRows;
    stores += root.kind == RootKind::kStore;
  }
  // A column's accumulator is loaded once for several rows. Not beside stores: those want whole
  // cache lines of one row after the other.
  const bool mixed = row_results > 0 && column_results > 0 && stores == 0;
  if (mixed && phase.tile_rows % kRowsTogether == 0) {
    phase.rows_at_once = kRowsTogether;
  } else if (!stage.columns.empty() && stage.columns.back() % kWideLanes == 0 && row_results < 2) {
    stage.vector = kWideLanes;
  } else if (row_results < 3) {
    stage.unroll = kWideLanes / kLanes;
  }
  if (columns % stage.vector != 0) stage.peel = Peel::kTail;
}

// Columns of a window that belong to one worker: windows of several index vectors may overlap where
// an index decides, and then the order of their updates counts. Workers share dimensions outside of
// all those, along which a column always means the same place.
int64_t ColumnsTogether(const GatherDims& dims, const Shape& updates) {
  int64_t together = 1;
  bool shared = true;
  for (size_t k = 0; k < dims.window_dims.size(); ++k) {
    const auto& indexed = dims.start_index_map;
    shared =
        shared && std::find(indexed.begin(), indexed.end(), dims.window_dims[k]) == indexed.end();
    if (!shared) together *= updates.dim(dims.offset_dims[k]);
  }
  return together;
}

// Rows in order, all of one task.
void MapUpdates(const Instruction& scatter, const MachineModel& machine, Phase& phase) {
  constexpr int64_t kWindowPart = 64;  // columns of a window worth a task: whole cache lines
  Stage& stage = phase.stages[0];
  stage.vector = kLanes;
  const int64_t columns = phase.split_columns();
  phase.rows_per_task = std::max<int64_t>(1, phase.num_rows());
  const int64_t together =
      std::lcm(ColumnsTogether(ScatterDimsOf(scatter), scatter.operand(2)->shape()), kWindowPart);
  const int64_t parts = std::min<int64_t>(machine.workers, columns / kWindowPart);
  if (parts > 1 && together < columns)
    phase.cols_per_task = RoundUp(CeilDiv(columns, parts), together);
  if (columns % kLanes != 0) stage.peel = Peel::kTail;
}

}  // namespace

void MapPhaseOnHost(const PhaseShape& shape, const PhaseDraft& draft, const MachineModel& machine,
                    Phase& phase) {
  if (shape.scatter != nullptr) return MapUpdates(*shape.scatter, machine, phase);
  const int64_t rows = std::max<int64_t>(shape.rows_per_batch, 1);
  const int64_t batches = std::max<int64_t>(shape.rows / rows, 1);
  const int64_t fair = CeilDiv(rows, std::max<int64_t>(1, WantedTasks(machine)));
  phase.tile_rows = std::min(TileRows(shape, machine), rows);
  if (Transposes(shape, phase))
    phase.tile_rows =
        std::min(rows, std::clamp(RoundUp(fair, kLanes), int64_t{kLanes}, kTurnedRows));
  if (draft.space.split_columns) {
    const int64_t parts_wanted = CeilDiv(std::max<int64_t>(shape.columns, 1), kFlatTask);
    const int64_t parts = shape.partial ? std::min(parts_wanted, kMaxParts) : parts_wanted;
    phase.cols_per_task =
        RoundUp(CeilDiv(std::max<int64_t>(shape.columns, 1), parts), kLineElements);
    phase.rows_per_task = 1;
    phase.tile_rows = 1;
  } else if (shape.column_reduction) {
    const int64_t tasks =
        std::clamp<int64_t>(shape.bytes / kTaskBytes, 1, std::max<int64_t>(8, machine.workers));
    const int64_t per_batch = std::max<int64_t>(1, CeilDiv(tasks, batches));
    phase.rows_per_task = RoundUp(CeilDiv(rows, per_batch), phase.tile_rows);
  } else {
    const int64_t wanted = std::max<int64_t>(1, kTaskBytes / std::max<int64_t>(shape.row_bytes, 1));
    phase.rows_per_task =
        std::min(RoundUp(std::min(wanted, fair), phase.tile_rows), RoundUp(rows, phase.tile_rows));
  }
  int sweeps = 0;
  for (const Stage& stage : phase.stages) sweeps += !stage.columns.empty();
  for (size_t s = 0; s < phase.stages.size(); ++s) {
    Stage& stage = phase.stages[s];
    MapStage(shape, phase, stage);
    // One sweep streams, which the processor foresees; several go back and forth, and a
    // transposition from page to page.
    const bool back_and_forth = sweeps > 1 && draft.stages[s].last_reader && !stage.vector_rows;
    stage.fetch_ahead =
        (back_and_forth || Transposes(shape, phase)) && phase.tile_rows < shape.rows;
  }
}

}  // namespace astitch
