// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The function, its parameters, tasks and marks. Sweeps are in nvptx_sweeps.cc, meeting of parts in
// nvptx_exchange.cc, barriers in nvptx_barriers.cc, copies into shared memory in nvptx_copies.cc,
// what plans are refused in nvptx_check.cc.
//
// What LLVM must not be told: noalias on anything that another thread writes and this one reads. It
// then forwards stores to loads across barriers. So only pure inputs, and outputs that are never
// read back, are noalias; shared memory is one external array.
#include "codegen/nvptx/nvptx_target.h"

#include <algorithm>
#include <numeric>

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
        if (root.kind == RootKind::kTurn) continue;
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

}  // namespace

bool NvptxTarget::HasWideVectors(const KernelPlan& plan) {
  int64_t element = 1, vector = 1;
  for (const Instruction* input : plan.inputs)
    element = std::max<int64_t>(element, ByteWidth(input->shape().element_type()));
  for (const Instruction* output : plan.outputs)
    element = std::max<int64_t>(element, ByteWidth(output->shape().element_type()));
  for (const Phase& phase : plan.phases) {
    for (const Stage& stage : phase.stages) vector = std::max<int64_t>(vector, stage.vector);
  }
  return element * vector >= 32;
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

// What LLVM may know of argument I. Buffers are aligned as vectors, but where one is no whole number
// of vectors, LLVM would round its last single loads up to one and read past the end.
int64_t NvptxTarget::KnownAlignment(const KernelPlan& plan, int64_t i) const {
  const int64_t num_inputs = static_cast<int64_t>(plan.inputs.size());
  const int64_t num_outputs = static_cast<int64_t>(plan.outputs.size());
  if (i >= num_inputs + num_outputs) return AlignmentFor(sm_);
  const Instruction* value = i < num_inputs ? plan.inputs[i] : plan.outputs[i - num_inputs];
  const int64_t known = std::gcd(AlignmentFor(sm_), value->shape().byte_size());
  return known & -known;
}

llvm::IntegerType* NvptxTarget::IndexType(llvm::LLVMContext& context, const KernelPlan& plan) {
  // Half of the range stays free for the step that ends a loop.
  constexpr int64_t kSmall = int64_t{1} << 30;
  return !wide_indices_ && LargestExtent(plan) < kSmall ? llvm::Type::getInt32Ty(context)
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
  if (const int cluster = ClusterBlocks(plan); cluster > 1)
    function_->addFnAttr("nvvm.cluster_dim", std::to_string(cluster));
  if (plan.launch.registers > 0)
    function_->addFnAttr("nvvm.maxnreg", std::to_string(plan.launch.registers));
  if (plan.launch.blocks_per_sm > 0)
    function_->addFnAttr("nvvm.minctasm", std::to_string(plan.launch.blocks_per_sm));
  pointers_.assign(count, nullptr);
  for (int64_t i = 0; i < count && !table; ++i) {
    const int64_t num_inputs = static_cast<int64_t>(plan.inputs.size());
    const int64_t output = i - num_inputs;
    pointers_[i] = function_->getArg(i);
    function_->addParamAttr(
        i, llvm::Attribute::getWithAlignment(context, llvm::Align(KnownAlignment(plan, i))));
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
  exchange_ = ExchangeOf(emission.plan);
  ReadFlags();
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

void NvptxTarget::Mark(absl::string_view text) {
  llvm::IRBuilder<>& b = builder();
  auto* type = llvm::FunctionType::get(b.getVoidTy(), false);
  b.CreateCall(llvm::InlineAsm::get(type, absl::StrCat("// ", text), "", true));
}

Value NvptxTarget::ClusterMemory(int64_t offset, Value rank) {
  llvm::IRBuilder<>& b = builder();
  Value own = TileMemory(offset);
  return emission_->scopes.At(emission_->scopes.DepthOf(rank), [&] {
    return b.CreateIntrinsic(llvm::Intrinsic::nvvm_mapa_shared_cluster,
                             {own, b.CreateZExtOrTrunc(rank, b.getInt32Ty())});
  });
}

Value NvptxTarget::HasMoreTasks(int64_t tasks) {
  IndexBuilder& indices = emission_->indices;
  return indices.Compare(llvm::CmpInst::ICMP_SLT, num_blocks_, indices.Constant(tasks));
}

void NvptxTarget::ForEachTask(int64_t tasks, bool repeated, absl::FunctionRef<void(Value)> body) {
  IndexBuilder& indices = emission_->indices;
  lanes_.clear();
  if (repeated && tasks == 1) return body(indices.Constant(0));
  if (repeated) {
    emission_->scopes.Loop(indices.Constant(0), indices.Constant(tasks), indices.Constant(1), true,
                           body);
    return;
  }
  if (tasks == 1) {
    Value mine = builder().CreateICmpEQ(block_, indices.Constant(0));
    emission_->scopes.If(mine, [&] { body(indices.Constant(0)); });
    return;
  }
  emission_->scopes.Loop(block_, indices.Constant(tasks), num_blocks_, false, body);
}

}  // namespace astitch::codegen
