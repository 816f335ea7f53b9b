// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Emits the kernel, runs the passes and LLVM's PTX printer at the lowest PTX version that will do.
#include "codegen/nvptx/nvptx_compiler.h"

#include <algorithm>
#include <memory>
#include <mutex>

#include "base/status.h"
#include "codegen/common/kernel_emitter.h"
#include "codegen/common/optimize.h"
#include "codegen/nvptx/nvptx_streaming.h"
#include "codegen/nvptx/nvptx_target.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

// The shared library exports these; llvm/Support/TargetSelect.h would initialise every target.
extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

namespace astitch {
namespace {

void InitializeTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
  });
}

absl::StatusOr<std::unique_ptr<llvm::TargetMachine>> MakeMachine(int sm, int ptx) {
  InitializeTarget();
  const llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string fault;
  const llvm::Target* target = llvm::TargetRegistry::lookupTarget(triple, fault);
  if (target == nullptr) return absl::InternalError(absl::StrCat("no NVPTX target: ", fault));
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;  // contraction is spelled in the IR
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, absl::StrCat("sm_", sm), absl::StrCat("+ptx", ptx), options, llvm::Reloc::PIC_,
      std::nullopt, llvm::CodeGenOptLevel::Default));
}

}  // namespace

int PtxVersion(int sm, int64_t parameter_bytes, const PtxFeatures& features) {
  struct Row {
    int sm, ptx;
  };
  // First version of each target; sm_70 and sm_75 need 6.3 for nanosleep.
  static constexpr Row kRows[] = {{121, 88}, {120, 87}, {103, 88}, {101, 86}, {100, 86}, {90, 78},
                                  {89, 78},  {87, 74},  {86, 71},  {80, 70},  {70, 63}};
  int version = 63;
  for (const Row& row : kRows) {
    if (sm < row.sm) continue;
    version = row.ptx;
    break;
  }
  constexpr int64_t kOldParameterBytes = 4352;
  if (parameter_bytes > kOldParameterBytes) version = std::max(version, 81);
  if (features.wide_accesses && sm >= 100) version = std::max(version, 88);
  if (features.bulk_copies && sm >= 90) version = std::max(version, 80);
  return version;
}

absl::StatusOr<PtxKernel> CompileToPtx(const KernelPlan& plan, const NvptxOptions& options) {
  if (options.sm < 70 || options.sm > 121)
    return absl::InvalidArgumentError(
        absl::StrCat("expected sm_70 to sm_121, got sm_", options.sm));
  ASTITCH_RETURN_IF_ERROR(codegen::NvptxTarget::Check(plan, options.sm));
  PtxKernel kernel;
  kernel.entry = codegen::NvptxTarget::EntryName(plan);
  kernel.num_parameters = codegen::NvptxTarget::NumParameters(plan);
  kernel.has_pointer_table = codegen::NvptxTarget::UsesPointerTable(plan);
  kernel.shared_bytes = SharedBytesOf(plan);
  kernel.barrier_bytes = codegen::NvptxTarget::BarrierBytes(plan);
  kernel.buffer_alignment = codegen::NvptxTarget::AlignmentFor(options.sm);
  kernel.cluster = codegen::NvptxTarget::ClusterBlocks(plan);
  const int64_t parameter_bytes = kernel.has_pointer_table ? 8 : 8 * kernel.num_parameters;
  const PtxFeatures features = {.wide_accesses = codegen::NvptxTarget::HasWideVectors(plan),
                                .bulk_copies = ExchangeOf(plan).copies > 0};
  const int ptx = PtxVersion(options.sm, parameter_bytes, features);
  ASTITCH_ASSIGN_OR_RETURN(std::unique_ptr<llvm::TargetMachine> machine,
                           MakeMachine(options.sm, ptx));
  codegen::TargetTraits traits = codegen::NvptxTraits(options.sm);
  traits.fast_math = options.fast_math;
  llvm::LLVMContext context;
  llvm::Module module(plan.name, context);
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  codegen::NvptxTarget target(options.sm, options.wide_indices);
  const absl::Status status = codegen::EmitKernel(plan, traits, module, target);
  if (!status.ok()) return Annotate(status, absl::StrCat("in kernel ", plan.name));
  codegen::Optimize(module, *machine, {.hoist = false});
  codegen::SpellStreamingStores(module, codegen::NvptxTarget::AlignmentFor(options.sm));
  if (options.keep_ir) {
    llvm::raw_string_ostream out(kernel.ir);
    module.print(out, nullptr);
  }
  llvm::SmallVector<char, 0> text;
  llvm::raw_svector_ostream out(text);
  llvm::legacy::PassManager passes;
  if (machine->addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::AssemblyFile, true))
    return absl::InternalError("the NVPTX target cannot write PTX");
  passes.run(module);
  kernel.text.assign(text.begin(), text.end());
  return kernel;
}

}  // namespace astitch
