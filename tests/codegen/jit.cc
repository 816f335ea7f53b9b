// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The process's LLVM, set up once; loops, kernels, objects.
#include "jit.h"

#include <cstdlib>
#include <iostream>

#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"

namespace astitch::codegen {
namespace {

[[noreturn]] void Fail(const std::string& message) {
  std::cerr << "jit: " << message << "\n";
  std::abort();
}

void Initialize() {
  static const bool once = [] {
    LLVMInitializeX86TargetInfo(), LLVMInitializeX86Target(), LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter(), LLVMInitializeNVPTXTargetInfo(), LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC(), LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)once;
}

std::unique_ptr<llvm::TargetMachine> MachineFor(const std::string& triple_text,
                                                const std::string& cpu,
                                                const std::string& features) {
  Initialize();
  const llvm::Triple triple(triple_text);
  std::string error;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (target == nullptr) Fail(error);
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, cpu, features, {}, llvm::Reloc::PIC_, std::nullopt,
                                  llvm::CodeGenOptLevel::Default, /*JIT=*/false));
}

std::string Compile(llvm::Module& module, llvm::TargetMachine& machine,
                    llvm::CodeGenFileType kind) {
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  std::string error;
  llvm::raw_string_ostream errors(error);
  if (llvm::verifyModule(module, &errors)) Fail(error);
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream out(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, out, nullptr, kind)) Fail("cannot emit this file type");
  passes.run(module);
  return std::string(bytes.begin(), bytes.end());
}

// Loads the inputs at INDEX, runs the body, stores its results.
void EmitIteration(EmitContext& context, const LoopSpec& loop,
                   const std::vector<llvm::Value*>& arrays, llvm::Value* index) {
  llvm::IRBuilderBase& ir = context.builder;
  std::vector<llvm::Value*> values;
  for (size_t i = 0; i < loop.inputs.size(); ++i) {
    llvm::Value* at = ir.CreateGEP(loop.inputs[i], arrays[i], index);
    values.push_back(ir.CreateAlignedLoad(loop.inputs[i], at, llvm::Align(1)));
  }
  const std::vector<llvm::Value*> results = loop.body(context, values);
  for (size_t i = 0; i < results.size(); ++i) {
    llvm::Value* at = ir.CreateGEP(loop.outputs[i], arrays[loop.inputs.size() + i], index);
    ir.CreateAlignedStore(results[i], at, llvm::Align(1));
  }
}

}  // namespace

std::string ThisProcessor() {
  std::string features;
  for (const auto& feature : llvm::sys::getHostCPUFeatures()) {
    if (feature.second) features += (features.empty() ? "+" : ",+") + feature.first().str();
  }
  return features;
}

void EmitLoop(llvm::Module& module, const TargetTraits& traits, const LoopSpec& loop) {
  llvm::LLVMContext& context = module.getContext();
  llvm::IRBuilder<> ir(context);
  auto* function = llvm::Function::Create(
      llvm::FunctionType::get(ir.getVoidTy(), {ir.getPtrTy(), ir.getInt64Ty()}, false),
      llvm::Function::ExternalLinkage, loop.name, module);
  auto* entry = llvm::BasicBlock::Create(context, "entry", function);
  auto* body = llvm::BasicBlock::Create(context, "loop", function);
  auto* exit = llvm::BasicBlock::Create(context, "exit", function);
  ir.SetInsertPoint(entry);
  std::vector<llvm::Value*> arrays;
  for (size_t i = 0; i < loop.inputs.size() + loop.outputs.size(); ++i) {
    arrays.push_back(
        ir.CreateLoad(ir.getPtrTy(), ir.CreateConstGEP1_64(ir.getPtrTy(), function->getArg(0), i)));
  }
  ir.CreateBr(body);
  ir.SetInsertPoint(body);
  llvm::PHINode* index = ir.CreatePHI(ir.getInt64Ty(), 2);
  EmitContext emit{ir, traits};
  EmitIteration(emit, loop, arrays, index);
  llvm::Value* next = ir.CreateAdd(index, ir.getInt64(1));
  index->addIncoming(ir.getInt64(0), entry);
  index->addIncoming(next, ir.GetInsertBlock());
  ir.CreateCondBr(ir.CreateICmpULT(next, function->getArg(1)), body, exit);
  ir.SetInsertPoint(exit);
  ir.CreateRetVoid();
}

void EmitKernel(llvm::Module& module, const TargetTraits& traits, const LoopSpec& loop) {
  llvm::LLVMContext& context = module.getContext();
  llvm::IRBuilder<> ir(context);
  std::vector<llvm::Type*> parameters(loop.inputs.size() + loop.outputs.size(), ir.getPtrTy(1));
  auto* function =
      llvm::Function::Create(llvm::FunctionType::get(ir.getVoidTy(), parameters, false),
                             llvm::Function::ExternalLinkage, loop.name, module);
  function->setCallingConv(llvm::CallingConv::PTX_Kernel);
  ir.SetInsertPoint(llvm::BasicBlock::Create(context, "entry", function));
  std::vector<llvm::Value*> arrays;
  for (llvm::Argument& argument : function->args()) arrays.push_back(&argument);
  EmitContext emit{ir, traits};
  llvm::Value* thread =
      ir.CreateIntrinsic(llvm::Intrinsic::nvvm_read_ptx_sreg_tid_x, llvm::ArrayRef<llvm::Value*>());
  EmitIteration(emit, loop, arrays, thread);
  ir.CreateRetVoid();
}

std::string CompileToObject(llvm::Module& module, const std::string& features) {
  auto machine = MachineFor("x86_64-unknown-linux-gnu", "x86-64", features);
  return Compile(module, *machine, llvm::CodeGenFileType::ObjectFile);
}

std::string CompileToPtx(llvm::Module& module, int sm) {
  const std::string ptx = sm >= 120   ? "+ptx87"
                          : sm >= 100 ? "+ptx86"
                          : sm >= 90  ? "+ptx80"
                          : sm >= 80  ? "+ptx70"
                                      : "+ptx63";
  auto machine = MachineFor("nvptx64-nvidia-cuda", "sm_" + std::to_string(sm), ptx);
  return Compile(module, *machine, llvm::CodeGenFileType::AssemblyFile);
}

std::vector<std::string> UndefinedSymbols(const std::string& object) {
  auto file =
      llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object, "test object"));
  if (!file) Fail(llvm::toString(file.takeError()));
  std::vector<std::string> names;
  for (const llvm::object::SymbolRef& symbol : (*file)->symbols()) {
    if (llvm::cantFail(symbol.getFlags()) & llvm::object::BasicSymbolRef::SF_Undefined) {
      std::string name = llvm::cantFail(symbol.getName()).str();
      if (!name.empty()) names.push_back(name);
    }
  }
  return names;
}

struct Jit::State {
  std::string features;
  std::unique_ptr<llvm::orc::LLJIT> jit;
};

Jit::Jit(const std::string& features) : state_(std::make_unique<State>()) {
  Initialize();
  state_->features = features;
  auto jit = llvm::orc::LLJITBuilder().create();
  if (!jit) Fail(llvm::toString(jit.takeError()));
  state_->jit = std::move(*jit);
}

Jit::~Jit() = default;

void Jit::Add(const std::function<void(llvm::Module&, const TargetTraits&)>& build) {
  llvm::LLVMContext context;
  llvm::Module module("test", context);
  build(module, HostTraits(state_->features));
  const std::string object = CompileToObject(module, state_->features);
  auto error = state_->jit->addObjectFile(
      llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(object.data(), object.size())));
  if (error) Fail(llvm::toString(std::move(error)));
}

Jit::Function Jit::Find(const std::string& name) {
  auto address = state_->jit->lookup(name);
  if (!address) Fail(llvm::toString(address.takeError()));
  return address->toPtr<Function>();
}

}  // namespace astitch::codegen
