// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The GPU's side of kernel emission: blocks stride over the tasks, rows_at_once rows lie side by
// side in a block, threads_per_row threads sweep the columns of one.
//
//   thread  = row in the block * threads_per_row + lane
//   column  = (sweep * threads_per_row + lane) * vector
//   shared  = the plan's slots | exchange area, one external array
//
// All threads stay together: a row or column past the end repeats the last one, and only stores and
// accumulators ask whether it is real. So barriers and shuffles always find everybody.
#pragma once

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "codegen/common/kernel_target.h"

namespace astitch::codegen {

class NvptxTarget final : public KernelTarget {
 public:
  explicit NvptxTarget(int sm) : sm_(sm) {}

  // Shared memory in which the parts of rows and columns meet, beyond the plan's slots.
  static int64_t ExchangeBytes(const KernelPlan& plan);

  // What this target cannot spell.
  static absl::Status Check(const KernelPlan& plan);
  // More parameters than the parameter space holds: they come as one table of pointers.
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
  void PlanTileMemory(Homes& homes) override {}
  int64_t BufferAlignment(ElementType type) const override { return 16; }

  void PhaseBarrier() override;
  void StageBarrier(astitch::StageBarrier barrier) override;
  void Mark(absl::string_view text) override;
  void ForEachTask(int64_t tasks, absl::FunctionRef<void(Value)> body) override;
  void EndTask(bool streamed) override;
  void EndTile() override;

  void ForEachRow(const Tile& tile, const Sweep& sweep,
                  absl::FunctionRef<void(const RowPoint&)> body) override;
  std::vector<int> Copies(const Sweep& sweep) override;
  void ForEachColumn(const Tile& tile, const Sweep& sweep,
                     absl::FunctionRef<void(const ColumnPoint&)> body) override;
  Value CanStream(int32_t output, const Instruction& value, const Sweep& sweep) override {
    return nullptr;
  }

  std::vector<Value> MeetInRow(const Sweep& sweep, std::vector<Value> values, FoldFn fold) override;
  std::vector<Value> MeetInTask(const Sweep& sweep, std::vector<Value> values,
                                FoldFn fold) override;
  Value RowOwner(const Sweep& sweep) override;
  Value TaskOwner() override;

  int64_t AddColumnAccumulators(const Sweep& sweep, absl::Span<const ElementType> types) override;
  void StartColumns(int64_t id, const Tile& tile, const Sweep& sweep,
                    absl::Span<const Value> start) override;
  std::vector<Value> LoadColumnAccumulators(int64_t id, const ColumnPoint& column) override;
  void StoreColumnAccumulators(int64_t id, const ColumnPoint& column,
                               absl::Span<const Value> values) override;
  void FinishColumns(int64_t id, const Tile& tile, const Sweep& sweep, FoldFn fold,
                     absl::FunctionRef<void(const ColumnPoint&, std::vector<Value>)> body) override;
  bool ColumnsMayBeOuter() const override { return false; }
  bool LocalsNeedMemory(const Phase& phase) const override { return false; }

 private:
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
  Value LaneOf(const Tile& tile);
  void SweepKnown(const Tile& tile, const Sweep& sweep, Range range,
                  absl::FunctionRef<void(ColumnPoint)> emit);
  void SweepUnknown(const Tile& tile, const Sweep& sweep, const Range& range,
                    absl::FunctionRef<void(ColumnPoint)> emit);
  void SweepSerially(const Sweep& sweep, const Range& range,
                     absl::FunctionRef<void(ColumnPoint)> emit);
  Digit ColumnDigit(const Sweep& sweep, Value base, int64_t multiple, int lanes) const;

  void BlockBarrier();
  Value ThreadValue(llvm::Intrinsic::ID id, int64_t below);
  Value ShuffleXor(Value value, int mask);
  std::vector<Value> Shuffled(std::vector<Value> values, int lanes, FoldFn fold);
  // VALUES of COUNT warps, of a group that is number GROUP of GROUPS, folded in order.
  std::vector<Value> MeetThroughShared(std::vector<Value> values, Value group, int64_t groups,
                                       Value warp, int64_t count, FoldFn fold);
  // A pointer into shared memory, OFFSET bytes and INDEX elements of TYPE on.
  Value SharedAddress(int64_t offset, llvm::Type* type, Value index);
  std::vector<int> PointLanes(const Sweep& sweep) const;
  int64_t Block() const { return emission_->plan.launch.block; }
  llvm::IRBuilder<>& builder() { return emission_->scopes.builder(); }

  int sm_;
  Emission* emission_ = nullptr;
  llvm::Function* function_ = nullptr;
  llvm::GlobalVariable* shared_ = nullptr;
  Value thread_ = nullptr, block_ = nullptr, num_blocks_ = nullptr;
  std::vector<Value> pointers_;
  std::vector<ColumnFile> columns_;
  absl::flat_hash_map<Value, Value> lanes_;  // by the tile's begin
  int64_t exchange_begin_ = 0;               // in shared memory
  int64_t area_bytes_ = 0;                   // of one exchange
  int parity_ = 0;  // exchanges alternate between two areas, so that one barrier each is enough
  bool shares_ = false;  // shared memory was used since the last barrier that ends a tile
};

}  // namespace astitch::codegen
