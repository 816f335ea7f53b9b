// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Rows of inputs into shared memory, by all threads of the block: in pieces of 16 bytes where
// addresses and lengths are known to be whole ones, else of 8, 4, 2 or 1.
//
// From sm_80 on pieces of 4 bytes and more go around the registers (cp.async), so that as much is in
// flight as the rows are long; before, a thread loads and stores piece by piece. From sm_90 on whole
// pieces of 16 bytes are one bulk copy, or one a row, that thread 0 starts and all wait for: its
// barrier counts the bytes, and phases of it follow each other copy by copy.
#include <numeric>

#include "codegen/nvptx/nvptx_target.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

namespace astitch::codegen {
namespace {

constexpr int kFirstWithAsyncCopies = 80;

// The largest piece that the copy's addresses and lengths are multiples of.
int64_t UnitOf(const TileCopy& copy) {
  int64_t bytes = std::gcd(int64_t{16}, copy.offset);
  bytes = std::gcd(bytes, copy.first.multiple * copy.element_bytes);
  if (copy.contiguous) return std::gcd(bytes, copy.rows_multiple * copy.pitch * copy.element_bytes);
  for (int64_t elements : {copy.pitch, copy.width_multiple, copy.slot_width})
    bytes = std::gcd(bytes, elements * copy.element_bytes);
  return bytes;
}

llvm::Intrinsic::ID AsyncCopy(int64_t unit) {
  switch (unit) {
    case 16:
      return llvm::Intrinsic::nvvm_cp_async_cg_shared_global_16;
    case 8:
      return llvm::Intrinsic::nvvm_cp_async_ca_shared_global_8;
    case 4:
      return llvm::Intrinsic::nvvm_cp_async_ca_shared_global_4;
    default:
      return llvm::Intrinsic::not_intrinsic;
  }
}

}  // namespace

// ELEMENTS from element FROM of the input to element TO of the slot.
void NvptxTarget::CopyRow(const TileCopy& copy, Value from, Value to, Value elements,
                          int64_t unit) {
  llvm::IRBuilder<>& b = builder();
  IndexBuilder& indices = emission_->indices;
  llvm::Type* element = b.getIntNTy(static_cast<unsigned>(8 * copy.element_bytes));
  llvm::Type* piece = b.getIntNTy(static_cast<unsigned>(8 * unit));
  Value source = b.CreateInBoundsGEP(element, copy.source, from);
  Value target = b.CreateInBoundsGEP(element, TileMemory(copy.offset), to);
  // Pieces are no wider than 16 bytes and elements no wider than 8, so one divides the other.
  Value pieces = copy.element_bytes >= unit ? indices.Mul(elements, copy.element_bytes / unit)
                                            : indices.Div(elements, unit / copy.element_bytes);
  const llvm::Intrinsic::ID async =
      sm_ >= kFirstWithAsyncCopies ? AsyncCopy(unit) : llvm::Intrinsic::not_intrinsic;
  emission_->scopes.Loop(thread_, pieces, indices.Constant(Block()), false, [&](Value i) {
    Value in = b.CreateInBoundsGEP(piece, source, i), out = b.CreateInBoundsGEP(piece, target, i);
    if (async != llvm::Intrinsic::not_intrinsic) {
      b.CreateIntrinsic(async, {out, in});
      return;
    }
    const llvm::Align alignment(unit);
    auto* load = b.CreateAlignedLoad(piece, in, alignment);
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b.getContext(), {}));
    b.CreateAlignedStore(load, out, alignment);
  });
}

// The barrier, before anybody uses it, and visible to the engine that counts its bytes.
void NvptxTarget::StartBulkCopies() {
  llvm::IRBuilder<>& b = builder();
  llvm::BasicBlock& entry = function_->getEntryBlock();
  llvm::IRBuilder<> top(&entry, entry.begin());
  copies_phase_ = top.CreateAlloca(b.getInt32Ty());
  b.CreateStore(b.getInt32(0), copies_phase_);
  Value barrier = SharedAddress(exchange_begin_ + exchange_.copies_begin(), nullptr, nullptr);
  Value leader = b.CreateICmpEQ(thread_, emission_->indices.Constant(0));
  emission_->scopes.If(leader, [&] {
    auto* type = llvm::FunctionType::get(b.getVoidTy(), {b.getInt32Ty()}, false);
    b.CreateCall(llvm::InlineAsm::get(type,
                                      "mbarrier.init.shared::cta.b64 [$0], 1;\n\t"
                                      "fence.proxy.async.shared::cta;",
                                      "r,~{memory}", true),
                 {b.CreatePtrToInt(barrier, b.getInt32Ty())});
  });
  BlockBarrier();
}

// Thread 0 tells the barrier how many bytes to expect, then starts the copies.
void NvptxTarget::CopyInBulk(absl::Span<const TileCopy> copies) {
  llvm::IRBuilder<>& b = builder();
  IndexBuilder& indices = emission_->indices;
  llvm::Type* word = b.getInt32Ty();
  auto* expect_type = llvm::FunctionType::get(b.getVoidTy(), {word, word}, false);
  auto* expect = llvm::InlineAsm::get(expect_type,
                                      "fence.proxy.async.shared::cta;\n\t"
                                      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;",
                                      "r,r,~{memory}", true);
  auto* copy_type =
      llvm::FunctionType::get(b.getVoidTy(), {word, b.getInt64Ty(), word, word}, false);
  auto* start = llvm::InlineAsm::get(
      copy_type,
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [$0], [$1], $2, [$3];",
      "r,l,r,r,~{memory}", true);
  Value barrier = b.CreatePtrToInt(
      SharedAddress(exchange_begin_ + exchange_.copies_begin(), nullptr, nullptr), word);
  auto bytes_of = [&](const TileCopy& copy, Value elements) {
    return b.CreateZExtOrTrunc(indices.Mul(elements, copy.element_bytes), word);
  };
  auto start_row = [&](const TileCopy& copy, Value from, Value to, Value elements) {
    llvm::Type* element = b.getIntNTy(static_cast<unsigned>(8 * copy.element_bytes));
    Value source = b.CreateInBoundsGEP(element, copy.source, from);
    Value target = b.CreateInBoundsGEP(element, TileMemory(copy.offset), to);
    b.CreateCall(start, {b.CreatePtrToInt(target, word), b.CreatePtrToInt(source, b.getInt64Ty()),
                         bytes_of(copy, elements), barrier});
  };
  Value leader = b.CreateICmpEQ(thread_, indices.Constant(0));
  emission_->scopes.If(leader, [&] {
    Value bytes = b.getInt32(0);
    for (const TileCopy& copy : copies) {
      Value row = bytes_of(copy, copy.contiguous ? indices.Constant(copy.pitch) : copy.width);
      bytes = b.CreateAdd(bytes, b.CreateMul(row, b.CreateZExtOrTrunc(copy.rows, word)));
    }
    b.CreateCall(expect, {barrier, bytes});
    for (const TileCopy& copy : copies) {
      if (copy.contiguous) {
        start_row(copy, copy.first.base, indices.Constant(0), indices.Mul(copy.rows, copy.pitch));
        continue;
      }
      emission_->scopes.Loop(
          indices.Constant(0), copy.rows, indices.Constant(1), true, [&](Value row) {
            start_row(copy, indices.Add(copy.first.base, indices.Mul(row, copy.pitch)),
                      indices.Mul(row, copy.slot_width), copy.width);
          });
    }
  });
}

void NvptxTarget::AwaitBulkCopies() {
  llvm::IRBuilder<>& b = builder();
  llvm::Type* word = b.getInt32Ty();
  auto* type = llvm::FunctionType::get(word, {word, word}, false);
  auto* ask = llvm::InlineAsm::get(type,
                                   "{\n\t.reg .pred %done;\n\t"
                                   "mbarrier.try_wait.parity.shared::cta.b64 %done, [$1], $2;\n\t"
                                   "selp.b32 $0, 1, 0, %done;\n\t}",
                                   "=r,r,r,~{memory}", true);
  Value barrier = b.CreatePtrToInt(
      SharedAddress(exchange_begin_ + exchange_.copies_begin(), nullptr, nullptr), word);
  Value phase = b.CreateLoad(word, copies_phase_);
  auto* poll = llvm::BasicBlock::Create(b.getContext(), "copies", function_);
  auto* arrived = llvm::BasicBlock::Create(b.getContext(), "arrived", function_);
  b.CreateBr(poll);
  b.SetInsertPoint(poll);
  Value done = b.CreateCall(ask, {barrier, phase});
  b.CreateCondBr(b.CreateICmpNE(done, b.getInt32(0)), arrived, poll);
  b.SetInsertPoint(arrived);
  b.CreateStore(b.CreateXor(phase, 1), copies_phase_);
}

void NvptxTarget::CopyToTile(absl::Span<const TileCopy> copies) {
  llvm::IRBuilder<>& b = builder();
  IndexBuilder& indices = emission_->indices;
  std::vector<TileCopy> bulk, pieces;
  for (const TileCopy& copy : copies)
    (HasBulkCopies() && UnitOf(copy) == 16 ? bulk : pieces).push_back(copy);
  if (!bulk.empty() && copies_phase_ == nullptr)
    emission_->scopes.Hoist(0, [&] { StartBulkCopies(); });
  if (!bulk.empty()) CopyInBulk(bulk);
  for (const TileCopy& copy : pieces) {
    const int64_t unit = UnitOf(copy);
    if (copy.contiguous) {
      Value elements = indices.Mul(copy.rows, copy.pitch);
      CopyRow(copy, copy.first.base, indices.Constant(0), elements, unit);
      continue;
    }
    emission_->scopes.Loop(
        indices.Constant(0), copy.rows, indices.Constant(1), true, [&](Value row) {
          Value from = indices.Add(copy.first.base, indices.Mul(row, copy.pitch));
          CopyRow(copy, from, indices.Mul(row, copy.slot_width), copy.width, unit);
        });
  }
  uses_slots_ = true;
  if (!bulk.empty()) AwaitBulkCopies();
  if (pieces.empty()) return;
  if (sm_ >= kFirstWithAsyncCopies) b.CreateIntrinsic(llvm::Intrinsic::nvvm_cp_async_wait_all, {});
  BlockBarrier();
}

}  // namespace astitch::codegen
