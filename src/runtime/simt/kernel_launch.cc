// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Ranges become buffers of the simulator, its reports one error.
#include "runtime/simt/kernel_launch.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "simt/ptx/parser.h"

namespace astitch {
namespace {

absl::Status ReportsError(const std::vector<simt::Report>& reports) {
  constexpr size_t kShown = 8;
  std::string words;
  for (size_t i = 0; i < std::min(kShown, reports.size()); ++i) {
    absl::StrAppend(&words, i == 0 ? "" : "\n", "PTX line ", simt::ToString(reports[i]));
  }
  if (reports.size() > kShown) absl::StrAppend(&words, "\nand ", reports.size() - kShown, " more");
  return absl::DataLossError(words);
}

simt::Buffer PointerTable(int64_t count) {
  std::vector<uint8_t> bytes(count * 8);
  for (int64_t i = 0; i < count; ++i) {
    const uint64_t address = simt::GlobalBase(static_cast<int32_t>(i));
    std::memcpy(&bytes[i * 8], &address, 8);
  }
  simt::Buffer out = simt::Buffer::Of("pointers", bytes);
  out.read_only = true;
  return out;
}

absl::StatusOr<std::shared_ptr<const simt::Kernel>> DecodePtx(const std::string& ptx,
                                                              const std::string& entry) {
  ASTITCH_ASSIGN_OR_RETURN(simt::Module module, simt::ParsePtx(ptx));
  return simt::Kernel::Create(std::move(module), entry);
}

}  // namespace

absl::StatusOr<std::shared_ptr<const simt::Kernel>> DecodedKernels::Get(const std::string& ptx,
                                                                        const std::string& entry) {
  std::shared_ptr<const simt::Kernel>& kernel = kernels_[{ptx, entry}];
  if (kernel == nullptr) {
    ASTITCH_ASSIGN_OR_RETURN(kernel, DecodePtx(ptx, entry));
  }
  return kernel;
}

absl::StatusOr<KernelLaunch> KernelLaunch::Create(const ExecutableImage& image,
                                                  const PtxKernelStep& step,
                                                  const SimulatorOptions& options) {
  if (step.points > options.max_points) {
    return absl::ResourceExhaustedError(absl::StrCat("sweeps of ", step.points,
                                                     " elements are too many to simulate: up to ",
                                                     options.max_points, " are"));
  }
  KernelLaunch out;
  out.step_ = step;
  out.max_shared_bytes_ = image.gpu.shared_bytes_per_block;
  const std::string& ptx = image.ptx[step.module];
  ASTITCH_ASSIGN_OR_RETURN(out.kernel_, options.kernels != nullptr
                                            ? options.kernels->Get(ptx, step.entry)
                                            : DecodePtx(ptx, step.entry));
  out.barrier_ = simt::Buffer::Of("barrier", std::vector<uint8_t>(step.barrier_bytes));
  simt::LaunchParams& params = out.params_;
  params.grid = {step.grid, 1, 1};
  params.block = {step.block, 1, 1};
  if (step.cluster > 1) params.cluster = {step.cluster, 1, 1};
  params.dynamic_smem_bytes = step.shared_bytes;
  params.cooperative = step.cooperative;
  params.resident_blocks =
      options.resident_blocks > 0 ? options.resident_blocks : step.resident_blocks;
  params.order = options.order;
  params.seed = options.seed;
  params.slice = options.slice;
  if (options.max_steps > 0) params.max_steps = options.max_steps;
  params.races = options.races;
  params.traffic = options.traffic;
  params.first_report_only = options.first_report_only;
  const int64_t l2_bytes = options.l2_bytes > 0 ? options.l2_bytes : image.gpu.l2_bytes;
  if (l2_bytes > 0) params.l2_bytes = l2_bytes;
  const size_t values = step.arguments.size() + (step.cooperative ? 1 : 0);
  const size_t parameters = step.pointer_table ? 1 : values;
  for (size_t i = 0; i < parameters; ++i) {
    params.arguments.emplace_back().buffer = static_cast<int32_t>(step.pointer_table ? values : i);
  }
  return out;
}

std::vector<simt::Buffer> KernelLaunch::Buffers(const RunMemory& memory) const {
  std::vector<simt::Buffer> out;
  for (const KernelArgument& argument : step_.arguments) out.push_back(memory.Load(argument));
  if (step_.cooperative) out.push_back(barrier_);
  if (step_.pointer_table) out.push_back(PointerTable(static_cast<int64_t>(out.size())));
  return out;
}

absl::Status KernelLaunch::Run(RunMemory& memory, SimulatedStep& log) {
  if (max_shared_bytes_ > 0 && step_.shared_bytes > max_shared_bytes_) {
    return absl::FailedPreconditionError(
        absl::StrCat(step_.shared_bytes,
                     " bytes of shared memory are refused: a block "
                     "has up to ",
                     max_shared_bytes_));
  }
  std::vector<simt::Buffer> buffers = Buffers(memory);
  log.is_kernel = true;
  log.resident_blocks = params_.resident_blocks;
  log.planned_read_bytes = step_.planned_read_bytes;
  log.planned_write_bytes = step_.planned_write_bytes;
  for (const simt::Buffer& buffer : buffers) log.buffers.push_back(buffer.name);
  for (const KernelArgument& argument : step_.arguments) log.num_tensors += !argument.scratch;
  ASTITCH_ASSIGN_OR_RETURN(simt::LaunchResult result,
                           kernel_->Launch(params_, absl::MakeSpan(buffers)));
  log.stages = std::move(result.stages);
  log.reports = std::move(result.reports);
  if (step_.cooperative) barrier_ = buffers[step_.arguments.size()];
  for (size_t i = 0; i < step_.arguments.size(); ++i) memory.Store(step_.arguments[i], buffers[i]);
  return log.reports.empty() ? absl::OkStatus() : ReportsError(log.reports);
}

}  // namespace astitch
