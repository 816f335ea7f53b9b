// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The function, its parameters, barriers and marks. Sweeps are in nvptx_sweeps.cc, meeting of parts
// in nvptx_exchange.cc.
//
// What LLVM must not be told: noalias on anything that another thread writes and this one reads. It
// then forwards stores to loads across barriers. So only pure inputs, and outputs that are never
// read back, are noalias; shared memory is one external array.
#include "codegen/nvptx/nvptx_target.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "codegen/common/evaluator.h"
#include "codegen/common/homes.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

namespace astitch::codegen {
namespace {

constexpr unsigned kGlobal = 1, kShared = 3;  // address spaces
constexpr int64_t kParameterBytes = 32764;

// The largest number that an index or a position of the kernel can take.
int64_t LargestExtent(const KernelPlan& plan) {
  absl::flat_hash_set<const Instruction*> seen(plan.inputs.begin(), plan.inputs.end());
  std::vector<const Instruction*> stack(plan.inputs.begin(), plan.inputs.end());
  int64_t largest = 0;
  for (const Phase& phase : plan.phases) {
    for (const Stage& stage : phase.stages) {
      largest = std::max(largest, phase.num_rows() * ProductOf(stage.columns));
      for (const Root& root : stage.roots) {
        stack.push_back(root.value);
        const int64_t results = LeafShape(*root.value, 0).num_elements();
        largest = std::max(largest, results * root.parts);
      }
    }
  }
  while (!stack.empty()) {
    const Instruction* value = stack.back();
    stack.pop_back();
    for (int leaf = 0; leaf < NumLeaves(*value); ++leaf)
      largest = std::max(largest, LeafShape(*value, leaf).num_elements());
    if (!seen.insert(value).second) continue;
    stack.insert(stack.end(), value->operands().begin(), value->operands().end());
  }
  return largest;
}

// Whether a later stage, or the root itself, may read what is stored in output NUMBER.
bool IsReadBack(const KernelPlan& plan, int32_t number) {
  bool stored = false;
  for (const Phase& phase : plan.phases) {
    for (const Stage& stage : phase.stages) {
      if (stored) return true;
      for (const Root& root : stage.roots) {
        const bool updates = root.kind == RootKind::kScatter;
        const Instruction* output = plan.outputs[number];
        const bool mine = root.value == output || (output->opcode() == Opcode::kGetTupleElement &&
                                                   output->operand(0) == root.value);
        if (mine && updates) return true;
        stored = stored || mine;
      }
    }
  }
  return false;
}

bool IsPowerOfTwo(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

absl::Status Refuse(const KernelPlan& plan, const std::string& why) {
  return absl::InvalidArgumentError(absl::StrCat("kernel ", plan.name, ": ", why));
}

absl::Status CheckPhase(const KernelPlan& plan, const Phase& phase) {
  const int64_t threads = int64_t{phase.threads_per_row} * phase.rows_at_once;
  if (threads != plan.launch.block) {
    return Refuse(plan,
                  absl::StrCat(phase.threads_per_row, " threads for each of ", phase.rows_at_once,
                               " rows make no block of ", plan.launch.block));
  }
  const int64_t lanes = phase.threads_per_row;
  if (lanes <= 32 ? !IsPowerOfTwo(lanes) : lanes % 32 != 0)
    return Refuse(plan, absl::StrCat(lanes, " threads a row are no power of two or whole warps"));
  if (phase.cluster != 1) return Refuse(plan, "clusters are not supported");
  if (phase.barrier != PhaseBarrier::kNone && !plan.launch.cooperative)
    return Refuse(plan, "a barrier of the grid needs a cooperative launch");
  for (const Stage& stage : phase.stages) {
    if (stage.barrier == StageBarrier::kCluster)
      return Refuse(plan, "barriers of clusters are not supported");
    if (stage.vector_rows && stage.vector > 1)
      return Refuse(plan, "a thread takes one row when lanes run along rows");
    const int64_t columns = ProductOf(stage.columns);
    const bool split = phase.cols_per_task > 0 && columns > 1;
    if (split && !stage.vector_rows &&
        (columns % stage.vector != 0 || phase.cols_per_task % stage.vector != 0)) {
      return Refuse(plan, absl::StrCat("vectors of ", stage.vector, " do not divide ", columns,
                                       " columns in parts of ", phase.cols_per_task));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status NvptxTarget::Check(const KernelPlan& plan) {
  const int64_t block = plan.launch.block;
  if (block < 1 || block > 1024 || (block > 32 && block % 32 != 0))
    return Refuse(plan, absl::StrCat("a block of ", block, " threads"));
  for (const Phase& phase : plan.phases) ASTITCH_RETURN_IF_ERROR(CheckPhase(plan, phase));
  return absl::OkStatus();
}

int64_t NvptxTarget::NumParameters(const KernelPlan& plan) {
  return static_cast<int64_t>(plan.inputs.size() + plan.outputs.size()) +
         (plan.launch.scratch_bytes > 0 ? 1 : 0) + (plan.launch.cooperative ? 1 : 0);
}

std::string NvptxTarget::EntryName(const KernelPlan& plan) {
  std::string name = plan.name;
  for (char& c : name) {
    if (!absl::ascii_isalnum(c) && c != '_') c = '_';
  }
  const bool starts = !name.empty() && (absl::ascii_isalpha(name[0]));
  return starts ? name : absl::StrCat("k_", name);
}

bool NvptxTarget::UsesPointerTable(const KernelPlan& plan) {
  return 8 * NumParameters(plan) > kParameterBytes;
}

llvm::IntegerType* NvptxTarget::IndexType(llvm::LLVMContext& context, const KernelPlan& plan) {
  // Half of the range stays free for the step that ends a loop.
  constexpr int64_t kSmall = int64_t{1} << 30;
  return LargestExtent(plan) < kSmall ? llvm::Type::getInt32Ty(context)
                                      : llvm::Type::getInt64Ty(context);
}

void NvptxTarget::Begin(llvm::Module& module, const KernelPlan& plan, llvm::IRBuilder<>& builder) {
  llvm::LLVMContext& context = module.getContext();
  auto* pointer = llvm::PointerType::get(context, kGlobal);
  const int64_t count = NumParameters(plan);
  const bool table = UsesPointerTable(plan);
  const std::vector<llvm::Type*> types(table ? 1 : count, pointer);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), types, false);
  function_ =
      llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, EntryName(plan), module);
  function_->setCallingConv(llvm::CallingConv::PTX_Kernel);
  function_->addFnAttr(llvm::Attribute::NoUnwind);
  function_->addFnAttr("nvvm.reqntid", std::to_string(plan.launch.block));
  if (plan.launch.registers > 0)
    function_->addFnAttr("nvvm.maxnreg", std::to_string(plan.launch.registers));
  if (plan.launch.blocks_per_sm > 0)
    function_->addFnAttr("nvvm.minctasm", std::to_string(plan.launch.blocks_per_sm));
  pointers_.assign(count, nullptr);
  for (int64_t i = 0; i < count && !table; ++i) {
    const int64_t num_inputs = static_cast<int64_t>(plan.inputs.size());
    const int64_t output = i - num_inputs;
    pointers_[i] = function_->getArg(i);
    function_->addParamAttr(i, llvm::Attribute::getWithAlignment(context, llvm::Align(16)));
    if (i < num_inputs) function_->addParamAttr(i, llvm::Attribute::ReadOnly);
    const bool private_output = output >= 0 && output < static_cast<int64_t>(plan.outputs.size()) &&
                                !IsReadBack(plan, static_cast<int32_t>(output));
    if (i < num_inputs || private_output) function_->addParamAttr(i, llvm::Attribute::NoAlias);
  }
  exchange_begin_ = (plan.launch.shared_bytes + 15) / 16 * 16;
  builder.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function_));
}

Value NvptxTarget::ThreadValue(llvm::Intrinsic::ID id, int64_t below) {
  return emission_->scopes.At(0, [&]() -> Value {
    llvm::IRBuilder<>& b = builder();
    auto* call = b.CreateIntrinsic(id, {});
    const llvm::ConstantRange range(llvm::APInt(32, 0), llvm::APInt(32, below));
    call->addRangeRetAttr(range);
    return b.CreateZExtOrTrunc(call, emission_->indices.type());
  });
}

void NvptxTarget::Attach(Emission& emission) {
  emission_ = &emission;
  thread_ = ThreadValue(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x, Block());
  constexpr int64_t kMaxGrid = int64_t{1} << 31;
  block_ = ThreadValue(llvm::Intrinsic::nvvm_read_ptx_sreg_ctaid_x, kMaxGrid - 1);
  num_blocks_ = ThreadValue(llvm::Intrinsic::nvvm_read_ptx_sreg_nctaid_x, kMaxGrid);
  area_bytes_ = ExchangeBytes(emission.plan) / 2 / 16 * 16;
}

void NvptxTarget::End() { builder().CreateRetVoid(); }

Value NvptxTarget::Buffer(int64_t number) {
  if (pointers_[number] != nullptr) return pointers_[number];
  return pointers_[number] = emission_->scopes.At(0, [&]() -> Value {
    llvm::IRBuilder<>& b = builder();
    auto* pointer = llvm::PointerType::get(b.getContext(), kGlobal);
    Value slot = b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), function_->getArg(0), number);
    auto* load = b.CreateAlignedLoad(pointer, slot, llvm::Align(8));
    load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(b.getContext(), {}));
    return load;
  });
}

Value NvptxTarget::SharedAddress(int64_t offset, llvm::Type* type, Value index) {
  llvm::IRBuilder<>& b = builder();
  if (shared_ == nullptr) {
    auto* array = llvm::ArrayType::get(b.getInt8Ty(), 0);
    shared_ = new llvm::GlobalVariable(*function_->getParent(), array, false,
                                       llvm::GlobalValue::ExternalLinkage, nullptr, "shared_memory",
                                       nullptr, llvm::GlobalValue::NotThreadLocal, kShared);
    shared_->setAlignment(llvm::Align(16));
  }
  Value address = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), shared_, offset);
  return index == nullptr ? address : b.CreateInBoundsGEP(type, address, index);
}

Value NvptxTarget::TileMemory(int64_t offset) {
  return emission_->scopes.At(0, [&] { return SharedAddress(offset, nullptr, nullptr); });
}

void NvptxTarget::BlockBarrier() {
  llvm::IRBuilder<>& b = builder();
  b.CreateIntrinsic(llvm::Intrinsic::nvvm_barrier_cta_sync_aligned_all, {b.getInt32(0)});
}

void NvptxTarget::StageBarrier(astitch::StageBarrier barrier) {
  llvm::IRBuilder<>& b = builder();
  switch (barrier) {
    case astitch::StageBarrier::kNone:
      return;
    case astitch::StageBarrier::kWarp:
      b.CreateIntrinsic(llvm::Intrinsic::nvvm_bar_warp_sync, {b.getInt32(-1)});
      break;
    case astitch::StageBarrier::kBlock:
    case astitch::StageBarrier::kCluster:  // refused by Check
      BlockBarrier();
      break;
  }
  shares_ = true;
}

// The slots of a tile are free for the next once everybody has read them.
void NvptxTarget::EndTile() {
  if (shares_) BlockBarrier();
  shares_ = false;
}

void NvptxTarget::EndTask(bool) { EndTile(); }

void NvptxTarget::Mark(absl::string_view text) {
  llvm::IRBuilder<>& b = builder();
  auto* type = llvm::FunctionType::get(b.getVoidTy(), false);
  b.CreateCall(llvm::InlineAsm::get(type, absl::StrCat("// ", text), "", true));
}

void NvptxTarget::ForEachTask(int64_t tasks, absl::FunctionRef<void(Value)> body) {
  IndexBuilder& indices = emission_->indices;
  lanes_.clear();
  if (tasks == 1) {
    Value mine = builder().CreateICmpEQ(block_, indices.Constant(0));
    emission_->scopes.If(mine, [&] { body(indices.Constant(0)); });
    return;
  }
  emission_->scopes.Loop(block_, indices.Constant(tasks), num_blocks_, false, body);
}

// One word, zeroed once in its life: every passage adds 2^31 in all, so the top bit flips when the
// last block arrives, whatever the grid. The release and the acquire are spelled in PTX, because
// LLVM drops them from atomicrmw; the block barriers make thread 0's cumulative over the block.
void NvptxTarget::PhaseBarrier() {
  llvm::IRBuilder<>& b = builder();
  llvm::Type* word = b.getInt32Ty();
  auto* add_type = llvm::FunctionType::get(word, {b.getInt64Ty(), word}, false);
  auto* load_type = llvm::FunctionType::get(word, {b.getInt64Ty()}, false);
  auto* sleep_type = llvm::FunctionType::get(b.getVoidTy(), false);
  auto* add = llvm::InlineAsm::get(add_type, "atom.add.release.gpu.global.u32 $0, [$1], $2;",
                                   "=r,l,r,~{memory}", true);
  auto* load = llvm::InlineAsm::get(load_type, "ld.acquire.gpu.global.u32 $0, [$1];",
                                    "=r,l,~{memory}", true);
  auto* sleep = llvm::InlineAsm::get(sleep_type, "nanosleep.u32 20;", "~{memory}", true);
  BlockBarrier();
  Value leader = b.CreateICmpEQ(thread_, emission_->indices.Constant(0));
  emission_->scopes.If(leader, [&] {
    Value address = b.CreatePtrToInt(Buffer(NumParameters(emission_->plan) - 1), b.getInt64Ty());
    Value others = b.CreateSub(b.CreateZExtOrTrunc(num_blocks_, word), b.getInt32(1));
    Value first = b.CreateICmpEQ(block_, emission_->indices.Constant(0));
    Value amount =
        b.CreateSelect(first, b.CreateSub(b.getInt32(0x80000000u), others), b.getInt32(1));
    Value old = b.CreateCall(add, {address, amount});
    auto* poll = llvm::BasicBlock::Create(b.getContext(), "poll", function_);
    auto* wait = llvm::BasicBlock::Create(b.getContext(), "wait", function_);
    auto* passed = llvm::BasicBlock::Create(b.getContext(), "passed", function_);
    b.CreateBr(poll);
    b.SetInsertPoint(poll);
    Value now = b.CreateCall(load, {address});
    Value flipped = b.CreateICmpSLT(b.CreateXor(now, old), b.getInt32(0));
    b.CreateCondBr(flipped, passed, wait);
    b.SetInsertPoint(wait);
    b.CreateCall(sleep);
    b.CreateBr(poll);
    b.SetInsertPoint(passed);
  });
  BlockBarrier();
}

}  // namespace astitch::codegen
