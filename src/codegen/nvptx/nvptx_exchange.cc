// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// How the parts that threads hold meet: lanes of a warp by shuffles, warps through shared memory,
// rows side by side through shared memory at the end of a task. The order is fixed, and every
// thread that needs a result computes it from the same parts in the same order, so all hold the
// same bits.
#include <algorithm>

#include "base/checked_math.h"
#include "codegen/common/evaluator.h"
#include "codegen/common/homes.h"
#include "codegen/common/reducer.h"
#include "codegen/common/register_types.h"
#include "codegen/nvptx/nvptx_target.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

namespace astitch::codegen {
namespace {

constexpr int64_t kWarp = 32;
constexpr int64_t kSlotBytes = Exchange::kSlotBytes;

llvm::Type* StoredType(llvm::Type* type) {
  return type->isIntegerTy(1) ? llvm::Type::getInt8Ty(type->getContext()) : type;
}

// Element AT of each of ARRAYS.
std::vector<Value> LoadAt(Emission& emission, absl::Span<const Array> arrays, Value at) {
  std::vector<Value> values;
  for (const Array& array : arrays)
    values.push_back(LoadElements(emission.context, emission.indices, array,
                                  emission.indices.FromValue(at, array.elements)));
  return values;
}

void StoreAt(Emission& emission, absl::Span<const Array> arrays, Value at,
             absl::Span<const Value> values) {
  for (size_t i = 0; i < arrays.size(); ++i)
    StoreElements(emission.context, emission.indices, arrays[i],
                  emission.indices.FromValue(at, arrays[i].elements), values[i], false);
}

}  // namespace

int NvptxTarget::ClusterBlocks(const KernelPlan& plan) {
  int blocks = 1;
  for (const Phase& phase : plan.phases) blocks = std::max(blocks, phase.cluster);
  return blocks;
}

// BY: lanes, or which; CLAMP: of the instruction's last operand.
Value NvptxTarget::Shuffle(llvm::Intrinsic::ID mode, Value value, int by, int clamp) {
  llvm::IRBuilder<>& b = builder();
  llvm::Type* type = value->getType();
  const unsigned bits = type->getScalarSizeInBits();
  Value raw = b.CreateBitCast(value, b.getIntNTy(bits));
  const int64_t block = Block();
  const uint32_t members = block >= kWarp ? 0xFFFFFFFFu : (uint32_t{1} << block) - 1;
  auto shuffle = [&](Value word) -> Value {
    return b.CreateIntrinsic(mode, {b.getInt32(members), word, b.getInt32(by), b.getInt32(clamp)});
  };
  if (bits <= 32) {
    raw = b.CreateTrunc(shuffle(b.CreateZExt(raw, b.getInt32Ty())), b.getIntNTy(bits));
  } else {
    Value low = shuffle(b.CreateTrunc(raw, b.getInt32Ty()));
    Value high = shuffle(b.CreateTrunc(b.CreateLShr(raw, 32), b.getInt32Ty()));
    raw = b.CreateOr(b.CreateZExt(low, b.getInt64Ty()),
                     b.CreateShl(b.CreateZExt(high, b.getInt64Ty()), 32));
  }
  return b.CreateBitCast(raw, type);
}

std::vector<Value> NvptxTarget::Shuffled(std::vector<Value> values, int lanes, FoldFn fold,
                                         int apart) {
  for (int mask = lanes / 2; mask >= apart; mask /= 2) {
    std::vector<Value> others;
    for (Value value : values)
      others.push_back(Shuffle(llvm::Intrinsic::nvvm_shfl_sync_bfly_i32, value, mask, 31));
    values = fold(values, others);
  }
  return values;
}

// VALUES to the thread's slot of PARTS, behind a barrier for all to read.
void NvptxTarget::LeavePart(absl::Span<const Value> values, const Parts& parts, SlotFn slot) {
  llvm::IRBuilder<>& b = builder();
  auto store = [&] {
    for (size_t i = 0; i < values.size(); ++i) {
      Value stored = values[i];
      if (stored->getType()->isIntegerTy(1)) stored = b.CreateZExt(stored, b.getInt8Ty());
      b.CreateStore(stored, slot(i, parts.mine));
    }
  };
  if (parts.speaks == nullptr) {
    store();
  } else {
    emission_->scopes.If(parts.speaks, store);
  }
  BlockBarrier();
}

// Part NUMBER of those, of the types of LIKE.
std::vector<Value> NvptxTarget::TakePart(absl::Span<const Value> like, Value number, SlotFn slot) {
  llvm::IRBuilder<>& b = builder();
  std::vector<Value> part;
  for (size_t i = 0; i < like.size(); ++i) {
    llvm::Type* type = like[i]->getType();
    Value loaded = b.CreateLoad(StoredType(type), slot(i, number));
    part.push_back(type->isIntegerTy(1) ? b.CreateTrunc(loaded, type) : loaded);
  }
  return part;
}

Value NvptxTarget::SlotAddress(int64_t area, const Parts& parts, size_t result, Value like,
                               Value number) {
  const int64_t offset = area + static_cast<int64_t>(result) * parts.slots * kSlotBytes;
  return SharedAddress(offset, StoredType(like->getType()), number);
}

std::vector<Value> NvptxTarget::MeetThroughShared(std::vector<Value> values, const Parts& parts,
                                                  FoldFn fold) {
  if (reads_columns_) BlockBarrier();  // their area is this one, too
  reads_columns_ = false;
  const int64_t area = exchange_begin_ + parity_ * exchange_.warps;
  parity_ = 1 - parity_;
  auto slot = [&](size_t result, Value number) {
    return SlotAddress(area, parts, result, values[result], number);
  };
  LeavePart(values, parts, slot);
  ++exchanges_;
  std::vector<Value> all;
  for (size_t p = 0; p < parts.slot_of.size(); ++p) {
    const std::vector<Value> part = TakePart(values, parts.slot_of[p], slot);
    all = p == 0 ? part : fold(all, part);
  }
  return all;
}

// A slot for each of COUNT warps of a group that is number GROUP of GROUPS; a warp's first lane
// speaks for it.
NvptxTarget::Parts NvptxTarget::PartsOfWarps(Value group, int64_t groups, Value warp,
                                             int64_t count) {
  IndexBuilder& indices = emission_->indices;
  Parts parts;
  parts.slots = groups * count;
  Value first = indices.Mul(group, count);
  parts.mine = indices.Add(first, warp);
  parts.speaks = builder().CreateICmpEQ(indices.Rem(thread_, kWarp), indices.Constant(0));
  for (int64_t w = 0; w < count; ++w)
    parts.slot_of.push_back(indices.Add(first, indices.Constant(w)));
  return parts;
}

// A slot for every row of every warp, those of neighbouring rows side by side; where a warp has ROWS
// rows several times, its first lanes speak for the others.
NvptxTarget::Parts NvptxTarget::PartsOfDealtRows(int64_t rows) {
  if (rows >= kWarp) return PartsOfThreads(rows);
  IndexBuilder& indices = emission_->indices;
  Parts parts;
  parts.slots = Block() / kWarp * rows;
  Value row = indices.Rem(thread_, rows), lane = indices.Rem(thread_, kWarp);
  parts.speaks = indices.Compare(llvm::CmpInst::ICMP_SLT, lane, indices.Constant(rows));
  parts.mine = indices.Add(indices.Mul(indices.Div(thread_, kWarp), rows), row);
  for (int64_t first = 0; first < parts.slots; first += rows)
    parts.slot_of.push_back(indices.Add(row, indices.Constant(first)));
  return parts;
}

std::vector<Value> NvptxTarget::MeetInRow(const Sweep& sweep, std::vector<Value> values,
                                          FoldFn fold) {
  const int64_t threads = ThreadsOf(sweep);
  if (threads == 1 || sweep.serial) return values;
  if (DealsRows(sweep)) {
    const int64_t rows = sweep.phase->tile_rows;
    values = Shuffled(std::move(values), kWarp, fold, static_cast<int>(rows));
    return MeetThroughShared(std::move(values), PartsOfDealtRows(rows), fold);
  }
  values = Shuffled(std::move(values), static_cast<int>(std::min(threads, kWarp)), fold);
  if (threads <= kWarp) return values;
  return MeetThroughShared(std::move(values), PartsOfRow(sweep), fold);
}

// A slot for each warp of a row of several.
NvptxTarget::Parts NvptxTarget::PartsOfRow(const Sweep& sweep) {
  IndexBuilder& indices = emission_->indices;
  const int64_t threads = ThreadsOf(sweep);
  Value row = indices.Div(thread_, threads);
  if (threads == Block()) row = indices.Constant(0);
  Value warp = indices.Div(indices.Rem(thread_, threads), kWarp);
  return PartsOfWarps(row, sweep.phase->rows_at_once, warp, threads / kWarp);
}

std::vector<Value> NvptxTarget::MeetInTask(const Sweep& sweep, std::vector<Value> values,
                                           FoldFn fold) {
  if (sweep.serial || Block() == 1) return values;
  values = Shuffled(std::move(values), static_cast<int>(std::min(Block(), kWarp)), fold);
  if (Block() <= kWarp) return values;
  IndexBuilder& indices = emission_->indices;
  const Parts parts =
      PartsOfWarps(indices.Constant(0), 1, indices.Div(thread_, kWarp), Block() / kWarp);
  return MeetThroughShared(std::move(values), parts, fold);
}

// Every block leaves what it has in its own memory; after the barrier all read all, in order of rank.
std::vector<Value> NvptxTarget::MeetInCluster(const Sweep& sweep, std::vector<Value> values,
                                              Value owner, FoldFn fold) {
  llvm::IRBuilder<>& b = builder();
  IndexBuilder& indices = emission_->indices;
  const int64_t area =
      exchange_begin_ + exchange_.cluster_begin() + cluster_parity_ * exchange_.cluster;
  cluster_parity_ = 1 - cluster_parity_;
  const int64_t rows = sweep.phase->rows_at_once;
  Value row = rows == 1 ? indices.Constant(0) : indices.Div(thread_, sweep.phase->threads_per_row);
  auto slot = [&](Value base, size_t result) {
    Value at = indices.Add(indices.Constant(static_cast<int64_t>(result) * rows), row);
    return b.CreateInBoundsGEP(b.getInt64Ty(), base, at);
  };
  auto store = [&] {
    for (size_t i = 0; i < values.size(); ++i) {
      Value stored = values[i];
      if (stored->getType()->isIntegerTy(1)) stored = b.CreateZExt(stored, b.getInt8Ty());
      b.CreateAlignedStore(stored, slot(TileMemory(area), i), llvm::Align(8));
    }
  };
  if (owner == nullptr) {
    store();
  } else {
    emission_->scopes.If(owner, store);
  }
  ClusterBarrier();
  shares_cluster_ = true;
  std::vector<Value> all;
  for (int rank = 0; rank < sweep.phase->cluster; ++rank) {
    Value base = ClusterMemory(area, b.getInt32(rank));
    std::vector<Value> part;
    for (size_t i = 0; i < values.size(); ++i) {
      llvm::Type* type = values[i]->getType();
      Value loaded = b.CreateAlignedLoad(StoredType(type), slot(base, i), llvm::Align(8));
      part.push_back(type->isIntegerTy(1) ? b.CreateTrunc(loaded, type) : loaded);
    }
    all = rank == 0 ? part : fold(all, part);
  }
  return all;
}

Value NvptxTarget::RowOwner(const Sweep& sweep) {
  const int64_t threads = ThreadsOf(sweep);
  if (threads == 1) return nullptr;
  IndexBuilder& indices = emission_->indices;
  Value lane = DealsRows(sweep)     ? indices.Div(thread_, sweep.phase->tile_rows)
               : threads == Block() ? thread_
                                    : indices.Rem(thread_, threads);
  return indices.Compare(llvm::CmpInst::ICMP_EQ, lane, indices.Constant(0));
}

Value NvptxTarget::TaskOwner() {
  return emission_->indices.Compare(llvm::CmpInst::ICMP_EQ, thread_,
                                    emission_->indices.Constant(0));
}

int64_t NvptxTarget::AddColumnAccumulators(const Sweep& sweep,
                                           absl::Span<const ElementType> types) {
  ColumnFile file;
  file.types.assign(types.begin(), types.end());
  llvm::BasicBlock& entry = function_->getEntryBlock();
  llvm::IRBuilder<> top(&entry, entry.begin());
  for (int lanes : PointLanes(sweep)) {
    file.slots.emplace_back();
    for (ElementType type : types) {
      file.slots.back().push_back(top.CreateAlloca(RegisterType(top.getContext(), type, lanes)));
    }
  }
  columns_.push_back(std::move(file));
  return static_cast<int64_t>(columns_.size()) - 1;
}

void NvptxTarget::StartColumns(int64_t id, const Tile&, const Sweep&,
                               absl::Span<const Value> start) {
  for (const auto& slots : columns_[id].slots) {
    for (size_t i = 0; i < slots.size(); ++i) {
      auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(slots[i]->getAllocatedType());
      const int lanes = vector == nullptr ? 1 : static_cast<int>(vector->getNumElements());
      builder().CreateStore(SplatLanes(builder(), start[i], lanes), slots[i]);
    }
  }
}

std::vector<Value> NvptxTarget::LoadColumnAccumulators(int64_t id, const ColumnPoint& column) {
  std::vector<Value> values;
  for (llvm::AllocaInst* slot : columns_[id].slots[column.number])
    values.push_back(builder().CreateLoad(slot->getAllocatedType(), slot));
  return values;
}

void NvptxTarget::StoreColumnAccumulators(int64_t id, const ColumnPoint& column,
                                          absl::Span<const Value> values) {
  const auto& slots = columns_[id].slots[column.number];
  for (size_t i = 0; i < values.size(); ++i) builder().CreateStore(values[i], slots[i]);
}

// Where a lane takes two accesses of 16 bytes, lanes that store together would meet in banks, 32 bytes
// apart: every other four of them store their second half first.
void NvptxTarget::StorePart(const Array& array, const Digit& position, Value value) {
  constexpr int64_t kTwoAccesses = 32, kLanesTogether = 4;
  IndexBuilder& indices = emission_->indices;
  llvm::IRBuilderBase& b = builder();
  const int32_t lanes = position.lanes;
  const bool in_a_row = lanes > 1 && !position.per_lane && position.stride == 1;
  if (!in_a_row || lanes * ByteWidth(array.type) != kTwoAccesses || position.multiple % lanes != 0)
    return StoreElements(emission_->context, indices, array, position, value, false);
  Value second = indices.Rem(indices.Div(thread_, kLanesTogether), 2);  // 1: that half comes first
  Value turn = indices.Compare(llvm::CmpInst::ICMP_NE, second, indices.Constant(0));
  Value begin = indices.Mul(second, lanes / 2);
  std::vector<int> low, high;
  for (int lane = 0; lane < lanes / 2; ++lane) {
    low.push_back(lane);
    high.push_back(lane + lanes / 2);
  }
  Value halves[] = {b.CreateShuffleVector(value, low), b.CreateShuffleVector(value, high)};
  for (int access = 0; access < 2; ++access) {
    Digit at = position;
    at.ForgetBounds();
    at.lanes = lanes / 2;
    at.multiple = lanes / 2;
    at.base = indices.Add(position.base, begin);
    StoreElements(emission_->context, indices, array, at,
                  b.CreateSelect(turn, halves[1 - access], halves[access]), false);
    begin = indices.Sub(indices.Constant(lanes / 2), begin);
  }
}

// What lies in the first COLUMNS of ARRAYS, in the order of columns: the upper half of what is left
// joins the lower one, until KEPT are left. A column's thread is the same every time, so that what is
// left is the first warp's in the end; DEALT: who left them there are other threads.
void NvptxTarget::MeetColumns(absl::Span<const Array> arrays, int64_t columns, int64_t kept,
                              bool dealt, FoldFn fold) {
  IndexBuilder& indices = emission_->indices;
  for (int64_t left = columns / kept; left > 1;) {
    const int64_t half = CeilDiv(left, 2), count = (left - half) * kept;
    const bool one_warp = left * kept <= kWarp;
    if (dealt || !one_warp) {
      BlockBarrier();
    } else {
      WarpBarrier();
    }
    dealt = false;
    emission_->scopes.Loop(
        thread_, indices.Constant(count), indices.Constant(Block()), false, [&](Value at) {
          Value other = indices.Add(at, indices.Constant(half * kept));
          StoreAt(*emission_, arrays, at,
                  fold(LoadAt(*emission_, arrays, at), LoadAt(*emission_, arrays, other)));
        });
    left = half;
  }
}

// Without rows side by side every thread finishes its own columns. Else each leaves its part in
// shared memory, and the block's threads take a column each and fold the rows in order.
void NvptxTarget::FinishColumns(
    int64_t id, const Tile& tile, const Sweep& sweep, int64_t kept, FoldFn fold,
    absl::FunctionRef<void(const ColumnPoint&, std::vector<Value>)> body) {
  IndexBuilder& indices = emission_->indices;
  const bool meets = kept < sweep.columns;
  if (sweep.phase->rows_at_once == 1 && !meets) {
    ForEachColumn(tile, sweep, [&](const ColumnPoint& column) {
      body(column, LoadColumnAccumulators(id, column));
    });
    return;
  }
  // Others may still read what an exchange before this one left.
  if (uses_slots_ || exchanges_ > 0 || reads_parts_) BlockBarrier();
  reads_parts_ = false;
  const int64_t rows = sweep.phase->rows_at_once;
  const int64_t width = sweep.chunk > 0 ? sweep.chunk : sweep.columns;
  const Range range = ColumnsOf(tile, sweep);
  std::vector<Array> arrays;
  int64_t offset = exchange_begin_;
  for (ElementType type : columns_[id].types) {
    arrays.push_back(
        {.pointer = TileMemory(offset), .type = type, .alignment = 16, .elements = rows * width});
    offset += RoundUp(rows * width * ByteWidth(type), 16);
  }
  auto position = [&](const Digit& row, Digit column) {
    column.base = indices.Sub(column.base, range.begin);
    column.extent = width;
    return indices.JoinAll({row, column});
  };
  const Digit mine = indices.FromValue(indices.Div(thread_, sweep.phase->threads_per_row), rows);
  ForEachColumn(tile, sweep, [&](const ColumnPoint& column) {
    const std::vector<Value> values = LoadColumnAccumulators(id, column);
    auto store = [&] {
      for (size_t i = 0; i < values.size(); ++i) {
        StorePart(arrays[i], position(mine, column.column), values[i]);
      }
    };
    if (column.valid == nullptr) return store();
    emission_->scopes.If(column.valid, store);
  });
  uses_slots_ = reads_columns_ = true;
  const auto point_at = [&](Value at) {
    ColumnPoint column;
    column.column = ColumnDigit(sweep, at, 1, 1);
    return column;
  };
  if (rows > 1 || !meets) {
    BlockBarrier();
    Value begin = indices.Add(range.begin, thread_);
    emission_->scopes.Loop(begin, range.end, indices.Constant(Block()), false, [&](Value at) {
      const ColumnPoint column = point_at(at);
      std::vector<Value> all;
      for (int64_t row = 0; row < rows; ++row) {
        std::vector<Value> part;
        for (const Array& array : arrays) {
          part.push_back(LoadElements(emission_->context, indices, array,
                                      position(indices.ConstantDigit(row, rows), column.column)));
        }
        all = row == 0 ? part : fold(all, part);
      }
      if (meets) return StoreAt(*emission_, arrays, at, all);
      body(column, all);
    });
  }
  if (!meets) return;
  MeetColumns(arrays, sweep.columns, kept, rows == 1, fold);
  emission_->scopes.Loop(thread_, indices.Constant(kept), indices.Constant(Block()), false,
                         [&](Value at) { body(point_at(at), LoadAt(*emission_, arrays, at)); });
}

}  // namespace astitch::codegen
