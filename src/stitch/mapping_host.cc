// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Worker threads: tiles that live in a core's cache, tasks of at least a tenth of a millisecond's
// bytes, whole vectors.
#include <algorithm>

#include "base/checked_math.h"
#include "stitch/mapping_rules.h"

namespace astitch {
namespace {

constexpr int64_t kTaskBytes = 256 << 10;  // handed out at once; below it the hand-over shows
constexpr int64_t kMaxParts = 32;          // of a split reduction, folded again by one reader
constexpr int64_t kFlatTask = 16384;       // elements of a task of a flat elementwise kernel
constexpr int64_t kLineElements = 64;      // task boundaries fall on whole cache lines of any type

int64_t TileRows(const PhaseShape& shape, const MachineModel& machine) {
  const int64_t row_bytes = std::max<int64_t>(shape.row_bytes, 1);
  if (row_bytes < 512) return std::clamp<int64_t>((16 << 10) / row_bytes, 16, 256);
  int64_t rows = std::clamp<int64_t>(machine.l2_bytes / 4 / row_bytes, 1, 16);
  // Sweeps over row scalars run along the rows: give them a vector's worth while the tile stays in
  // the second cache.
  if ((shape.scalars || shape.lanes_along_rows) && rows < 8 && 8 * row_bytes <= machine.l2_bytes)
    rows = 8;
  if (shape.lanes_along_rows) rows = std::max<int64_t>(rows, 16);
  return rows >= 8 ? rows / 8 * 8 : rows >= 4 ? 4 : rows >= 2 ? 2 : 1;
}

}  // namespace

void MapPhaseOnHost(const PhaseShape& shape, const PhaseDraft& draft, const MachineModel& machine,
                    Phase& phase) {
  const int64_t rows = std::max<int64_t>(shape.rows_per_batch, 1);
  const int64_t batches = std::max<int64_t>(shape.rows / rows, 1);
  phase.tile_rows = std::min(TileRows(shape, machine), rows);
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
    const int64_t fair = CeilDiv(rows, std::max<int64_t>(1, WantedTasks(machine)));
    phase.rows_per_task =
        std::min(RoundUp(std::min(wanted, fair), phase.tile_rows), RoundUp(rows, phase.tile_rows));
  }
  const int32_t lanes = 16;
  for (Stage& stage : phase.stages) {
    int64_t columns = 1;
    for (int64_t extent : stage.columns) columns *= extent;
    stage.vector = lanes;
    stage.unroll = 4;
    const bool combine = !stage.roots.empty() && stage.roots[0].kind == RootKind::kCombine;
    stage.vector_rows =
        (stage.columns.empty() || combine || shape.lanes_along_rows) && phase.tile_rows > 1;
    if (!stage.vector_rows && columns % lanes != 0) stage.peel = Peel::kTail;
  }
}

}  // namespace astitch
