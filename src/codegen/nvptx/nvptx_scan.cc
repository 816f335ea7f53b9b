// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What the threads of a row that come before each of them hold, folded in order: lanes of a warp by
// shuffles upwards, warps through shared memory.
//
//   lane            0    1     2      3
//   holds           a    b     c      d
//   from 1 below    a    ab    bc     cd
//   from 2 below    a    ab    abc    abcd     all = the last lane's; before = the lane's below
//
// Two areas of shared memory are taken in turn, so that one barrier is enough between an exchange and
// the next; scans stand in loops, so which of them it is, is known at run time only.
#include <algorithm>

#include "codegen/nvptx/nvptx_target.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

namespace astitch::codegen {
namespace {

constexpr int64_t kWarp = 32;

}  // namespace

KernelTarget::Scanned NvptxTarget::ScanInRow(const Sweep& sweep, std::vector<Value> values,
                                             absl::Span<const Value> start, FoldFn fold) {
  const int64_t threads = ThreadsOf(sweep);
  IndexBuilder& indices = emission_->indices;
  if (threads == 1) return {{start.begin(), start.end()}, std::move(values)};
  if (DealsRows(sweep)) {
    Value lane = indices.Div(thread_, sweep.phase->tile_rows);
    return ScanThroughShared(std::move(values), start, PartsOfThreads(sweep.phase->tile_rows), lane,
                             fold);
  }
  Scanned scanned = ScanInWarp(std::move(values), start, std::min(threads, kWarp), fold);
  if (threads <= kWarp) return scanned;
  const Parts parts = PartsOfRow(sweep);
  Value warp = indices.Div(indices.Rem(thread_, threads), kWarp);
  Scanned warps = ScanThroughShared(std::move(scanned.all), start, parts, warp, fold);
  return {fold(warps.before, scanned.before), std::move(warps.all)};
}

// A slot for every thread, those of ROWS neighbouring rows side by side.
NvptxTarget::Parts NvptxTarget::PartsOfThreads(int64_t rows) {
  IndexBuilder& indices = emission_->indices;
  Parts parts;
  parts.slots = Block();
  parts.mine = thread_;
  Value row = indices.Rem(thread_, rows);
  for (int64_t first = 0; first < Block(); first += rows)
    parts.slot_of.push_back(indices.Add(row, indices.Constant(first)));
  return parts;
}

// WIDTH: lanes that share a row, a power of two.
KernelTarget::Scanned NvptxTarget::ScanInWarp(std::vector<Value> values,
                                              absl::Span<const Value> start, int64_t width,
                                              FoldFn fold) {
  llvm::IRBuilder<>& b = builder();
  IndexBuilder& indices = emission_->indices;
  const auto segment = static_cast<int>((kWarp - width) << 8);
  Value lane = indices.Rem(thread_, width);
  auto above = [&](int64_t lanes) { return b.CreateICmpUGE(lane, indices.Constant(lanes)); };
  auto from_below = [&](Value value, int64_t lanes) {
    return Shuffle(llvm::Intrinsic::nvvm_shfl_sync_up_i32, value, static_cast<int>(lanes), segment);
  };
  for (int64_t lanes = 1; lanes < width; lanes *= 2) {
    std::vector<Value> below;
    for (Value value : values) below.push_back(from_below(value, lanes));
    const std::vector<Value> both = fold(below, values);
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = b.CreateSelect(above(lanes), both[i], values[i]);
  }
  Scanned scanned;
  for (size_t i = 0; i < values.size(); ++i) {
    scanned.before.push_back(b.CreateSelect(above(1), from_below(values[i], 1), start[i]));
    scanned.all.push_back(Shuffle(llvm::Intrinsic::nvvm_shfl_sync_idx_i32, values[i],
                                  static_cast<int>(width) - 1, segment | 31));
  }
  return scanned;
}

// MINE: which of the parts is the thread's.
KernelTarget::Scanned NvptxTarget::ScanThroughShared(std::vector<Value> values,
                                                     absl::Span<const Value> start,
                                                     const Parts& parts, Value mine, FoldFn fold) {
  llvm::IRBuilder<>& b = builder();
  IndexBuilder& indices = emission_->indices;
  if (scan_turn_ == nullptr) {
    llvm::BasicBlock& entry = function_->getEntryBlock();
    llvm::IRBuilder<> top(&entry, entry.begin());
    scan_turn_ = top.CreateAlloca(indices.type());
    top.CreateStore(indices.Constant(0), scan_turn_);
  }
  Value turn = b.CreateLoad(indices.type(), scan_turn_);
  b.CreateStore(b.CreateXor(turn, indices.Constant(exchange_.scans)), scan_turn_);
  auto slot = [&](size_t result, Value number) {
    const int64_t area = exchange_begin_ + exchange_.scans_begin();
    Value first = SlotAddress(area, parts, result, values[result], number);
    return b.CreateInBoundsGEP(b.getInt8Ty(), first, turn);
  };
  LeavePart(values, parts, slot);
  Scanned scanned{{start.begin(), start.end()}, {}};
  for (size_t p = 0; p < parts.slot_of.size(); ++p) {
    const std::vector<Value> part = TakePart(values, parts.slot_of[p], slot);
    scanned.all = p == 0 ? part : fold(scanned.all, part);
    Value later = b.CreateICmpUGT(mine, indices.Constant(static_cast<int64_t>(p)));
    for (size_t i = 0; i < part.size(); ++i)
      scanned.before[i] = b.CreateSelect(later, scanned.all[i], scanned.before[i]);
  }
  return scanned;
}

}  // namespace astitch::codegen
