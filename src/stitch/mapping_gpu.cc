// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Blocks and threads: by bytes of a row and rows to fill the machine (the tables of design notes on
// row and column reductions; block sizes of 128 to 256 rather than the paper's 1024, which leave
// registers for persistent rows).
#include <algorithm>

#include "base/checked_math.h"
#include "stitch/mapping_rules.h"

namespace astitch {
namespace {

constexpr int64_t kMaxParts = 64;
constexpr int32_t kWarp = 32;
constexpr int64_t kHeldRegisters = 96;  // of a thread, for columns that it holds

int32_t PowerOfTwoAtMost(int64_t value) {
  int32_t power = 1;
  while (int64_t{power} * 2 <= value) power *= 2;
  return power;
}

// Elements of one access: 16 bytes of the widest type, as long as every row is whole accesses.
int32_t VectorFor(int64_t columns, int64_t element_bytes) {
  int32_t vector = static_cast<int32_t>(std::max<int64_t>(1, 16 / element_bytes));
  while (vector > 1 && columns % vector != 0) vector /= 2;
  return vector;
}

// Threads that share a row: bytes of a row per table; more when there are few rows.
int32_t ThreadsPerRow(const PhaseShape& shape, const MachineModel& machine, int32_t block,
                      int32_t vector) {
  const int64_t bytes = shape.columns * shape.element_bytes;
  int64_t threads = kWarp;
  if (bytes <= 512) threads = CeilDiv(shape.columns, vector);
  if (bytes > 12 << 10) threads = 64;
  if (bytes > 24 << 10) threads = 128;
  if (bytes > 64 << 10) threads = 256;
  const int64_t half = machine.num_sms * machine.max_threads_per_sm / 2;
  while (threads < block && shape.rows * threads < half &&
         CeilDiv(shape.columns, threads * vector) >= 2)
    threads *= 2;
  // Registers that hold columns of the row: a wider team holds fewer each.
  while (threads < block &&
         CeilDiv(shape.columns, threads * vector) * vector * shape.held > kHeldRegisters) {
    threads *= 2;
  }
  threads = std::clamp<int64_t>(threads, 1, block);
  int32_t power = PowerOfTwoAtMost(threads);
  if (power < threads && power < block) power *= 2;
  return power;
}

}  // namespace

int32_t BlockSizeOnGpu(const std::vector<PhaseShape>& shapes) {
  int64_t widest = 0;
  bool columns = false;
  for (const PhaseShape& shape : shapes) {
    if (shape.row_reduction) widest = std::max(widest, shape.columns * shape.element_bytes);
    columns |= shape.column_reduction;
  }
  return widest > (24 << 10) || columns || widest == 0 ? 256 : 128;
}

void MapPhaseOnGpu(const PhaseShape& shape, const PhaseDraft& draft, const MachineModel& machine,
                   int32_t block, Phase& phase) {
  const int64_t rows = std::max<int64_t>(shape.rows_per_batch, 1);
  const int64_t batches = std::max<int64_t>(shape.rows / rows, 1);
  const int64_t columns = std::max<int64_t>(shape.columns, 1);
  const int32_t vector = VectorFor(columns, shape.element_bytes);
  const int64_t wanted = WantedTasks(machine);
  bool combine = false;
  for (const StageDraft& stage : draft.stages) combine |= stage.combine;
  if (draft.space.split_columns) {
    phase.threads_per_row = block;
    const int64_t sweep = int64_t{block} * vector;
    const int64_t parts = shape.partial
                              ? std::clamp<int64_t>(CeilDiv(wanted, shape.rows), 1, kMaxParts)
                              : std::clamp<int64_t>(CeilDiv(columns, sweep), 1, 4 * wanted);
    phase.cols_per_task = RoundUp(CeilDiv(columns, parts), sweep);
    phase.rows_per_task = 1;
  } else if (shape.column_reduction && !shape.row_reduction) {
    phase.threads_per_row =
        static_cast<int32_t>(std::min<int64_t>(kWarp, PowerOfTwoAtMost(CeilDiv(columns, vector))));
    phase.cols_per_task = std::min<int64_t>(int64_t{phase.threads_per_row} * vector, columns);
    const int64_t strips = batches * CeilDiv(columns, phase.cols_per_task);
    const int64_t at_once = block / phase.threads_per_row;
    const int64_t parts = std::clamp<int64_t>(
        std::min(CeilDiv(2 * wanted, strips), CeilDiv(rows, at_once * 8)), 1, kMaxParts);
    phase.rows_per_task = CeilDiv(rows, parts);
    if (phase.cols_per_task == columns) phase.cols_per_task = 0;
  } else if (shape.lanes_along_rows || combine || columns == 1) {
    phase.threads_per_row = 1;
    phase.rows_per_task = std::min<int64_t>(block, rows);
  } else {
    phase.threads_per_row = ThreadsPerRow(shape, machine, block, vector);
    const int64_t at_once = block / phase.threads_per_row;
    phase.rows_per_task = std::min(at_once, rows);
    if (shape.column_reduction) {
      const int64_t per_batch =
          std::clamp<int64_t>(CeilDiv(wanted, batches), 1, CeilDiv(rows, at_once));
      phase.rows_per_task = RoundUp(CeilDiv(rows, per_batch), at_once);
    }
  }
  phase.rows_at_once = block / phase.threads_per_row;
  phase.tile_rows = phase.rows_at_once;
  bool slots = false;  // an earlier stage of the tile has written shared memory
  for (size_t s = 0; s < phase.stages.size(); ++s) {
    Stage& stage = phase.stages[s];
    // Whoever wrote a row's slot is in the reader's warp when the row is.
    if (slots)
      stage.barrier = phase.threads_per_row <= kWarp ? StageBarrier::kWarp : StageBarrier::kBlock;
    for (const RootDraft& root : draft.stages[s].roots)
      slots |= shape.regional.contains(root.value);
    const bool parts = !stage.roots.empty() && stage.roots[0].kind == RootKind::kCombine;
    int64_t extent = 1;
    for (int64_t e : stage.columns) extent *= e;
    stage.vector_rows = phase.threads_per_row == 1;
    stage.vector = stage.vector_rows || parts ? 1 : VectorFor(extent, shape.element_bytes);
    stage.unroll = 1;
  }
}

}  // namespace astitch
