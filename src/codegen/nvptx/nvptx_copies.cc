// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Rows of inputs into shared memory, by all threads of the block: in pieces of 16 bytes where
// addresses and lengths are known to be whole ones, else of 8, 4, 2 or 1.
//
// From sm_80 on pieces of 4 bytes and more go around the registers (cp.async), so that as much is in
// flight as the rows are long; before, a thread loads and stores piece by piece.
#include <numeric>

#include "codegen/nvptx/nvptx_target.h"
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

void NvptxTarget::CopyToTile(absl::Span<const TileCopy> copies) {
  llvm::IRBuilder<>& b = builder();
  IndexBuilder& indices = emission_->indices;
  for (const TileCopy& copy : copies) {
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
  if (sm_ >= kFirstWithAsyncCopies) b.CreateIntrinsic(llvm::Intrinsic::nvvm_cp_async_wait_all, {});
  BlockBarrier();
  shares_ = true;
}

}  // namespace astitch::codegen
