// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Checks the launch against the kernel and the device, then runs it and gathers reports and counts.
#include "simt/launch.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/checked_math.h"
#include "base/status.h"
#include "simt/exec/decoder.h"
#include "simt/machine/machine.h"
#include "simt/machine/scheduler.h"

namespace astitch::simt {
namespace {

// What every device of the targets allows.
constexpr int64_t kMaxThreads = 1024;
constexpr int64_t kMaxSharedBytes = 227 * 1024;
constexpr int64_t kMaxClusterBlocks = 16;
constexpr int64_t kMaxLocalBytes = 512 * 1024;
constexpr int64_t kMaxParameterBytes = 32764;
// Registers and local memory of the resident warps.
constexpr int64_t kMaxStateBytes = int64_t{16} << 30;
constexpr int64_t kMaxBlocks = int64_t{1} << 31;

absl::StatusOr<const Function*> FindKernel(const Module& module, const std::string& name) {
  std::vector<std::string> names;
  const Function* found = nullptr;
  for (const Function& function : module.functions) {
    if (!function.is_entry || !function.has_body) continue;
    names.push_back(function.name);
    if (name.empty() || function.name == name) found = &function;
  }
  if (found != nullptr && (!name.empty() || names.size() == 1)) return found;
  return absl::InvalidArgumentError(
      absl::StrCat(name.empty() ? std::string("several kernels or none")
                                : absl::StrCat("no kernel is called ", name),
                   "; the module has ", names.empty() ? "none" : absl::StrJoin(names, ", ")));
}

absl::StatusOr<int64_t> Size(const std::array<int64_t, 3>& dims, absl::string_view what,
                             int64_t most) {
  int64_t out = 1;
  for (const int64_t dim : dims) {
    const std::optional<int64_t> product = CheckedMul(out, dim);
    if (dim < 1 || !product || *product > most) {
      return absl::FailedPreconditionError(absl::StrCat(
          what, " ", absl::StrJoin(dims, "x"), " is refused: 1 to ", most, " are possible"));
    }
    out = *product;
  }
  return out;
}

absl::Status CheckThreads(const Function& kernel, const LaunchParams& params) {
  ASTITCH_ASSIGN_OR_RETURN(const int64_t threads, Size(params.block, "block", kMaxThreads));
  const auto product = [](const std::array<int32_t, 3>& d) { return int64_t{d[0]} * d[1] * d[2]; };
  for (int i = 0; i < 3 && kernel.required_threads[0] > 0; ++i) {
    if (params.block[i] == kernel.required_threads[i]) continue;
    return absl::FailedPreconditionError(absl::StrCat("block ", absl::StrJoin(params.block, "x"),
                                                      " is refused: .reqntid is ",
                                                      absl::StrJoin(kernel.required_threads, "x")));
  }
  if (kernel.max_threads[0] > 0 && threads > product(kernel.max_threads)) {
    return absl::FailedPreconditionError(
        absl::StrCat(threads, " threads are refused: .maxntid is ", product(kernel.max_threads)));
  }
  return absl::OkStatus();
}

absl::Status CheckCluster(const Function& kernel, LaunchParams& params) {
  const bool given = params.cluster[0] > 0;
  for (int i = 0; i < 3; ++i) {
    const int64_t required = std::max(kernel.required_cluster[i], 0);
    if (!given) params.cluster[i] = std::max<int64_t>(required, 1);
    if (given && required > 0 && params.cluster[i] != required) {
      return absl::FailedPreconditionError(absl::StrCat(
          "cluster ", absl::StrJoin(params.cluster, "x"), " is refused: .reqnctapercluster is ",
          absl::StrJoin(kernel.required_cluster, "x")));
    }
  }
  ASTITCH_RETURN_IF_ERROR(Size(params.cluster, "cluster", kMaxClusterBlocks).status());
  for (int i = 0; i < 3; ++i) {
    if (params.grid[i] % params.cluster[i] == 0) continue;
    return absl::FailedPreconditionError(absl::StrCat("grid ", absl::StrJoin(params.grid, "x"),
                                                      " is refused: no multiple of cluster ",
                                                      absl::StrJoin(params.cluster, "x")));
  }
  return absl::OkStatus();
}

// What this machine can hold and number, whatever a device could.
absl::Status CheckSize(const Program& program, const LaunchParams& params, int64_t blocks) {
  const int64_t warps = CeilDiv(params.block[0] * params.block[1] * params.block[2], 32);
  if (params.races && blocks * warps * 32 >= int64_t{1} << 32) {
    return absl::ResourceExhaustedError("more than 2^32 threads are followed only without races");
  }
  const int64_t warp_bytes = (program.num_registers * int64_t{8} + program.local_bytes * 2) * 32;
  const int64_t resident = std::min(blocks, params.resident_blocks) * warps;
  if (resident * warp_bytes > kMaxStateBytes) {
    return absl::ResourceExhaustedError(
        absl::StrCat(resident, " resident warps of ", warp_bytes,
                     " bytes are more than this machine holds; let fewer blocks be resident"));
  }
  return absl::OkStatus();
}

absl::Status CheckLaunch(const Function& kernel, const Program& program, LaunchParams& params) {
  ASTITCH_ASSIGN_OR_RETURN(const int64_t blocks, Size(params.grid, "grid", kMaxBlocks));
  ASTITCH_RETURN_IF_ERROR(CheckThreads(kernel, params));
  ASTITCH_RETURN_IF_ERROR(CheckCluster(kernel, params));
  const int64_t shared = program.static_shared_bytes + params.dynamic_smem_bytes;
  if (params.dynamic_smem_bytes < 0 || shared > kMaxSharedBytes) {
    return absl::FailedPreconditionError(absl::StrCat(
        shared, " bytes of shared memory are refused: a block has up to ", kMaxSharedBytes));
  }
  if (program.local_bytes > kMaxLocalBytes || program.parameter_bytes > kMaxParameterBytes) {
    return absl::FailedPreconditionError(
        absl::StrCat(program.local_bytes, " bytes of local memory and ", program.parameter_bytes,
                     " of parameters are refused: ", kMaxLocalBytes, " and ", kMaxParameterBytes,
                     " are possible"));
  }
  if (params.resident_blocks < 1) return absl::InvalidArgumentError("no block can be resident");
  if (params.cooperative && blocks > params.resident_blocks) {
    return absl::FailedPreconditionError(
        absl::StrCat("cooperative grid of ", blocks, " blocks is refused: ", params.resident_blocks,
                     " are resident at a time"));
  }
  return CheckSize(program, params, blocks);
}

absl::Status CheckArguments(const Program& program, const LaunchParams& params,
                            absl::Span<const Buffer> buffers) {
  if (params.arguments.size() != program.parameters.size()) {
    return absl::InvalidArgumentError(absl::StrCat("expected ", program.parameters.size(),
                                                   " arguments, got ", params.arguments.size()));
  }
  for (size_t i = 0; i < params.arguments.size(); ++i) {
    const Argument& argument = params.arguments[i];
    const Program::Parameter& parameter = program.parameters[i];
    const bool pointer = argument.buffer >= 0;
    if (pointer && argument.buffer >= static_cast<int32_t>(buffers.size())) {
      return absl::InvalidArgumentError(absl::StrCat("argument ", i, " names no buffer"));
    }
    const int64_t bytes = pointer ? 8 : static_cast<int64_t>(argument.scalar.size());
    if (bytes == parameter.bytes) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("expected ", parameter.bytes, " bytes for argument ", i, " (", parameter.name,
                     "), got ", bytes, pointer ? " of a pointer" : ""));
  }
  return absl::OkStatus();
}

absl::StatusOr<LaunchResult> LaunchDecoded(const Module& module, const Function& kernel,
                                           const Program& program, LaunchParams params,
                                           absl::Span<Buffer> buffers) {
  ASTITCH_RETURN_IF_ERROR(CheckArguments(program, params, buffers));
  ASTITCH_RETURN_IF_ERROR(CheckLaunch(kernel, program, params));
  Machine machine(module, program, params, buffers);
  Scheduler scheduler(machine);
  scheduler.Run();
  LaunchResult out;
  out.steps = scheduler.steps();
  out.reports = machine.reports().Take();
  for (StageCounts& counts : machine.TakeStages()) {
    if (!counts.Empty()) out.stages.push_back(std::move(counts));
  }
  return out;
}

constexpr const char* kOrderWords[] = {
#define X(enumerator, word) word,
    ASTITCH_SIMT_ORDERS(X)
#undef X
};

}  // namespace

std::vector<std::string> OrderWords() { return {std::begin(kOrderWords), std::end(kOrderWords)}; }

Order OrderOf(absl::string_view word) {
  const auto found = std::find(std::begin(kOrderWords), std::end(kOrderWords), word);
  return static_cast<Order>(found - std::begin(kOrderWords));
}

absl::StatusOr<LaunchResult> Launch(const Module& module, const LaunchParams& params,
                                    absl::Span<Buffer> buffers) {
  ASTITCH_ASSIGN_OR_RETURN(const Function* const kernel, FindKernel(module, params.kernel));
  ASTITCH_ASSIGN_OR_RETURN(const Program program, Decode(module, *kernel));
  return LaunchDecoded(module, *kernel, program, params, buffers);
}

Kernel::Kernel(Module module) : module_(std::move(module)) {}
Kernel::~Kernel() = default;

absl::StatusOr<std::shared_ptr<const Kernel>> Kernel::Create(Module module,
                                                             const std::string& name) {
  std::shared_ptr<Kernel> out(new Kernel(std::move(module)));
  ASTITCH_ASSIGN_OR_RETURN(out->function_, FindKernel(out->module_, name));
  ASTITCH_ASSIGN_OR_RETURN(Program program, Decode(out->module_, *out->function_));
  out->program_ = std::make_unique<const Program>(std::move(program));
  return out;
}

absl::StatusOr<LaunchResult> Kernel::Launch(const LaunchParams& params,
                                            absl::Span<Buffer> buffers) const {
  return LaunchDecoded(module_, *function_, *program_, params, buffers);
}

}  // namespace astitch::simt
