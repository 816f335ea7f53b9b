// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Loops over tasks, rows and columns for one worker, with a vector body and a scalar tail.
#include "codegen/host/host_target.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "artifact/host_kernel_abi.h"
#include "base/checked_math.h"
#include "codegen/common/homes.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/IR/Module.h"

namespace astitch::codegen {
namespace {

constexpr int64_t kTileAlignment = 64;

}  // namespace

llvm::IntegerType* HostTarget::IndexType(llvm::LLVMContext& context, const KernelPlan&) {
  return llvm::Type::getInt64Ty(context);
}

// The fields of HostKernelArgs, eight bytes each.
Value HostTarget::Field(int number, llvm::Type* type) {
  llvm::IRBuilder<>& b = builder();
  Value address = b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), args_, number);
  auto* load = b.CreateAlignedLoad(type, address, llvm::Align(8));
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b.getContext(), {}));
  return load;
}

void HostTarget::Begin(llvm::Module& module, const KernelPlan& plan, llvm::IRBuilder<>& builder) {
  llvm::LLVMContext& context = module.getContext();
  auto* pointer = llvm::PointerType::get(context, 0);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {pointer}, false);
  function_ = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, plan.name, module);
  function_->addFnAttr(llvm::Attribute::NoUnwind);
  function_->addFnAttr("no-builtins");
  function_->addParamAttr(0, llvm::Attribute::ReadOnly);
  function_->addParamAttr(0, llvm::Attribute::NoAlias);
  args_ = function_->getArg(0);
  builder.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function_));
  pointers_.assign(plan.inputs.size() + plan.outputs.size() + 1, nullptr);
}

void HostTarget::End() { builder().CreateRetVoid(); }

Value HostTarget::Buffer(int64_t number) {
  if (pointers_[number] != nullptr) return pointers_[number];
  return pointers_[number] = emission_->scopes.At(0, [&]() -> Value {
    llvm::IRBuilder<>& b = builder();
    auto* pointer = llvm::PointerType::get(b.getContext(), 0);
    if (buffers_ == nullptr) buffers_ = Field(0, pointer);
    Value address = b.CreateConstInBoundsGEP1_64(pointer, buffers_, number);
    auto* load = b.CreateAlignedLoad(pointer, address, llvm::Align(8));
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b.getContext(), {}));
    return load;
  });
}

Value HostTarget::TileMemory(int64_t offset) {
  return emission_->scopes.At(0, [&]() -> Value {
    llvm::IRBuilder<>& b = builder();
    if (tile_ == nullptr) tile_ = Field(1, llvm::PointerType::get(b.getContext(), 0));
    return offset == 0 ? tile_ : b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), tile_, offset);
  });
}

void HostTarget::PlanTileMemory(Homes& homes) {
  tile_bytes_ = homes.PlanLocalSlots(emission_->plan.launch.shared_bytes);
}

void HostTarget::PhaseBarrier(size_t number) {
  if (!emission_->plan.phases[number].waits_for_blocks()) return;
  llvm::IRBuilder<>& b = builder();
  auto* pointer = llvm::PointerType::get(b.getContext(), 0);
  auto* type = llvm::FunctionType::get(b.getVoidTy(), {pointer}, false);
  b.CreateCall(type, Field(4, pointer), {Field(5, pointer)});
}

void HostTarget::Mark(absl::string_view text) {
  llvm::IRBuilder<>& b = builder();
  auto* type = llvm::FunctionType::get(b.getVoidTy(), false);
  b.CreateCall(llvm::InlineAsm::get(type, absl::StrCat("# ", text), "", true));
}

// Worker w of W: tasks [w n / W, (w + 1) n / W). Any W gives the same results, since a task is what
// the plan says and never depends on who runs it.
void HostTarget::ForEachTask(int64_t tasks, bool repeated, absl::FunctionRef<void(Value)> body) {
  IndexBuilder& indices = emission_->indices;
  llvm::IRBuilder<>& b = builder();
  if (repeated) {
    emission_->scopes.Loop(indices.Constant(0), indices.Constant(tasks), indices.Constant(1), true,
                           body);
    return;
  }
  if (worker_ == nullptr) {
    worker_ = emission_->scopes.At(0, [&] { return Field(2, b.getInt64Ty()); });
    num_workers_ = emission_->scopes.At(0, [&] { return Field(3, b.getInt64Ty()); });
  }
  if (tasks == 1) {  // the first worker's
    Value mine = b.CreateICmpEQ(worker_, indices.Constant(0));
    emission_->scopes.If(mine, [&] { body(indices.Constant(0)); });
    return;
  }
  auto boundary = [&](Value worker) {
    return b.CreateUDiv(b.CreateMul(worker, indices.Constant(tasks)), num_workers_);
  };
  Value begin = boundary(worker_);
  Value end = boundary(b.CreateAdd(worker_, indices.Constant(1)));
  emission_->scopes.Loop(begin, end, indices.Constant(1), false, body);
}

void HostTarget::EndTask(bool streamed) {
  if (streamed) builder().CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {});
}

void HostTarget::SweepRows(const Tile& tile, Value begin, Value end, int lanes, int count,
                           bool at_least_once,
                           absl::FunctionRef<void(absl::Span<const RowPoint>)> body) {
  IndexBuilder& indices = emission_->indices;
  Value step = indices.Constant(static_cast<int64_t>(lanes) * count);
  emission_->scopes.Loop(begin, end, step, at_least_once, [&](Value first) {
    std::vector<RowPoint> rows(count);
    for (int k = 0; k < count; ++k) {
      RowPoint& row = rows[k];
      row.in_tile = {.base = indices.Add(first, indices.Constant(static_cast<int64_t>(k) * lanes)),
                     .extent = tile.phase->tile_rows,
                     .stride = lanes > 1 ? 1 : 0,
                     .multiple = lanes,
                     .lanes = lanes};
      row.row = row.in_tile;
      row.row.base = indices.Add(tile.begin, row.in_tile.base);
      row.row.extent = tile.phase->num_rows();
      row.row.multiple = std::gcd(tile.begin_multiple, static_cast<int64_t>(lanes));
    }
    body(rows);
  });
}

// Where rows share what belongs to a column, or each waits for its own carry.
int HostTarget::RowsTogether(const Sweep& sweep) const {
  if (sweep.row_lanes() > 1 || sweep.phase->tile_rows == 1) return 1;
  if (sweep.serial && !sweep.row_lanes_if_serial) return 1;  // rows have an order
  bool folds_rows = false, scans = false, stores = false;
  for (const Root& root : sweep.stage->roots) {
    folds_rows = folds_rows || root.over == ReduceOver::kRows;
    scans = scans || root.kind == RootKind::kScan;
    stores = stores || root.kind == RootKind::kStore;
  }
  if (!scans && (!folds_rows || stores)) return 1;
  return std::max(1, std::min<int>(sweep.phase->rows_at_once, sweep.phase->tile_rows));
}

void HostTarget::ForEachRow(const Tile& tile, const Sweep& sweep,
                            absl::FunctionRef<void(const RowPoint&)> body) {
  SweepTile(tile, sweep, 1, [&](absl::Span<const RowPoint> rows) { body(rows[0]); });
}

void HostTarget::ForEachRowGroup(const Tile& tile, const Sweep& sweep,
                                 absl::FunctionRef<void(absl::Span<const RowPoint>)> body) {
  SweepTile(tile, sweep, RowsTogether(sweep), body);
}

// Whole groups of rows, then what is left row by row.
void HostTarget::SweepTile(const Tile& tile, const Sweep& sweep, int count,
                           absl::FunctionRef<void(absl::Span<const RowPoint>)> body) {
  IndexBuilder& indices = emission_->indices;
  const int64_t tile_rows = tile.phase->tile_rows;
  if (tile_rows == 1) {
    RowPoint row;
    row.in_tile = indices.ConstantDigit(0, 1);
    row.row = indices.FromValue(tile.begin, std::max<int64_t>(1, tile.phase->num_rows()));
    row.row.multiple = tile.begin_multiple;
    return body({&row, 1});
  }
  Value end = tile.full ? indices.Constant(tile_rows) : indices.Sub(tile.end, tile.begin);
  const int lanes = sweep.row_lanes();
  const int step = lanes * count;
  if (step == 1) return SweepRows(tile, indices.Constant(0), end, 1, 1, true, body);
  Value whole = indices.Sub(end, indices.Rem(end, step));
  const bool some = tile.full && tile_rows >= step;
  SweepRows(tile, indices.Constant(0), whole, lanes, count, some, body);
  if (!tile.full || tile_rows % step != 0) SweepRows(tile, whole, end, 1, 1, tile.full, body);
}

// Stages with fewer columns than the widest one have no part in the last tasks.
HostTarget::Range HostTarget::ColumnsOf(const Tile& tile, const Sweep& sweep) {
  IndexBuilder& indices = emission_->indices;
  if (sweep.chunk == 0 || tile.column_part == nullptr)
    return {indices.Constant(0), indices.Constant(sweep.columns), 0, sweep.columns};
  const int64_t parts = tile.phase->col_tasks();
  Value columns = indices.Constant(sweep.columns);
  Value begin = indices.Mul(tile.column_part, sweep.chunk);
  if ((parts - 1) * sweep.chunk > sweep.columns) begin = indices.Min(begin, columns);
  Value end = indices.Add(begin, indices.Constant(sweep.chunk));
  const bool even = sweep.columns == parts * sweep.chunk;
  if (!even) end = indices.Min(end, columns);
  return {begin, end, sweep.chunk, even ? sweep.chunk : -1};
}

// Bodies of many operations keep the processor busy by themselves, and a few times as many in one
// block would keep the compiler busy for seconds.
int HostTarget::UnrollOf(const Sweep& sweep) const {
  constexpr size_t kLargeKernel = 512;  // values
  const bool large = emission_->plan.placements.size() > kLargeKernel;
  return sweep.serial || large ? 1 : std::max(1, sweep.stage->unroll);
}

// Full vectors, several at a time; full vectors; single columns.
std::vector<int> HostTarget::Copies(const Sweep& sweep) {
  const int lanes = sweep.column_lanes();
  std::vector<int> copies(UnrollOf(sweep), lanes);
  const bool whole = sweep.columns % lanes == 0 && sweep.chunk % lanes == 0;
  if (!whole) copies.push_back(1);
  return copies;
}

// Axes that lie apart in memory would be divided out of a common number for every vector: the last
// one gets a loop of its own.
bool HostTarget::Nests(const Sweep& sweep) const {
  const std::vector<int64_t>& extents = sweep.stage->columns;
  return extents.size() > 1 && sweep.chunk == 0 && sweep.columns > extents.back() &&
         extents.back() > 1 && extents.back() % sweep.column_lanes() == 0;
}

Digit HostTarget::ColumnDigit(const Sweep& sweep, Value base, int64_t multiple, int lanes) const {
  return {.base = base,
          .extent = sweep.columns,
          .stride = lanes > 1 ? 1 : 0,
          .multiple = multiple,
          .lanes = lanes};
}

void HostTarget::SweepRange(const Sweep& sweep, Range& range, int copies, int lanes, int first_copy,
                            absl::FunctionRef<void(const ColumnPoint&)> body) {
  IndexBuilder& indices = emission_->indices;
  const int64_t step = static_cast<int64_t>(copies) * lanes;
  auto emit = [&](Value begin) {
    const int64_t multiple = std::gcd(range.multiple, step);
    const Digit base = ColumnDigit(sweep, begin, multiple, lanes);
    for (int copy = 0; copy < copies; ++copy) {
      ColumnPoint point;
      point.column = indices.Affine(base, 1, static_cast<int64_t>(copy) * lanes, sweep.columns);
      point.column.least = range.least;
      point.column.most = range.most;
      point.copy = first_copy + copy;
      body(point);
    }
  };
  if (range.length >= 0) {
    const int64_t count = range.length / step;
    if (count == 0) return;
    Value end = indices.Add(range.begin, indices.Constant(count * step));
    if (count == 1) {
      emit(range.begin);
    } else {
      emission_->scopes.Loop(range.begin, end, indices.Constant(step), true, emit);
    }
    range.length -= count * step;
    range.begin = end;
  } else {
    Value length = indices.Sub(range.end, range.begin);
    Value end = step == 1 ? range.end : indices.Sub(range.end, indices.Rem(length, step));
    emission_->scopes.Loop(range.begin, end, indices.Constant(step), false, emit);
    range.begin = end;
  }
  range.multiple = std::gcd(range.multiple, step);
}

void HostTarget::ForEachColumn(const Tile& tile, const Sweep& sweep,
                               absl::FunctionRef<void(const ColumnPoint&)> body) {
  const int lanes = sweep.column_lanes();
  const int unroll = UnrollOf(sweep);
  const bool tail = static_cast<int>(Copies(sweep).size()) > unroll;
  auto sweep_range = [&](Range range) {
    if (unroll > 1) SweepRange(sweep, range, unroll, lanes, 0, body);
    SweepRange(sweep, range, 1, lanes, 0, body);
    if (tail) SweepRange(sweep, range, 1, 1, unroll, body);
  };
  IndexBuilder& indices = emission_->indices;
  if (Nests(sweep)) {
    Sweep inner = sweep;
    inner.columns = sweep.stage->columns.back();
    const int64_t outer = sweep.columns / inner.columns;
    emission_->scopes.Loop(indices.Constant(0), indices.Constant(outer), indices.Constant(1), true,
                           [&](Value i) {
                             const Digit hi = {.base = i, .extent = outer};
                             ForEachColumn(tile, inner, [&](const ColumnPoint& column) {
                               ColumnPoint point = column;
                               point.column = indices.Join(hi, column.column);
                               body(point);
                             });
                           });
    return;
  }
  if (sweep.cuts.empty() || sweep.chunk > 0) return sweep_range(ColumnsOf(tile, sweep));
  std::vector<int64_t> bounds = sweep.cuts;
  bounds.push_back(sweep.columns);
  int64_t begin = 0;
  for (int64_t end : bounds) {
    sweep_range({.begin = indices.Constant(begin),
                 .end = indices.Constant(end),
                 .multiple = begin,
                 .length = end - begin,
                 .least = begin,
                 .most = end - 1});
    begin = end;
  }
}

Value HostTarget::CanStream(int32_t output, const Instruction& value, const Sweep& sweep) {
  const int64_t lanes = sweep.column_lanes();
  if (lanes == 1 || sweep.columns % lanes != 0) return nullptr;
  const int64_t bytes = std::min(vector_bytes_, lanes * ByteWidth(value.shape().element_type()));
  Value pointer = Buffer(static_cast<int64_t>(emission_->plan.inputs.size()) + output);
  return emission_->scopes.At(0, [&] {
    llvm::IRBuilder<>& b = builder();
    Value address = b.CreatePtrToInt(pointer, b.getInt64Ty());
    return b.CreateICmpEQ(b.CreateAnd(address, b.getInt64(bytes - 1)), b.getInt64(0));
  });
}

int64_t HostTarget::AddColumnAccumulators(const Sweep& sweep, absl::Span<const ElementType> types) {
  ColumnArrays columns;
  columns.chunk = sweep.chunk;
  const int64_t count = sweep.chunk > 0 ? sweep.chunk : sweep.columns;
  for (ElementType type : types) {
    tile_bytes_ = RoundUp(tile_bytes_, kTileAlignment);
    columns.arrays.push_back({.pointer = TileMemory(tile_bytes_),
                              .type = type,
                              .alignment = kTileAlignment,
                              .elements = count});
    tile_bytes_ += count * ByteWidth(type);
  }
  columns_.push_back(std::move(columns));
  return static_cast<int64_t>(columns_.size()) - 1;
}

Digit HostTarget::AccumulatorPosition(const ColumnArrays& columns, const ColumnPoint& column) {
  if (columns.chunk == 0) return column.column;
  Digit position = column.column;
  // Parts start on multiples of their size.
  position.base = emission_->indices.Rem(column.column.base, columns.chunk);
  position.multiple = std::gcd(column.column.multiple, columns.chunk);
  return position;
}

void HostTarget::StartColumns(int64_t id, const Tile& tile, const Sweep& sweep,
                              absl::Span<const Value> start) {
  if (sweep.columns == 0) return;
  ForEachColumn(tile, sweep,
                [&](const ColumnPoint& column) { StoreColumnAccumulators(id, column, start); });
}

std::vector<Value> HostTarget::LoadColumnAccumulators(int64_t id, const ColumnPoint& column) {
  std::vector<Value> values;
  const Digit position = AccumulatorPosition(columns_[id], column);
  for (const Array& array : columns_[id].arrays)
    values.push_back(LoadElements(emission_->context, emission_->indices, array, position));
  return values;
}

void HostTarget::StoreColumnAccumulators(int64_t id, const ColumnPoint& column,
                                         absl::Span<const Value> values) {
  const Digit position = AccumulatorPosition(columns_[id], column);
  for (size_t i = 0; i < values.size(); ++i) {
    StoreElements(emission_->context, emission_->indices, columns_[id].arrays[i], position,
                  values[i], false);
  }
}

void HostTarget::FinishColumns(
    int64_t id, const Tile& tile, const Sweep& sweep, int64_t kept, FoldFn fold,
    absl::FunctionRef<void(const ColumnPoint&, std::vector<Value>)> body) {
  const auto finish = [&](const ColumnPoint& column) {
    body(column, LoadColumnAccumulators(id, column));
  };
  if (kept == sweep.columns) return ForEachColumn(tile, sweep, finish);
  MeetColumns(id, sweep, kept, fold);
  Range range = FirstColumns(kept);
  SweepRange(sweep, range, 1, 1, 0, finish);
}

HostTarget::Range HostTarget::FirstColumns(int64_t count) const {
  IndexBuilder& indices = emission_->indices;
  return {indices.Constant(0), indices.Constant(count), 0, count};
}

// The upper half of what is left joins the lower one, until KEPT columns are left.
void HostTarget::MeetColumns(int64_t id, const Sweep& sweep, int64_t kept, FoldFn fold) {
  for (int64_t left = sweep.columns / kept; left > 1;) {
    const int64_t half = CeilDiv(left, 2);
    const auto join = [&](const ColumnPoint& column) {
      ColumnPoint other = column;
      other.column = emission_->indices.Affine(column.column, 1, half * kept, sweep.columns);
      StoreColumnAccumulators(
          id, column, fold(LoadColumnAccumulators(id, column), LoadColumnAccumulators(id, other)));
    };
    Range range = FirstColumns((left - half) * kept);
    SweepRange(sweep, range, 1, sweep.column_lanes(), 0, join);
    SweepRange(sweep, range, 1, 1, 0, join);
    left = half;
  }
}

}  // namespace astitch::codegen
