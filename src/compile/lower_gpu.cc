// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Walks the plan's steps once. How many blocks are resident is counted here from the machine and
// the finished kernel, not taken from the plan: a plan that assumed too many is then refused at
// launch, as a device would refuse it.
#include "compile/lower_gpu.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/checked_math.h"
#include "base/status.h"
#include "compile/image_lowering.h"

namespace astitch {
namespace {

KernelArgument ArgumentFor(const ImageLowering& lowering, const Instruction& value,
                           bool read_only) {
  KernelArgument out;
  out.buffer = lowering.Ref(&value);
  out.name = absl::StrCat("%", value.name());
  out.read_only = read_only;
  return out;
}

// The rows and columns that the sweeps visit.
int64_t PointsOf(const KernelPlan& kernel) {
  int64_t points = 0;
  for (const Phase& phase : kernel.phases) {
    for (const Stage& stage : phase.stages) {
      int64_t columns = 1;
      for (int64_t extent : stage.columns) columns *= extent;
      points += phase.num_rows() * columns * (phase.repeated ? kernel.launch.grid : 1);
    }
  }
  return points;
}

PtxKernelStep StepFor(const ImageLowering& lowering, const KernelPlan& kernel,
                      const PtxKernel& compiled, const MachineModel& machine) {
  PtxKernelStep step;
  step.name = kernel.name;
  step.entry = compiled.entry;
  for (const Instruction* input : kernel.inputs)
    step.arguments.push_back(ArgumentFor(lowering, *input, true));
  for (const Instruction* output : kernel.outputs)
    step.arguments.push_back(ArgumentFor(lowering, *output, false));
  if (kernel.launch.scratch_bytes > 0)
    step.arguments.push_back({lowering.Scratch(kernel), "scratch", false, true});
  step.pointer_table = compiled.has_pointer_table;
  step.grid = kernel.launch.grid;
  step.block = kernel.launch.block;
  step.cluster = compiled.cluster;
  step.shared_bytes = compiled.shared_bytes;
  step.registers = kernel.launch.registers;
  step.cooperative = kernel.launch.cooperative;
  step.barrier_bytes = compiled.barrier_bytes;
  // A kernel that fits nowhere is refused by its device, with the reason.
  const int64_t per_sm = ResidentBlocksPerSm(kernel, compiled.shared_bytes, machine);
  step.resident_blocks = std::max<int64_t>(per_sm * machine.num_sms, 1);
  step.points = PointsOf(kernel);
  step.planned_read_bytes = kernel.traffic.read;
  step.planned_write_bytes = kernel.traffic.written;
  return step;
}

}  // namespace

int64_t ResidentBlocksPerSm(const KernelPlan& kernel, int64_t shared_bytes,
                            const MachineModel& machine) {
  constexpr int64_t kRegisterGranule = 8;  // a thread
  const int64_t block = kernel.launch.block;
  int64_t blocks = std::min<int64_t>(machine.max_blocks_per_sm, machine.max_threads_per_sm / block);
  if (shared_bytes > 0)
    blocks = std::min(
        blocks, machine.shared_bytes_per_sm / (shared_bytes + machine.reserved_shared_bytes()));
  if (kernel.launch.registers > 0) {
    const int64_t registers = RoundUp(int64_t{kernel.launch.registers}, kRegisterGranule);
    blocks = std::min(blocks, machine.registers_per_sm / (registers * RoundUp(block, 32)));
  }
  return blocks;
}

absl::StatusOr<ExecutableImage> LowerForGpu(const Plan& plan, const EntrySpecs& specs,
                                            const MachineModel& machine,
                                            absl::Span<const PtxKernel> kernels) {
  ImageLowering lowering(plan, specs);
  ExecutableImage& image = lowering.image();
  image.target = plan.target;
  image.gpu = {machine.sm, machine.num_sms, machine.l2_bytes, machine.shared_bytes_per_block};
  ASTITCH_RETURN_IF_ERROR(lowering.AddConstants());
  for (const PlanStep& step : plan.steps) {
    const auto* kernel = std::get_if<KernelPlan>(&step);
    if (kernel == nullptr) {
      ASTITCH_RETURN_IF_ERROR(lowering.AddCall(step));
      continue;
    }
    const PtxKernel& compiled = kernels[image.ptx.size()];
    PtxKernelStep launch = StepFor(lowering, *kernel, compiled, machine);
    launch.module = static_cast<int32_t>(image.ptx.size());
    image.ptx.push_back(compiled.text);
    image.steps.emplace_back(std::move(launch));
  }
  return std::move(image);
}

}  // namespace astitch
