// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A run walks the steps in order: kernels on the simulator, the rest on the calling thread.
#include "runtime/simt/simulated_device.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <utility>
#include <variant>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "runtime/check_buffers.h"
#include "runtime/default_floating_point.h"
#include "runtime/executable_impl.h"
#include "runtime/library/library_call.h"
#include "runtime/scratch.h"
#include "runtime/simt/kernel_launch.h"

namespace astitch {
namespace {

using Clock = std::chrono::steady_clock;
using LoadedStep = std::variant<KernelLaunch, std::unique_ptr<LibraryCall>>;

class StepLoader {
 public:
  StepLoader(const ExecutableImage& image, const SimulatorOptions& options)
      : image_(image), options_(options) {}

  absl::StatusOr<LoadedStep> operator()(const HostKernelStep& step) const {
    return absl::InvalidArgumentError("the simulated GPU cannot run a kernel for the host");
  }
  absl::StatusOr<LoadedStep> operator()(const PtxKernelStep& step) const {
    return KernelLaunch::Create(image_, step, options_);
  }
  absl::StatusOr<LoadedStep> operator()(const MatmulStep& step) const {
    return PrepareMatmul(step);
  }
  absl::StatusOr<LoadedStep> operator()(const ConvolutionStep& step) const {
    return PrepareConvolution(step);
  }
  absl::StatusOr<LoadedStep> operator()(const CopyStep& step) const { return PrepareCopy(step); }
  absl::StatusOr<LoadedStep> operator()(const ReferenceStep& step) const {
    return PrepareReference(step);
  }

 private:
  const ExecutableImage& image_;
  const SimulatorOptions& options_;
};

absl::Status RunOnHost(const LibraryCall& call, RunMemory& memory) {
  const std::vector<BufferRef>& buffers = call.buffers();
  std::vector<void*> addresses;
  for (const BufferRef& ref : buffers) addresses.push_back(memory.Address(ref));
  ASTITCH_ASSIGN_OR_RETURN(const Scratch tile, Scratch::Allocate(call.tile_bytes()));
  ASTITCH_ASSIGN_OR_RETURN(const Scratch shared, Scratch::Allocate(call.shared_bytes()));
  ASTITCH_ASSIGN_OR_RETURN(const std::unique_ptr<LibraryCall::State> state, call.NewState());
  const HostKernelArgs args = {
      .buffers = addresses.data(),
      .tile = tile.data(),
      .worker = 0,
      .num_workers = 1,
      .barrier = [](void*) {},
      .team = nullptr,
  };
  const DefaultFloatingPoint floating_point;
  return call.Run(args, shared.data(), *state);
}

struct Ranges {
  std::vector<BufferRef> read, written;
};

Ranges RangesOf(const MatmulStep& s) {
  Ranges out = {{s.lhs.buffer, s.rhs.buffer}, {s.out.buffer}};
  for (const Epilogue& e : s.epilogue) out.read.push_back(e.view.buffer);
  return out;
}
Ranges RangesOf(const ConvolutionStep& s) {
  Ranges out = {{s.in.buffer, s.kernel.buffer}, {s.out.buffer}};
  for (const Epilogue& e : s.epilogue) out.read.push_back(e.view.buffer);
  return out;
}
Ranges RangesOf(const CopyStep& s) { return {{s.from}, {s.to}}; }
Ranges RangesOf(const ReferenceStep& s) { return {s.inputs, s.outputs}; }
Ranges RangesOf(const HostKernelStep& s) { return {}; }
Ranges RangesOf(const PtxKernelStep& s) { return {}; }

class SimulatedProgram final : public Executable::Impl {
 public:
  SimulatedProgram(ExecutableImage image, std::vector<LoadedStep> steps,
                   std::shared_ptr<std::vector<SimulatedStep>> log)
      : image_(std::move(image)), steps_(std::move(steps)), log_(std::move(log)) {}

  const ExecutableImage& image() const override { return image_; }
  int64_t scratch_bytes() const override { return image_.arena_bytes; }

  absl::Status Run(absl::Span<const ConstBuffer> inputs, absl::Span<const Buffer> outputs,
                   std::vector<StepTime>* times) override {
    ASTITCH_RETURN_IF_ERROR(CheckBuffers(image_, inputs, outputs));
    std::lock_guard<std::mutex> lock(mutex_);
    std::vector<BufferRange> ranges;
    ASTITCH_RETURN_IF_ERROR(CheckOverlaps(image_, inputs, outputs, ranges));
    RunMemory memory(image_, inputs, outputs);
    log_->clear();
    for (size_t i = 0; i < steps_.size(); ++i) {
      const Clock::time_point begin = Clock::now();
      ASTITCH_RETURN_IF_ERROR(Annotate(RunStep(i, memory), StepName(image_.steps[i])));
      if (times == nullptr) continue;
      (*times)[i].time_us = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      ASTITCH_RETURN_IF_ERROR(memory.CheckWritten(
          {BufferRef::Space::kOutput, static_cast<int32_t>(i), 0, outputs[i].bytes}));
    }
    return absl::OkStatus();
  }

 private:
  absl::Status RunStep(size_t i, RunMemory& memory) {
    SimulatedStep& log = log_->emplace_back();
    log.name = StepName(image_.steps[i]);
    if (auto* kernel = std::get_if<KernelLaunch>(&steps_[i])) return kernel->Run(memory, log);
    const Ranges ranges =
        std::visit([](const auto& step) { return RangesOf(step); }, image_.steps[i]);
    for (const BufferRef& ref : ranges.read) ASTITCH_RETURN_IF_ERROR(memory.CheckWritten(ref));
    ASTITCH_RETURN_IF_ERROR(RunOnHost(*std::get<std::unique_ptr<LibraryCall>>(steps_[i]), memory));
    for (const BufferRef& ref : ranges.written) memory.MarkWritten(ref);
    return absl::OkStatus();
  }

  const ExecutableImage image_;
  std::vector<LoadedStep> steps_;
  const std::shared_ptr<std::vector<SimulatedStep>> log_;
  std::mutex mutex_;
};

}  // namespace

simt::StageCounts SimulatedStep::Total() const {
  simt::StageCounts sum;
  for (const simt::StageCounts& stage : stages) sum += stage;
  return sum;
}

simt::BufferTraffic SimulatedStep::TensorTraffic() const {
  const simt::StageCounts sum = Total();
  simt::BufferTraffic out;
  for (size_t i = 0; i < sum.buffers.size() && i < static_cast<size_t>(num_tensors); ++i)
    out += sum.buffers[i];
  return out;
}

simt::BufferTraffic SimulatedStep::OwnTraffic() const {
  const simt::StageCounts sum = Total();
  simt::BufferTraffic out;
  for (size_t i = num_tensors; i < sum.buffers.size(); ++i) out += sum.buffers[i];
  return out;
}

absl::StatusOr<SimulatedExecutable> LoadOnSimulator(ExecutableImage image,
                                                    const SimulatorOptions& options) {
  ASTITCH_RETURN_IF_ERROR(Annotate(ValidateImage(image), "image"));
  const StepLoader loader(image, options);
  std::vector<LoadedStep> steps;
  for (const Step& step : image.steps) {
    absl::StatusOr<LoadedStep> loaded = std::visit(loader, step);
    if (!loaded.ok()) return Annotate(loaded.status(), StepName(step));
    steps.push_back(*std::move(loaded));
  }
  SimulatedExecutable out;
  const auto log = std::make_shared<std::vector<SimulatedStep>>();
  out.executable = std::make_unique<Executable>(
      std::make_unique<SimulatedProgram>(std::move(image), std::move(steps), log));
  out.log = log;
  return out;
}

}  // namespace astitch
