// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The host's side of kernel emission: a worker of the team runs its contiguous share of the tasks,
// rows one after the other (or side by side in lanes), columns in vectors.
//
//   tile memory of a worker:  the plan's Regional slots | local slots | accumulators of columns
//
// The signature and the arguments are those of artifact/host_kernel_abi.h.
#pragma once

#include <vector>

#include "codegen/common/kernel_target.h"

namespace astitch::codegen {

class HostTarget final : public KernelTarget {
 public:
  // VECTOR_BYTES: the widest register's; NT stores want addresses aligned to it.
  explicit HostTarget(int64_t vector_bytes) : vector_bytes_(vector_bytes) {}

  // Known after emission: what HostKernelStep::tile_bytes has to be.
  int64_t tile_bytes() const { return tile_bytes_; }

  llvm::IntegerType* IndexType(llvm::LLVMContext& context, const KernelPlan& plan) override;
  void Begin(llvm::Module& module, const KernelPlan& plan, llvm::IRBuilder<>& builder) override;
  void Attach(Emission& emission) override { emission_ = &emission; }
  void End() override;
  Value Buffer(int64_t number) override;
  Value TileMemory(int64_t offset) override;
  void PlanTileMemory(Homes& homes) override;
  int64_t BufferAlignment(ElementType type) const override { return ByteWidth(type); }

  void PhaseBarrier(size_t number) override;
  void StageBarrier(astitch::StageBarrier) override {}
  void Mark(absl::string_view text) override;
  void ForEachTask(int64_t tasks, bool repeated, absl::FunctionRef<void(Value)> body) override;
  void EndTask(bool streamed) override;
  void EndTile(const Phase&) override {}

  bool CanFetchAhead() const override { return true; }
  bool TurnsSquares() const override { return true; }
  void ForEachRow(const Tile& tile, const Sweep& sweep,
                  absl::FunctionRef<void(const RowPoint&)> body) override;
  int RowsTogether(const Sweep& sweep) const override;
  void ForEachRowGroup(const Tile& tile, const Sweep& sweep,
                       absl::FunctionRef<void(absl::Span<const RowPoint>)> body) override;
  bool SerialRowsInLanes() const override { return true; }
  std::vector<int> Copies(const Sweep& sweep) override;
  void ForEachColumn(const Tile& tile, const Sweep& sweep,
                     absl::FunctionRef<void(const ColumnPoint&)> body) override;
  Value CanStream(int32_t output, const Instruction& value, const Sweep& sweep) override;

  std::vector<Value> MeetInRow(const Sweep&, std::vector<Value> values, FoldFn) override {
    return values;
  }
  std::vector<Value> MeetInTask(const Sweep&, std::vector<Value> values, FoldFn) override {
    return values;
  }
  Value RowOwner(const Sweep&) override { return nullptr; }
  Value TaskOwner() override { return nullptr; }

  int64_t AddColumnAccumulators(const Sweep& sweep, absl::Span<const ElementType> types) override;
  void StartColumns(int64_t id, const Tile& tile, const Sweep& sweep,
                    absl::Span<const Value> start) override;
  std::vector<Value> LoadColumnAccumulators(int64_t id, const ColumnPoint& column) override;
  void StoreColumnAccumulators(int64_t id, const ColumnPoint& column,
                               absl::Span<const Value> values) override;
  void FinishColumns(int64_t id, const Tile& tile, const Sweep& sweep, int64_t kept, FoldFn fold,
                     absl::FunctionRef<void(const ColumnPoint&, std::vector<Value>)> body) override;
  bool ColumnsMayBeOuter() const override { return true; }
  bool LocalsNeedMemory(const Phase& phase) const override { return phase.tile_rows > 1; }

 private:
  // The columns [begin, end) of a part.
  struct Range {
    Value begin, end;
    int64_t multiple;              // begin is a multiple of it (0: begin is 0)
    int64_t length;                // -1: only known at run time
    int64_t least = 0, most = -1;  // columns, as Digit has them
  };
  struct ColumnArrays {
    std::vector<Array> arrays;
    int64_t chunk = 0;  // columns of a part; 0: all
  };
  // Of FinishColumns: brings together the columns of a result.
  void MeetColumns(int64_t id, const Sweep& sweep, int64_t kept, FoldFn fold);
  Range FirstColumns(int64_t count) const;
  int UnrollOf(const Sweep& sweep) const;
  Range ColumnsOf(const Tile& tile, const Sweep& sweep);
  // One loop of ForEachColumn: COUNT copies of LANES columns at a time, while they fit before END.
  void SweepRange(const Sweep& sweep, Range& range, int copies, int lanes, int first_copy,
                  absl::FunctionRef<void(const ColumnPoint&)> body);
  bool Nests(const Sweep& sweep) const;
  Digit ColumnDigit(const Sweep& sweep, Value base, int64_t multiple, int lanes) const;
  // COUNT points of LANES rows at a time.
  void SweepRows(const Tile& tile, Value begin, Value end, int lanes, int count, bool at_least_once,
                 absl::FunctionRef<void(absl::Span<const RowPoint>)> body);
  Digit AccumulatorPosition(const ColumnArrays& columns, const ColumnPoint& column);
  void SweepTile(const Tile& tile, const Sweep& sweep, int count,
                 absl::FunctionRef<void(absl::Span<const RowPoint>)> body);
  Value Field(int number, llvm::Type* type);
  llvm::IRBuilder<>& builder() { return emission_->scopes.builder(); }

  int64_t vector_bytes_;
  Emission* emission_ = nullptr;
  llvm::Function* function_ = nullptr;
  Value args_ = nullptr, buffers_ = nullptr, tile_ = nullptr, worker_ = nullptr,
        num_workers_ = nullptr;
  std::vector<Value> pointers_;
  std::vector<ColumnArrays> columns_;
  int64_t tile_bytes_ = 0;
};

}  // namespace astitch::codegen
