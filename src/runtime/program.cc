// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Loading: constants into aligned memory, objects into code, steps to functions and prepared
// library calls. After this nothing of the image's bytes is needed, and nothing can be missing.
#include "runtime/program.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/checked_math.h"
#include "base/status.h"
#include "runtime/cpu_features.h"
#include "runtime/host/worker_team.h"

namespace astitch {
namespace {

constexpr int64_t kAlign = 64;

absl::Status LoadConstants(Program& program) {
  int64_t bytes = 0;
  for (const std::vector<std::byte>& constant : program.image.constants) {
    program.constant_offsets.push_back(bytes);
    bytes += RoundUp(static_cast<int64_t>(constant.size()), kAlign);
  }
  ASTITCH_ASSIGN_OR_RETURN(program.constants, Scratch::Allocate(bytes));
  for (size_t i = 0; i < program.image.constants.size(); ++i) {
    std::vector<std::byte>& constant = program.image.constants[i];
    if (!constant.empty()) {
      std::memcpy(program.constants.data() + program.constant_offsets[i], constant.data(),
                  constant.size());
    }
    std::vector<std::byte>().swap(constant);
  }
  return absl::OkStatus();
}

absl::Status LoadObjects(Program& program) {
  for (size_t i = 0; i < program.image.objects.size(); ++i) {
    absl::StatusOr<std::unique_ptr<LoadedObject>> loaded = LoadObject(program.image.objects[i]);
    if (!loaded.ok()) return Annotate(loaded.status(), absl::StrCat("object ", i));
    program.objects.push_back(*std::move(loaded));
  }
  program.image.objects.clear();
  return absl::OkStatus();
}

// Fills in what kind of step it is; the rest is alike for all.
class StepLoader {
 public:
  explicit StepLoader(Program& program) : program_(program) {}

  absl::Status operator()(const HostKernelStep& step) {
    void* const function = program_.objects[step.object]->Find(step.symbol);
    if (function == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("expected function ", step.symbol, " in object ", step.object));
    }
    LoadedStep loaded;
    loaded.kernel = reinterpret_cast<HostKernel>(function);
    loaded.max_workers = step.max_workers;
    Add(std::move(loaded), step.name, step.buffers, step.tile_bytes);
    return absl::OkStatus();
  }
  absl::Status operator()(const PtxKernelStep& step) {
    return absl::FailedPreconditionError("the host cannot run a kernel for a GPU");
  }
  absl::Status operator()(const MatmulStep& step) {
    return AddCall(PrepareMatmul(step), step.name);
  }
  absl::Status operator()(const ConvolutionStep& step) {
    return AddCall(PrepareConvolution(step), step.name);
  }
  absl::Status operator()(const CopyStep& step) { return AddCall(PrepareCopy(step), step.name); }
  absl::Status operator()(const ReferenceStep& step) {
    return AddCall(PrepareReference(step), step.name);
  }

 private:
  absl::Status AddCall(absl::StatusOr<std::unique_ptr<LibraryCall>> call, const std::string& name) {
    if (!call.ok()) return call.status();
    LoadedStep loaded;
    loaded.call = *std::move(call);
    loaded.max_workers = loaded.call->max_workers();
    program_.shared_bytes = std::max(program_.shared_bytes, loaded.call->shared_bytes());
    const LibraryCall& prepared = *loaded.call;
    Add(std::move(loaded), name, prepared.buffers(), prepared.tile_bytes());
    return absl::OkStatus();
  }

  void Add(LoadedStep step, const std::string& name, const std::vector<BufferRef>& buffers,
           int64_t tile_bytes) {
    step.name = name;
    step.first_buffer = static_cast<int64_t>(program_.buffers.size());
    program_.buffers.insert(program_.buffers.end(), buffers.begin(), buffers.end());
    program_.tile_bytes = std::max(program_.tile_bytes, RoundUp(tile_bytes, kAlign));
    program_.parallel |= step.parallel();
    program_.steps.push_back(std::move(step));
  }

  Program& program_;
};

}  // namespace

absl::StatusOr<Program> LoadProgram(ExecutableImage image, const LoadOptions& options) {
  if (options.threads < 0 || options.threads > WorkerTeam::kMaxWorkers) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected 0 to ", WorkerTeam::kMaxWorkers, " threads, got ", options.threads));
  }
  ASTITCH_RETURN_IF_ERROR(Annotate(ValidateImage(image), "image"));
  ASTITCH_RETURN_IF_ERROR(CheckCpuFeatures(image.cpu_features));
  Program program;
  program.image = std::move(image);
  program.workers =
      options.threads != 0 ? options.threads : std::min(UsableCpus(), WorkerTeam::kMaxWorkers);
  ASTITCH_RETURN_IF_ERROR(LoadConstants(program));
  ASTITCH_RETURN_IF_ERROR(LoadObjects(program));
  StepLoader loader(program);
  for (size_t i = 0; i < program.image.steps.size(); ++i) {
    const Step& step = program.image.steps[i];
    ASTITCH_RETURN_IF_ERROR(
        Annotate(std::visit(loader, step), absl::StrCat("step ", i, " ", StepName(step))));
  }
  for (const AliasedPair& alias : program.image.aliases) {
    if (alias.in_place) continue;
    program.aside_bytes += RoundUp(program.image.inputs[alias.input].bytes, kAlign);
  }
  return program;
}

}  // namespace astitch
