// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One stage of a phase: the sweep over the tile's rows and columns, and what its roots do at every
// point, at the end of a row, and at the end of a task.
//
//   root                 at a point                 at the end of a row     at the end of the task
//   store                value to its home          -                       -
//   reduce columns       fold into the row's        lanes meet; result      -
//   reduce rows          fold into the column's     -                       rows meet; results
//   reduce all           fold into the task's       -                       everything meets;
//   result combine              fold a part                init; result            -
#pragma once

#include <memory>
#include <vector>

#include "codegen/common/accumulators.h"
#include "codegen/common/evaluator.h"
#include "codegen/common/homes.h"
#include "codegen/common/kernel_target.h"

namespace astitch::codegen {

// Where in the plan's work a task stands.
struct Task {
  Value batch = nullptr, row_part = nullptr;  // of the phase; of the batch
  Tile tile;                                  // of the whole task
};

class StageEmitter {
 public:
  StageEmitter(Emission& emission, KernelTarget& target, Homes& homes, Evaluator& evaluator,
               const Phase& phase, const Stage& stage, std::string mark);

  absl::Status Prepare();            // once a kernel, in the entry scope
  void StartTask(const Task& task);  // accumulators of the task
  void EmitTile(const Tile& tile);
  // Around the tiles of a stage that takes chunk after chunk.
  void StartChunks(const Tile& tile);
  void FinishChunks(const Tile& tile);
  int64_t chunk() const { return stage_.chunk; }
  int64_t num_chunks() const;
  bool has_row_results() const;
  void FinishTask(const Task& task);
  // Results of this stage may be read from now on.
  void AnnounceTile();  // those of rows
  void AnnounceTask();  // those of tasks, readable in later phases
  bool streams() const { return stage_.streaming; }

 private:
  struct RootState {
    const Root* root = nullptr;
    std::unique_ptr<Reducer> reducer;  // of reductions
    std::vector<Value> inits;
    // Of each row that is swept together with others; one for what is no row's.
    std::vector<std::unique_ptr<Accumulators>> accumulators;
    Accumulators& of(int row) const { return *accumulators[of_row() || scans() ? row : 0]; }
    // A partial scan is but a fold of its part.
    bool scans() const { return root->kind == RootKind::kScan && !root->partial; }
    bool reversed = false;               // of scans
    int64_t columns_id = -1;             // over kRows
    int64_t kept_columns = 0;            // of these, those that have results
    llvm::AllocaInst* square = nullptr;  // of stores that are turned: an array of columns
    bool one_column = false;             // over kRows, and there is but one: the same as over all
    bool of_row() const {
      return root->kind == RootKind::kCombine || root->over == ReduceOver::kColumns ||
             (root->kind == RootKind::kScan && root->partial);
    }
    bool of_columns() const { return root->over == ReduceOver::kRows && !one_column; }
    bool of_task() const { return root->over == ReduceOver::kAll || one_column; }
    bool reduces() const {
      return root->kind == RootKind::kReduce || root->kind == RootKind::kCombine ||
             (root->kind == RootKind::kScan && root->partial);
    }
  };

  absl::Status PrepareReduction(RootState& state);
  void FindCuts();
  void StartRows(const Tile& tile, absl::Span<const RowPoint> rows);
  void SweepRows(const Tile& tile, absl::Span<const RowPoint> rows);
  void FinishRows(const Tile& tile, absl::Span<const RowPoint> rows);
  void EmitColumnsOuter(const Tile& tile);
  void EmitPoint(absl::Span<const RowPoint> rows, const ColumnPoint& column, bool nontemporal);
  void EmitRoot(RootState& state, absl::Span<const RowPoint> rows, const ColumnPoint& column,
                bool nontemporal);
  void FindTurned();
  Sweep SquareSweep() const;
  void EmitSquaresOuter(const Tile& tile);
  void EmitSquares(const Tile& tile, const RowPoint& row);
  void EmitSquare(const RowPoint& row, const ColumnPoint& columns, bool nontemporal);
  void EmitOneSquare(const RowPoint& row, const ColumnPoint& columns, bool nontemporal);
  void StoreTurned(RootState& state, const RowPoint& rows, int lane, const ColumnPoint& columns,
                   Value value, bool nontemporal);
  void FoldRowsAt(RootState& state, absl::Span<const RowPoint> rows, const ColumnPoint& column);
  // What ROOT stores at INDEX: of what a scatter root will update, the operand's element, which a stage
  // before may have turned.
  Value ElementOf(const Root& root, int leaf, IndexRef index);
  void StoreAt(RootState& state, const RowPoint& row, const ColumnPoint& column, bool nontemporal);
  void StorePlaces(absl::Span<const Homes::Place> places, absl::Span<const Value> values,
                   bool in_tile, Value condition);
  std::vector<Value> ValuesAt(RootState& state, const RowPoint& row, const ColumnPoint& column);
  // stage_emitter_scatter.cc
  void ScatterAt(RootState& state, const RowPoint& row, const ColumnPoint& column);
  absl::Status PrepareScatter(RootState& state);
  void ScatterRow(RootState& state, const Tile& tile, const RowPoint& row);
  void ScatterRowsAlike(RootState& state, const Tile& tile, const RowPoint& row,
                        KernelTarget::MatchFn alike);
  // Where the update of ROW and COLUMN goes.
  struct UpdatePlace {
    IndexRef index = nullptr;  // of the result
    Homes::Place home;
  };
  UpdatePlace PlaceOfUpdate(RootState& state, const RowPoint& row, const ColumnPoint& column);
  Value BeforeUpdates(RootState& state, const UpdatePlace& place);
  void ScanAt(RootState& state, const RowPoint& row, const ColumnPoint& column,
              Accumulators& carried);
  // stage_emitter_scan.cc
  absl::Status PrepareScan(RootState& state);
  Digit ScannedColumn(const RootState& state, const Digit& position);
  void ScanSerially(RootState& state, const RowPoint& row, const ColumnPoint& column,
                    Accumulators& carried);
  void ScanTogether(RootState& state, const RowPoint& row, const ColumnPoint& column,
                    Accumulators& carried);
  void StoreScanned(RootState& state, const RowPoint& row, IndexRef index, const Digit& column,
                    std::vector<Value> values, Value valid);
  void StartFromParts(RootState& state, const Tile& tile, const RowPoint& row,
                      Accumulators& carried);
  void FinishRow(RootState& state, const Tile& tile, const RowPoint& row,
                 const Accumulators& accumulators);
  // Writes what a reduction came to: a part, or the finished result. IN_TILE, IN_MEMORY: the
  // conditions of doing so, of homes in tile memory and of others.
  void StoreResults(RootState& state, IndexRef result, const RowPoint& row, const Digit* column,
                    const Digit* part, std::vector<Value> values, Value in_tile, Value in_memory);
  IndexRef IndexAt(const Root& root, const RowPoint* row, const Digit* column);
  IndexRef ResultAt(const Root& root, const RowPoint* row, const Digit* column);
  RowPoint BatchRow(const Task& task);
  // Whether ROOT's parts are in the blocks of a cluster.
  bool MeetsInCluster(const RootState& state) const {
    return phase_.cluster > 1 && sweep_.chunk > 0 && !state.root->partial;
  }
  // A row's results stay with the threads that sweep it, wherever else they are stored.
  bool RowsStayInRegisters() const { return !target_.LocalsNeedMemory(phase_); }
  // Of the tasks that share a row, the one that stores what all have: null when there is but one,
  // or when each has to find in memory what it stored.
  Value SpeaksForRow(const Tile& tile);
  // Of the tasks that share a row, the one that folds what the phase's column parts do not split;
  // null: all do, each its own.
  Value FoldsForAll(const Tile& tile);
  std::vector<Value> Fold(const RootState& state, absl::Span<const Value> a,
                          absl::Span<const Value> b);
  Value StreamingCondition();
  // SWEEP for whichever of stores around and through the caches the buffers allow.
  void SweepStreaming(absl::FunctionRef<void(bool nontemporal)> sweep);
  // CODE where CONDITION holds (null: always).
  void Where(Value condition, absl::FunctionRef<void()> code);
  llvm::IRBuilderBase& builder() { return emission_.context.builder; }

  Emission& emission_;
  KernelTarget& target_;
  Homes& homes_;
  Evaluator& evaluator_;
  const Phase& phase_;
  const Stage& stage_;
  std::string mark_;
  Sweep sweep_;
  bool turns_ = false;  // some root's stores are turned
  Tile tile_;           // under way
  std::vector<RootState> roots_;
};

}  // namespace astitch::codegen
