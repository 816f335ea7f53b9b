// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Module, verification, passes, object: in one LLVM context a call, and checked for undefined
// symbols.
#include "codegen/host/host_compiler.h"

#include <algorithm>
#include <memory>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "codegen/common/kernel_emitter.h"
#include "codegen/common/optimize.h"
#include "codegen/host/host_target.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace astitch {
namespace {

void InitializeTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    llvm::InitializeNativeTargetAsmParser();
  });
}

absl::StatusOr<std::unique_ptr<llvm::TargetMachine>> MakeMachine(
    const HostCompileOptions& options) {
  InitializeTarget();
  const llvm::Triple triple(llvm::sys::getProcessTriple());
  std::string fault;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, fault);
  if (target == nullptr) return absl::InternalError(absl::StrCat("no host target: ", fault));
  const bool native = options.cpu.empty();
  std::string features = native ? HostCpuFeatures() : "";
  if (!options.features.empty()) {
    if (!features.empty()) features += ",";
    features += options.features;
  }
  llvm::TargetOptions target_options;
  target_options.AllowFPOpFusion = llvm::FPOpFusion::Strict;  // contraction is spelled in the IR
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, native ? HostCpuName() : options.cpu, features, target_options, llvm::Reloc::PIC_,
      llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
}

// The features that a CPU name implies, as the traits want them spelled.
std::string SpelledFeatures(const llvm::TargetMachine& machine) {
  std::string spelled;
  const llvm::MCSubtargetInfo& info = *machine.getMCSubtargetInfo();
  for (const char* feature : {"sse4.1", "avx", "avx2", "fma", "f16c", "avx512f"}) {
    if (!spelled.empty()) spelled += ",";
    spelled += info.checkFeatures(std::string("+") + feature) ? "+" : "-";
    spelled += feature;
  }
  return spelled;
}

// Scheduling takes time with the square of a block's length. A block of so many instructions (a
// chain of thousands of operations) is compiled without it.
void LimitEffort(const llvm::Module& module, llvm::TargetMachine& machine) {
  constexpr size_t kLongBlock = 8192;
  for (const llvm::Function& function : module) {
    for (const llvm::BasicBlock& block : function) {
      if (block.size() > kLongBlock) machine.setOptLevel(llvm::CodeGenOptLevel::None);
    }
  }
}

absl::StatusOr<std::string> EmitFile(llvm::Module& module, llvm::TargetMachine& machine,
                                     llvm::CodeGenFileType type) {
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream out(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, out, nullptr, type, true))
    return absl::InternalError("the host target cannot write this file");
  passes.run(module);
  return std::string(bytes.begin(), bytes.end());
}

// The runtime's loader resolves nothing: a call of memcpy or a math library is a bug of ours.
absl::Status CheckSelfContained(const std::string& object) {
  const llvm::MemoryBufferRef buffer(object, "kernels");
  llvm::Expected<std::unique_ptr<llvm::object::ObjectFile>> file =
      llvm::object::ObjectFile::createELFObjectFile(buffer);
  if (!file) return absl::InternalError(llvm::toString(file.takeError()));
  for (const llvm::object::SymbolRef& symbol : (*file)->symbols()) {
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    if (!flags || !name) return absl::InternalError("the host object has a broken symbol table");
    if ((*flags & llvm::object::SymbolRef::SF_Undefined) && !name->empty())
      return absl::InternalError(absl::StrCat("the host object needs ", name->str()));
  }
  return absl::OkStatus();
}

// What only GPUs have.
absl::Status CheckPlan(const KernelPlan& plan) {
  for (const Phase& phase : plan.phases) {
    for (const Stage& stage : phase.stages) {
      for (const Root& root : stage.roots) {
        if (root.kind == RootKind::kTurn || stage.chunk > 0)
          return ErrorAt(*root.value, "goes through slots of shared memory, which is for GPUs");
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace

std::string HostCpuName() { return llvm::sys::getHostCPUName().str(); }

std::string HostCpuFeatures() {
  std::vector<std::string> features;
  for (const auto& feature : llvm::sys::getHostCPUFeatures())
    features.push_back(absl::StrCat(feature.second ? "+" : "-", feature.first().str()));
  std::sort(features.begin(), features.end());
  std::string all;
  for (const std::string& feature : features)
    absl::StrAppend(&all, all.empty() ? "" : ",", feature);
  return all;
}

absl::StatusOr<HostObject> CompileHostKernels(absl::Span<const KernelPlan* const> plans,
                                              const HostCompileOptions& options) {
  ASTITCH_ASSIGN_OR_RETURN(std::unique_ptr<llvm::TargetMachine> machine, MakeMachine(options));
  codegen::TargetTraits traits = codegen::HostTraits(SpelledFeatures(*machine));
  traits.fast_math = options.fast_math;
  llvm::LLVMContext context;
  llvm::Module module("kernels", context);
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  module.setPICLevel(llvm::PICLevel::SmallPIC);
  HostObject object;
  for (const KernelPlan* plan : plans) {
    codegen::HostTarget target(traits.vector_bits / 8);
    absl::Status status = CheckPlan(*plan);
    if (status.ok()) status = codegen::EmitKernel(*plan, traits, module, target);
    if (!status.ok()) return Annotate(status, absl::StrCat("in kernel ", plan->name));
    llvm::Function* function = module.getFunction(plan->name);
    function->addFnAttr("target-cpu", machine->getTargetCPU());
    function->addFnAttr("target-features", machine->getTargetFeatureString());
    function->addFnAttr("prefer-vector-width", std::to_string(traits.vector_bits));
    object.kernels.push_back({plan->name, target.tile_bytes()});
  }
  codegen::Optimize(module, *machine, {.hoist = true});
  LimitEffort(module, *machine);
  if (options.keep_ir) {
    llvm::raw_string_ostream out(object.ir);
    module.print(out, nullptr);
  }
  if (options.keep_assembly) {
    // Emission changes the module, so the text comes from a copy.
    ASTITCH_ASSIGN_OR_RETURN(object.assembly, EmitFile(*llvm::CloneModule(module), *machine,
                                                       llvm::CodeGenFileType::AssemblyFile));
  }
  ASTITCH_ASSIGN_OR_RETURN(object.bytes,
                           EmitFile(module, *machine, llvm::CodeGenFileType::ObjectFile));
  ASTITCH_RETURN_IF_ERROR(CheckSelfContained(object.bytes));
  return object;
}

}  // namespace astitch
