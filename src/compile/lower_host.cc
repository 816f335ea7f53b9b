// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Compiles the kernels into one object or two, then walks the plan's steps once.
#include "compile/lower_host.h"

#include <algorithm>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status.h"
#include "codegen/host/host_compiler.h"
#include "compile/image_lowering.h"

namespace astitch {
namespace {

class Lowering {
 public:
  Lowering(const Plan& plan, const EntrySpecs& specs, bool keep_texts)
      : plan_(plan), keep_texts_(keep_texts), lowering_(plan, specs) {}

  absl::StatusOr<HostLowering> Run() {
    lowering_.image().target = absl::StrCat("host:", HostCpuName());
    ASTITCH_RETURN_IF_ERROR(lowering_.AddConstants());
    ASTITCH_RETURN_IF_ERROR(CompileKernels());
    for (const PlanStep& step : plan_.steps) {
      const auto* kernel = std::get_if<KernelPlan>(&step);
      if (kernel != nullptr) {
        AddKernel(*kernel);
      } else {
        ASTITCH_RETURN_IF_ERROR(lowering_.AddCall(step));
      }
    }
    out_.image = std::move(lowering_.image());
    return std::move(out_);
  }

 private:
  // Kernels are independent: two threads halve the time to the first run.
  absl::Status CompileKernels() {
    std::vector<const KernelPlan*> kernels;
    for (const PlanStep& step : plan_.steps) {
      if (const auto* kernel = std::get_if<KernelPlan>(&step)) kernels.push_back(kernel);
    }
    constexpr size_t kEnoughForTwo = 4;
    const size_t objects =
        kernels.size() >= kEnoughForTwo && std::thread::hardware_concurrency() > 1 ? 2 : 1;
    std::vector<std::vector<const KernelPlan*>> share(objects);
    for (size_t k = 0; k < kernels.size(); ++k) {
      share[k % objects].push_back(kernels[k]);
      object_of_[kernels[k]] = {static_cast<int32_t>(k % objects), share[k % objects].size() - 1};
    }
    HostCompileOptions options;
    options.keep_ir = options.keep_assembly = keep_texts_;
    std::vector<absl::StatusOr<HostObject>> results(objects, absl::UnknownError("not compiled"));
    std::vector<std::thread> threads;
    for (size_t o = 1; o < objects; ++o) {
      threads.emplace_back([&, o] { results[o] = CompileHostKernels(share[o], options); });
    }
    if (!kernels.empty()) results[0] = CompileHostKernels(share[0], options);
    for (std::thread& thread : threads) thread.join();
    if (kernels.empty()) return absl::OkStatus();
    for (auto& result : results) {
      ASTITCH_RETURN_IF_ERROR(result.status());
      const std::string& bytes = result->bytes;
      const std::byte* data = reinterpret_cast<const std::byte*>(bytes.data());
      lowering_.image().objects.emplace_back(data, data + bytes.size());
      absl::StrAppend(&out_.ir, result->ir);
      absl::StrAppend(&out_.assembly, result->assembly);
      objects_.push_back(*std::move(result));
    }
    return absl::OkStatus();
  }

  void AddKernel(const KernelPlan& kernel) {
    const auto [object, position] = object_of_.at(&kernel);
    const CompiledHostKernel& compiled = objects_[object].kernels[position];
    HostKernelStep step;
    step.name = kernel.name;
    step.symbol = compiled.symbol;
    step.object = object;
    for (const Instruction* input : kernel.inputs) step.buffers.push_back(lowering_.Ref(input));
    for (const Instruction* output : kernel.outputs) step.buffers.push_back(lowering_.Ref(output));
    if (kernel.launch.scratch_bytes > 0) step.buffers.push_back(lowering_.Scratch(kernel));
    step.tile_bytes = compiled.tile_bytes;
    step.max_workers = static_cast<int32_t>(std::clamp<int64_t>(kernel.launch.grid, 1, 1 << 16));
    lowering_.image().steps.emplace_back(std::move(step));
  }

  const Plan& plan_;
  const bool keep_texts_;
  ImageLowering lowering_;
  HostLowering out_;
  std::vector<HostObject> objects_;
  absl::flat_hash_map<const KernelPlan*, std::pair<int32_t, size_t>> object_of_;
};

}  // namespace

absl::StatusOr<HostLowering> LowerForHost(const Plan& plan, const EntrySpecs& specs,
                                          bool keep_texts) {
  return Lowering(plan, specs, keep_texts).Run();
}

}  // namespace astitch
