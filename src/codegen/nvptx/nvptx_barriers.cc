// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Barriers of warps, blocks, clusters and the grid, and the flags of rows.
//
// Between blocks a barrier is a word, zeroed once in its life: every passage adds 2^31 in all, so
// the top bit flips when the last one arrives, whatever the grid, and the word is ready for the
// next launch. The grid has one; behind flags every row has one, which only the tasks of that row
// add to and wait for. The release and the acquire are spelled in PTX, because LLVM drops them from
// atomicrmw; the block barriers make thread 0's cumulative over the block.
#include "codegen/nvptx/nvptx_target.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

namespace astitch::codegen {

void NvptxTarget::BlockBarrier() {
  llvm::IRBuilder<>& b = builder();
  // Not twice in a row.
  llvm::BasicBlock* block = b.GetInsertBlock();
  auto* last = block->empty() ? nullptr : llvm::dyn_cast<llvm::IntrinsicInst>(&block->back());
  const llvm::Intrinsic::ID barrier = llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_all;
  if (last != nullptr && last->getIntrinsicID() == barrier) return;
  b.CreateIntrinsic(barrier, {b.getInt32(0)});
}

void NvptxTarget::WarpBarrier() {
  builder().CreateIntrinsic(llvm::Intrinsic::nvvm_bar_warp_sync, {builder().getInt32(-1)});
}

// Rows may have other warps in the next phase, and exchanges other areas. A barrier inside a phase
// would not do: a block that has no task there does not meet it.
void NvptxTarget::NextPhase(size_t) {
  if (leaves_warps_slots_ || reads_parts_) BlockBarrier();
  leaves_warps_slots_ = reads_parts_ = false;
}

void NvptxTarget::StageBarrier(astitch::StageBarrier barrier) {
  switch (barrier) {
    case astitch::StageBarrier::kNone:
      return;
    case astitch::StageBarrier::kWarp:
      WarpBarrier();
      uses_warps_slots_ = true;
      return;
    case astitch::StageBarrier::kBlock:
      BlockBarrier();
      break;
    case astitch::StageBarrier::kCluster:
      ClusterBarrier();
      shares_cluster_ = true;
      break;
  }
  uses_slots_ = true;
}

// The slots of a tile are free for the next once everybody has read them. Exchanges take their two
// areas in turn: after an even number the next one finds its area read, because everybody has come
// to the one before. A block does not end while another of its cluster may still read its memory.
void NvptxTarget::EndTile(const Phase& phase) { FreeSlots(!BeginsWithBarrier(phase)); }

bool NvptxTarget::BeginsWithBarrier(const Phase& phase) const {
  for (const Placement& placement : emission_->plan.placements) {
    if (placement.home == Home::kLocal && placement.keep == Keep::kShared) return false;
  }
  for (const Stage& stage : phase.stages) {
    for (const Root& root : stage.roots) {
      if (root.over == ReduceOver::kRows || root.over == ReduceOver::kAll) return false;
    }
  }
  return !phase.stages.empty() && phase.stages[0].barrier == astitch::StageBarrier::kBlock;
}

void NvptxTarget::FreeSlots(bool may_wait) {
  const bool waits = shares_cluster_ || (may_wait && (uses_slots_ || exchanges_ % 2 != 0));
  if (shares_cluster_) {
    ClusterBarrier();
  } else if (waits) {
    BlockBarrier();
  } else if (uses_warps_slots_) {
    WarpBarrier();  // the same warp has these rows of the next tile
  }
  leaves_warps_slots_ = !waits && (leaves_warps_slots_ || uses_warps_slots_ || uses_slots_);
  uses_warps_slots_ = false;
  reads_parts_ = !waits && (reads_parts_ || exchanges_ > 0);
  uses_slots_ = shares_cluster_ = reads_columns_ = false;
  exchanges_ = 0;
}

void NvptxTarget::EndTask(bool) { FreeSlots(true); }

void NvptxTarget::ClusterBarrier() {
  llvm::IRBuilder<>& b = builder();
  b.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier_cluster_arrive_aligned, {});
  b.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier_cluster_wait_aligned, {});
}

Value NvptxTarget::AddRelease(Value address, Value amount) {
  llvm::IRBuilder<>& b = builder();
  llvm::Type* word = b.getInt32Ty();
  auto* type = llvm::FunctionType::get(word, {b.getInt64Ty(), word}, false);
  return b.CreateCall(llvm::InlineAsm::get(type, "atom.add.release.gpu.global.u32 $0, [$1], $2;",
                                           "=r,l,r,~{memory}", true),
                      {address, amount});
}

void NvptxTarget::AwaitFlip(Value address, Value before) {
  llvm::IRBuilder<>& b = builder();
  auto* load_type = llvm::FunctionType::get(b.getInt32Ty(), {b.getInt64Ty()}, false);
  auto* sleep_type = llvm::FunctionType::get(b.getVoidTy(), false);
  auto* load = llvm::InlineAsm::get(load_type, "ld.acquire.gpu.global.u32 $0, [$1];",
                                    "=r,l,~{memory}", true);
  auto* sleep = llvm::InlineAsm::get(sleep_type, "nanosleep.u32 20;", "~{memory}", true);
  auto* poll = llvm::BasicBlock::Create(b.getContext(), "poll", function_);
  auto* wait = llvm::BasicBlock::Create(b.getContext(), "wait", function_);
  auto* passed = llvm::BasicBlock::Create(b.getContext(), "passed", function_);
  b.CreateBr(poll);
  b.SetInsertPoint(poll);
  Value now = b.CreateCall(load, {address});
  Value flipped = b.CreateICmpSLT(b.CreateXor(now, before), b.getInt32(0));
  b.CreateCondBr(flipped, passed, wait);
  b.SetInsertPoint(wait);
  b.CreateCall(sleep);
  b.CreateBr(poll);
  b.SetInsertPoint(passed);
}

void NvptxTarget::PhaseBarrier(size_t number) {
  switch (emission_->plan.phases[number].barrier) {
    case astitch::PhaseBarrier::kNone:
    case astitch::PhaseBarrier::kFlags:  // before each task
      return;
    case astitch::PhaseBarrier::kBlock:
      BlockBarrier();
      leaves_warps_slots_ = reads_parts_ = false;
      return;
    case astitch::PhaseBarrier::kGrid:
      return GridBarrier();
  }
}

void NvptxTarget::GridBarrier() {
  llvm::IRBuilder<>& b = builder();
  llvm::Type* word = b.getInt32Ty();
  BlockBarrier();
  Value leader = b.CreateICmpEQ(thread_, emission_->indices.Constant(0));
  emission_->scopes.If(leader, [&] {
    Value address = b.CreatePtrToInt(Buffer(NumParameters(emission_->plan) - 1), b.getInt64Ty());
    Value others = b.CreateSub(b.CreateZExtOrTrunc(num_blocks_, word), b.getInt32(1));
    Value first = b.CreateICmpEQ(block_, emission_->indices.Constant(0));
    Value amount =
        b.CreateSelect(first, b.CreateSub(b.getInt32(0x80000000u), others), b.getInt32(1));
    AwaitFlip(address, AddRelease(address, amount));
  });
  BlockBarrier();
}

int64_t NvptxTarget::BarrierBytes(const KernelPlan& plan) {
  if (!plan.launch.cooperative) return 0;
  int64_t words = 1;
  for (const Phase& phase : plan.phases) {
    if (phase.barrier == astitch::PhaseBarrier::kFlags)
      words += phase.num_batches() * phase.row_tasks_per_batch();
  }
  return 4 * words;
}

Value NvptxTarget::FlagAddress(size_t number, Value row) {
  llvm::IRBuilder<>& b = builder();
  const KernelPlan& plan = emission_->plan;
  int64_t first = 1;
  for (size_t p = 0; p < number; ++p) {
    const Phase& phase = plan.phases[p];
    if (phase.barrier == astitch::PhaseBarrier::kFlags)
      first += phase.num_batches() * phase.row_tasks_per_batch();
  }
  Value words =
      b.CreateConstInBoundsGEP1_64(b.getInt32Ty(), Buffer(NumParameters(plan) - 1), first);
  return b.CreatePtrToInt(b.CreateInBoundsGEP(b.getInt32Ty(), words, row), b.getInt64Ty());
}

// All rows' words have flipped as often as each other when a launch begins. A block learns the top
// bit from the row of its first task, which cannot flip before the block has arrived there.
void NvptxTarget::ReadFlags() {
  llvm::IRBuilder<>& b = builder();
  const std::vector<Phase>& phases = emission_->plan.phases;
  for (size_t p = 0; p < phases.size(); ++p) {
    if (phases[p].barrier != astitch::PhaseBarrier::kFlags) continue;
    IndexBuilder& indices = emission_->indices;
    Value task = indices.Min(block_, indices.Constant(phases[p].num_tasks() - 1));
    Value address = FlagAddress(p, indices.Div(task, phases[p].col_tasks()));
    auto* type = llvm::FunctionType::get(b.getInt32Ty(), {b.getInt64Ty()}, false);
    flags_[p] = b.CreateCall(
        llvm::InlineAsm::get(type, "ld.relaxed.gpu.global.u32 $0, [$1];", "=r,l,~{memory}", true),
        {address});
  }
}

void NvptxTarget::EndOfRow(size_t number, Value row, Value column_part) {
  llvm::IRBuilder<>& b = builder();
  const int64_t tasks = emission_->plan.phases[number].col_tasks();
  BlockBarrier();
  Value leader = b.CreateICmpEQ(thread_, emission_->indices.Constant(0));
  emission_->scopes.If(leader, [&] {
    Value amount = b.getInt32(0x80000000u - static_cast<uint32_t>(tasks - 1));
    if (column_part != nullptr) {
      Value first = b.CreateICmpEQ(column_part, emission_->indices.Constant(0));
      amount = b.CreateSelect(first, amount, b.getInt32(1));
    }
    AddRelease(FlagAddress(number, row), amount);
  });
}

void NvptxTarget::WaitForRow(size_t number, Value row) {
  llvm::IRBuilder<>& b = builder();
  Value leader = b.CreateICmpEQ(thread_, emission_->indices.Constant(0));
  emission_->scopes.If(leader, [&] { AwaitFlip(FlagAddress(number, row), flags_.at(number)); });
  BlockBarrier();
}

}  // namespace astitch::codegen
