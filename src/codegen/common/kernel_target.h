// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// KernelTarget: what differs between a worker of the host and a thread of a GPU. The kernel emitter
// (kernel_emitter.h) walks the plan once for both; a target says who takes which task, row and
// column, how the parts of a row meet, and where memory is.
//
//                host worker                        GPU thread
//   tasks        its contiguous share               grid-stride over blocks
//   rows         a loop over the tile               its own row of those side by side
//   columns      a vector loop, then a scalar tail  every threads_per_row-th vector, masked at the
//   end parts meet   there is one part                  shuffles, then shared memory
#pragma once

#include <cstdint>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "codegen/common/emit_context.h"
#include "codegen/common/index.h"
#include "codegen/common/memory.h"
#include "codegen/common/scopes.h"
#include "plan/kernel_plan.h"

namespace astitch::codegen {

// What emission works with, made once the function exists.
struct Emission {
  const KernelPlan& plan;
  EmitContext context;
  Scopes& scopes;
  IndexBuilder& indices;
};

// The rows [begin, end) of the phase that a tile covers, and the columns of the task.
struct Tile {
  const Phase* phase = nullptr;
  Value begin = nullptr, end = nullptr;
  int64_t begin_multiple = 1;   // begin is known to be a multiple of this
  bool full = false;            // every tile has tile_rows rows
  Value column_part = nullptr;  // which part of the columns; null when they are not split
};

// One row (or one a lane) under the thread's hands.
struct RowPoint {
  Digit row;              // in the phase
  Digit in_tile;          // in the tile; below what it is for a row that repeats another
  Value valid = nullptr;  // false: a repetition of another row, to be stored by nobody; null: true
  // In tile memory a repetition is stored, too, so that it finds there what it reads later: where
  // this holds, the row's slot is no other's. Null: true.
  Value has_slot = nullptr;
};

// One vector of columns (or one column).
struct ColumnPoint {
  Digit column;           // over the product of the stage's columns
  Value valid = nullptr;  // as for rows
  int copy = 0;           // which of the sweep's accumulators it belongs to
  int number = 0;         // of the point among those that the sweep names
};

// How a stage sweeps.
struct Sweep {
  const Phase* phase = nullptr;
  const Stage* stage = nullptr;
  int64_t columns = 1;               // product of the stage's columns
  int64_t chunk = 0;                 // columns of one part, 0: not split
  bool serial = false;               // one column after the other, all of them by every thread
  bool row_lanes_if_serial = false;  // but the lanes may be different rows
  // Columns, ascending, at which other operands of a concatenation or a pad begin: a sweep that
  // stops there needs to ask no column which one it reads.
  std::vector<int64_t> cuts;
  bool along_columns = false;  // lanes run along columns whatever the stage says
  int squares = 1;             // vectors of columns that one call of ForEachColumn's body gets
  // Lanes of the vectors along columns (1 when lanes run along rows) and along rows.
  bool lanes_along_rows() const { return stage->vector_rows && !along_columns; }
  int column_lanes() const { return serial || lanes_along_rows() ? 1 : stage->vector * squares; }
  int row_lanes() const {
    return (!serial || row_lanes_if_serial) && lanes_along_rows() ? stage->vector : 1;
  }
};

// Rows of an input on their way into tile memory: ROWS rows of WIDTH elements each, PITCH elements
// apart in the input, side by side from OFFSET on.
struct TileCopy {
  Value source = nullptr;  // element 0 of the input
  int64_t element_bytes = 4;
  Digit first;  // the position of the first element
  int64_t pitch = 0;
  Value rows = nullptr, width = nullptr;
  // What rows and width are multiples of; rows * width is whole when the rows are contiguous.
  int64_t rows_multiple = 1, width_multiple = 1;
  bool contiguous = false;  // width is pitch
  int64_t slot_width = 0;   // elements between two rows in tile memory
  int64_t offset = 0;       // bytes
};

using FoldFn =
    absl::FunctionRef<std::vector<Value>(absl::Span<const Value>, absl::Span<const Value>)>;

class Homes;

class KernelTarget {
 public:
  virtual ~KernelTarget() = default;

  // ---- the function
  virtual llvm::IntegerType* IndexType(llvm::LLVMContext& context, const KernelPlan& plan) = 0;
  // Creates the kernel's function and leaves BUILDER at the end of its entry block.
  virtual void Begin(llvm::Module& module, const KernelPlan& plan, llvm::IRBuilder<>& builder) = 0;
  virtual void Attach(Emission& emission) = 0;
  virtual void End() = 0;
  // Argument NUMBER, in the order that KernelPlan states.
  virtual Value Buffer(int64_t number) = 0;
  virtual Value TileMemory(int64_t offset) = 0;
  // The same OFFSET in the tile memory of block RANK of the cluster; null where there are none.
  virtual Value ClusterMemory(int64_t offset, Value rank) {
    (void)offset, (void)rank;
    return nullptr;
  }
  // Whether Keep::kShared means something, and the copies that fill its slots, which everybody may
  // read afterwards.
  virtual bool KeepsShared() const { return false; }
  virtual void CopyToTile(absl::Span<const TileCopy> copies) { (void)copies; }
  // Whether some block, of as many as were launched, has several of TASKS; all know the same.
  virtual Value HasMoreTasks(int64_t tasks) {
    (void)tasks;
    return nullptr;
  }
  // Lays out what the target keeps in tile memory beyond the plan's own slots.
  virtual void PlanTileMemory(Homes& homes) = 0;
  // Bytes to which buffers, and tile memory at offset 0, are known to be aligned.
  virtual int64_t BufferAlignment(ElementType type) const = 0;

  // ---- control
  // Before phase NUMBER, where the plan has a barrier there.
  virtual void PhaseBarrier(size_t number) = 0;
  // Before phase NUMBER, where it has none.
  virtual void NextPhase(size_t number) { (void)number; }
  // Around a task of phases that PhaseBarrier::kFlags separates: its tasks of phase NUMBER start when
  // those of the phase before that have the same row part (ROW, of all batches) have ended.
  virtual void WaitForRow(size_t number, Value row) { (void)number, (void)row; }
  virtual void EndOfRow(size_t number, Value row, Value column_part) {
    (void)number, (void)row, (void)column_part;
  }
  virtual void StageBarrier(astitch::StageBarrier barrier) = 0;
  // Leaves a mark in the assembly.
  virtual void Mark(absl::string_view text) = 0;
  // REPEATED: every block or worker does all of them.
  virtual void ForEachTask(int64_t tasks, bool repeated, absl::FunctionRef<void(Value)> body) = 0;
  // After the last store of a task.
  virtual void EndTask(bool streamed) = 0;
  virtual void EndTile(const Phase& phase) = 0;

  // ---- sweeps
  // Whether Stage::fetch_ahead means something.
  virtual bool CanFetchAhead() const { return false; }
  virtual void ForEachRow(const Tile& tile, const Sweep& sweep,
                          absl::FunctionRef<void(const RowPoint&)> body) = 0;
  // Rows that one call of BODY gets together from ForEachRowGroup.
  virtual int RowsTogether(const Sweep& sweep) const {
    (void)sweep;
    return 1;
  }
  // ForEachRow by groups of RowsTogether rows; a group may be smaller at the end of a tile.
  virtual void ForEachRowGroup(const Tile& tile, const Sweep& sweep,
                               absl::FunctionRef<void(absl::Span<const RowPoint>)> body) {
    ForEachRow(tile, sweep, [&](const RowPoint& row) { body({&row, 1}); });
  }
  // Whether stores along columns are turned where lanes are rows (stage_emitter_turned.cc).
  virtual bool TurnsSquares() const { return false; }
  // Whether what has to go column by column may still have rows in its lanes.
  virtual bool SerialRowsInLanes() const { return false; }
  // Lanes (along columns) of each accumulator that ForEachColumn's points name.
  virtual std::vector<int> Copies(const Sweep& sweep) = 0;
  virtual void ForEachColumn(const Tile& tile, const Sweep& sweep,
                             absl::FunctionRef<void(const ColumnPoint&)> body) = 0;
  // May this sweep's stores to OUTPUT bypass the caches: a condition, or null for never.
  virtual Value CanStream(int32_t output, const Instruction& value, const Sweep& sweep) = 0;

  // ---- where parts meet. VALUES: one scalar a result (or a vector of rows).
  virtual std::vector<Value> MeetInRow(const Sweep& sweep, std::vector<Value> values,
                                       FoldFn fold) = 0;
  virtual std::vector<Value> MeetInTask(const Sweep& sweep, std::vector<Value> values,
                                        FoldFn fold) = 0;
  // What the blocks of a cluster came to, each with its part of the columns; OWNER: who of a block
  // speaks for it.
  virtual std::vector<Value> MeetInCluster(const Sweep& sweep, std::vector<Value> values,
                                           Value owner, FoldFn fold) {
    (void)sweep, (void)owner, (void)fold;
    return values;
  }
  // Whether threads that share a row scan its columns together. Else a sweep that scans is serial.
  virtual bool ScansTogether() const { return false; }
  // VALUES: what every thread's columns of one point came to, in the order of columns. What those of
  // the threads before come to (START for the first), and those of all.
  struct Scanned {
    std::vector<Value> before, all;
  };
  virtual Scanned ScanInRow(const Sweep& sweep, std::vector<Value> values,
                            absl::Span<const Value> start, FoldFn fold) {
    (void)sweep, (void)fold;
    return {{start.begin(), start.end()}, std::move(values)};
  }
  // Whether rows of a scatter are taken side by side, each place by the first row that goes there
  // (stage_emitter_scatter.cc). Else the sweep is serial, and so are the rows.
  virtual bool ScattersSideBySide() const { return false; }
  // The rows 0 to ROWS of a phase that MATCHES holds for, which every thread of a row asks of other
  // rows (one, or one a lane): whether there is one before ROW, and those after ROW one by one,
  // ascending. All threads of the row come here together, and BODY's row is the same for all.
  using MatchFn = absl::FunctionRef<Value(const Digit& rows)>;
  virtual Value AnyRowBefore(Value row, int64_t rows, MatchFn matches) {
    (void)row, (void)rows, (void)matches;
    return nullptr;
  }
  virtual void ForEachRowAfter(Value row, int64_t rows, MatchFn matches,
                               absl::FunctionRef<void(Value row)> body) {
    (void)row, (void)rows, (void)matches, (void)body;
  }
  // Who stores what a row (the task) has one of: a condition, or null for everyone.
  virtual Value RowOwner(const Sweep& sweep) = 0;
  virtual Value TaskOwner() = 0;

  // ---- results of rows (a value a column), kept from tile to tile of a task
  // TYPES: of the accumulators of one reduction, in memory.
  virtual int64_t AddColumnAccumulators(const Sweep& sweep,
                                        absl::Span<const ElementType> types) = 0;
  // START: scalars, to every column of the task.
  virtual void StartColumns(int64_t id, const Tile& tile, const Sweep& sweep,
                            absl::Span<const Value> start) = 0;
  virtual std::vector<Value> LoadColumnAccumulators(int64_t id, const ColumnPoint& column) = 0;
  virtual void StoreColumnAccumulators(int64_t id, const ColumnPoint& column,
                                       absl::Span<const Value> values) = 0;
  // Calls BODY with every column of the task and what all its rows came to, once; with the first KEPT
  // columns, where every KEPT-th column is of one result.
  virtual void FinishColumns(
      int64_t id, const Tile& tile, const Sweep& sweep, int64_t kept, FoldFn fold,
      absl::FunctionRef<void(const ColumnPoint&, std::vector<Value>)> body) = 0;
  // Whether columns may be the outer loop and the tile's rows the inner one.
  virtual bool ColumnsMayBeOuter() const = 0;
  // A local value of each row has to be remembered from stage to stage in tile memory.
  virtual bool LocalsNeedMemory(const Phase& phase) const = 0;
};

}  // namespace astitch::codegen
