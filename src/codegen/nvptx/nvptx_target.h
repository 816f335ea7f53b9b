// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The GPU's side of kernel emission: blocks stride over the tasks, rows_at_once rows lie side by
// side in a block, threads_per_row threads sweep the columns of one.
//
//   thread  = row in the block * threads_per_row + lane
//   column  = (sweep * threads_per_row + lane) * vector
//   thread  = lane * tile_rows + row in the tile      where lanes run along rows and several threads
//   column  = sweep * (block / tile_rows) + lane      sweep one
//   shared  = the plan's slots | exchange areas, one external array
//
// All threads stay together: a row or column past the end repeats the last one, and only stores and
// accumulators ask whether it is real. So barriers and shuffles always find everybody.
#pragma once

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "codegen/common/kernel_target.h"
#include "plan/exchange.h"

namespace astitch::codegen {

class NvptxTarget final : public KernelTarget {
 public:
  NvptxTarget(int sm, bool wide_indices) : sm_(sm), wide_indices_(wide_indices) {}

  // Of barrier state: the grid's word, then a word for each row of each phase behind flags.
  static int64_t BarrierBytes(const KernelPlan& plan);
  static int ClusterBlocks(const KernelPlan& plan);

  // Whether rows start and end anywhere, and are swept in whole aligned vectors all the same.
  static bool Peels(const Sweep& sweep);
  // Whether neighbours in the block have consecutive rows, though several threads sweep one.
  static bool DealsRows(const Sweep& sweep) {
    return sweep.lanes_along_rows() && sweep.phase->threads_per_row > 1;
  }
  // What this target cannot spell.
  static absl::Status Check(const KernelPlan& plan, int sm);
  // More parameters than the parameter space holds: they come as one table of pointers.
  int64_t KnownAlignment(const KernelPlan& plan, int64_t i) const;
  static bool UsesPointerTable(const KernelPlan& plan);
  static int64_t NumParameters(const KernelPlan& plan);
  // The plan's name with '_' for what a PTX identifier cannot hold.
  static std::string EntryName(const KernelPlan& plan);

  llvm::IntegerType* IndexType(llvm::LLVMContext& context, const KernelPlan& plan) override;
  void Begin(llvm::Module& module, const KernelPlan& plan, llvm::IRBuilder<>& builder) override;
  void Attach(Emission& emission) override;
  void End() override;
  Value Buffer(int64_t number) override;
  Value TileMemory(int64_t offset) override;
  Value ClusterMemory(int64_t offset, Value rank) override;
  bool KeepsShared() const override { return true; }
  Value HasMoreTasks(int64_t tasks) override;
  void CopyToTile(absl::Span<const TileCopy> copies) override;
  void PlanTileMemory(Homes& homes) override {}
  // From sm_100 on an access may have 32 bytes.
  static int64_t AlignmentFor(int sm) { return sm >= 100 ? 32 : 16; }
  int64_t BufferAlignment(ElementType type) const override { return AlignmentFor(sm_); }
  // Whether PLAN has vectors of 32 bytes.
  static bool HasWideVectors(const KernelPlan& plan);

  void PhaseBarrier(size_t number) override;
  void NextPhase(size_t number) override;
  void WaitForRow(size_t number, Value row) override;
  void EndOfRow(size_t number, Value row, Value column_part) override;
  void StageBarrier(astitch::StageBarrier barrier) override;
  void Mark(absl::string_view text) override;
  void ForEachTask(int64_t tasks, bool repeated, absl::FunctionRef<void(Value)> body) override;
  void EndTask(bool streamed) override;
  void EndTile(const Phase& phase) override;

  void ForEachRow(const Tile& tile, const Sweep& sweep,
                  absl::FunctionRef<void(const RowPoint&)> body) override;
  // Chunks are swept by all rows of a thread together, whose results last from chunk to chunk.
  int RowsTogether(const Sweep& sweep) const override;
  void ForEachRowGroup(const Tile& tile, const Sweep& sweep,
                       absl::FunctionRef<void(absl::Span<const RowPoint>)> body) override;
  std::vector<int> Copies(const Sweep& sweep) override;
  void ForEachColumn(const Tile& tile, const Sweep& sweep,
                     absl::FunctionRef<void(const ColumnPoint&)> body) override;
  Value CanStream(int32_t, const Instruction&, const Sweep&) override {
    return builder().getTrue();
  }

  std::vector<Value> MeetInRow(const Sweep& sweep, std::vector<Value> values, FoldFn fold) override;
  std::vector<Value> MeetInTask(const Sweep& sweep, std::vector<Value> values,
                                FoldFn fold) override;
  std::vector<Value> MeetInCluster(const Sweep& sweep, std::vector<Value> values, Value owner,
                                   FoldFn fold) override;
  bool ScansTogether() const override { return true; }
  Scanned ScanInRow(const Sweep& sweep, std::vector<Value> values, absl::Span<const Value> start,
                    FoldFn fold) override;
  bool ScattersSideBySide() const override { return true; }
  Value AnyRowBefore(Value row, int64_t rows, MatchFn matches) override;
  void ForEachRowAfter(Value row, int64_t rows, MatchFn matches,
                       absl::FunctionRef<void(Value row)> body) override;
  Value RowOwner(const Sweep& sweep) override;
  Value TaskOwner() override;

  int64_t AddColumnAccumulators(const Sweep& sweep, absl::Span<const ElementType> types) override;
  void StartColumns(int64_t id, const Tile& tile, const Sweep& sweep,
                    absl::Span<const Value> start) override;
  std::vector<Value> LoadColumnAccumulators(int64_t id, const ColumnPoint& column) override;
  void StoreColumnAccumulators(int64_t id, const ColumnPoint& column,
                               absl::Span<const Value> values) override;
  void FinishColumns(int64_t id, const Tile& tile, const Sweep& sweep, int64_t kept, FoldFn fold,
                     absl::FunctionRef<void(const ColumnPoint&, std::vector<Value>)> body) override;
  bool ColumnsMayBeOuter() const override { return false; }
  bool LocalsNeedMemory(const Phase& phase) const override { return false; }

 private:
  // Of FinishColumns: what one thread has of its columns.
  void StorePart(const Array& array, const Digit& position, Value value);
  void MeetColumns(absl::Span<const Array> arrays, int64_t columns, int64_t kept, bool dealt,
                   FoldFn fold);
  struct Range {
    Value begin, end;
    int64_t multiple;
    int64_t length;  // -1: only known at run time
  };
  struct ColumnFile {
    std::vector<ElementType> types;
    std::vector<std::vector<llvm::AllocaInst*>> slots;  // of each point, of each result
  };
  Range ColumnsOf(const Tile& tile, const Sweep& sweep);
  bool UnrollsAll(const Sweep& sweep) const;
  // The thread's lane in its row, as a value of the tile: what depends on it is not kept longer.
  Value LaneOf(const Tile& tile, const Sweep& sweep);
  // Threads that sweep one row together.
  int64_t ThreadsOf(const Sweep& sweep) const;
  void SweepKnown(const Tile& tile, const Sweep& sweep, Range range,
                  absl::FunctionRef<void(ColumnPoint)> emit);
  void SweepUnknown(const Tile& tile, const Sweep& sweep, const Range& range,
                    absl::FunctionRef<void(ColumnPoint)> emit);
  void SweepPeeled(const Tile& tile, const Sweep& sweep, const Range& range,
                   absl::FunctionRef<void(ColumnPoint)> emit);
  int64_t LoopInFlight(const Sweep& sweep, Value first, int64_t step, int64_t count, bool as_is,
                       absl::FunctionRef<void(Value, int64_t)> emit);
  void SweepSerially(const Sweep& sweep, const Range& range,
                     absl::FunctionRef<void(ColumnPoint)> emit);
  Digit ColumnDigit(const Sweep& sweep, Value base, int64_t multiple, int lanes) const;

  // Whether a tile of PHASE begins with a barrier of the block, before anything that is shared.
  bool BeginsWithBarrier(const Phase& phase) const;
  // At the end of a tile: what it had in shared memory may be overwritten, behind a barrier if need
  // be and if it MAY_WAIT.
  void FreeSlots(bool may_wait);
  void BlockBarrier();
  void WarpBarrier();
  void ClusterBarrier();
  // nvptx_barriers.cc
  void GridBarrier();
  Value AddRelease(Value address, Value amount);
  // Spins until the top bit of the word at ADDRESS is not that of BEFORE.
  void AwaitFlip(Value address, Value before);
  Value FlagAddress(size_t number, Value row);
  void ReadFlags();
  // nvptx_copies.cc
  bool HasBulkCopies() const { return sm_ >= 90 && exchange_.copies > 0; }
  void StartBulkCopies();
  void CopyInBulk(absl::Span<const TileCopy> copies);
  void AwaitBulkCopies();
  void CopyRow(const TileCopy& copy, Value from, Value to, Value elements, int64_t unit);
  Value ThreadValue(llvm::Intrinsic::ID id, int64_t below);
  Value Shuffle(llvm::Intrinsic::ID mode, Value value, int by, int clamp);
  // Folds what LANES neighbours have, or those of them that are multiples of APART lanes away.
  std::vector<Value> Shuffled(std::vector<Value> values, int lanes, FoldFn fold, int apart = 1);
  // Who holds which part of what meets in shared memory.
  struct Parts {
    int64_t slots = 0;           // of one result
    Value mine = nullptr;        // the thread's slot
    Value speaks = nullptr;      // whether the thread fills it; null: yes
    std::vector<Value> slot_of;  // those whose values the thread folds, in order
  };
  Parts PartsOfWarps(Value group, int64_t groups, Value warp, int64_t count);
  Parts PartsOfRow(const Sweep& sweep);
  Parts PartsOfDealtRows(int64_t rows);
  Parts PartsOfThreads(int64_t rows);
  // The address of result RESULT in slot NUMBER.
  using SlotFn = absl::FunctionRef<Value(size_t result, Value number)>;
  void LeavePart(absl::Span<const Value> values, const Parts& parts, SlotFn slot);
  std::vector<Value> TakePart(absl::Span<const Value> like, Value number, SlotFn slot);
  Value SlotAddress(int64_t area, const Parts& parts, size_t result, Value like, Value number);
  std::vector<Value> MeetThroughShared(std::vector<Value> values, const Parts& parts, FoldFn fold);
  // nvptx_scan.cc
  Scanned ScanInWarp(std::vector<Value> values, absl::Span<const Value> start, int64_t width,
                     FoldFn fold);
  Scanned ScanThroughShared(std::vector<Value> values, absl::Span<const Value> start,
                            const Parts& parts, Value mine, FoldFn fold);
  // nvptx_scatter.cc
  Value Vote(llvm::Intrinsic::ID mode, Value condition);
  Value AnyInRound(Value first, int64_t rows, Value bound, MatchFn matches);
  void TakeMatches(Value base, int64_t rows, Value after, MatchFn matches,
                   absl::FunctionRef<void(Value row)> body);
  // A variable of the thread that is FIRST to begin with.
  llvm::AllocaInst* Variable(Value first);
  // A pointer into shared memory, OFFSET bytes and INDEX elements of TYPE on.
  Value SharedAddress(int64_t offset, llvm::Type* type, Value index);
  std::vector<int> PointLanes(const Sweep& sweep) const;
  int64_t Block() const { return emission_->plan.launch.block; }
  llvm::IRBuilder<>& builder() { return emission_->scopes.builder(); }

  int sm_;
  bool wide_indices_;
  Emission* emission_ = nullptr;
  llvm::Function* function_ = nullptr;
  llvm::GlobalVariable* shared_ = nullptr;
  Value thread_ = nullptr, block_ = nullptr, num_blocks_ = nullptr;
  std::vector<Value> pointers_;
  std::vector<ColumnFile> columns_;
  absl::flat_hash_map<std::pair<Value, bool>, Value> lanes_;  // by the tile's begin, DealsRows
  Digit row_;                                                 // under way
  int64_t exchange_begin_ = 0;                                // in shared memory
  Exchange exchange_;
  llvm::AllocaInst* scan_turn_ = nullptr;     // where the next scan's exchange begins
  llvm::AllocaInst* copies_phase_ = nullptr;  // parity of the barrier's phase under way
  int parity_ = 0, cluster_parity_ = 0;       // which of the two areas the next exchange takes
  // Since the last barrier that ends a tile: slots of shared memory were used, or those of other
  // blocks; so many exchanges between warps.
  bool uses_slots_ = false, shares_cluster_ = false;
  bool uses_warps_slots_ = false;    // those of the rows that a warp has, so far in this tile
  bool leaves_warps_slots_ = false;  // or any, in a tile before, and no barrier of the block since
  int exchanges_ = 0;                // in this tile
  bool reads_parts_ = false;         // a tile has ended since the last barrier, behind exchanges
  bool reads_columns_ = false;       // parts of columns were exchanged since the last barrier
  absl::flat_hash_map<size_t, Value> flags_;  // by phase: a row's word before anybody arrived
};

}  // namespace astitch::codegen
