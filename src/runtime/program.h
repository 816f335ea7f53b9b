// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A loaded program: everything about an executable that no run changes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "artifact/executable_image.h"
#include "artifact/host_kernel_abi.h"
#include "astitch/executable.h"
#include "runtime/host/object_loader.h"
#include "runtime/library/library_call.h"
#include "runtime/scratch.h"

namespace astitch {

// A step with its code found. One of `kernel` and `call` is set.
struct LoadedStep {
  std::string name;
  HostKernel kernel = nullptr;
  std::unique_ptr<LibraryCall> call;
  int32_t max_workers = 1;
  int64_t first_buffer = 0;  // in Program::buffers
  bool parallel() const { return max_workers > 1; }
};

struct Program {
  ExecutableImage image;  // without its objects and constants, which live below
  std::vector<std::unique_ptr<LoadedObject>> objects;
  Scratch constants;
  std::vector<int64_t> constant_offsets;
  std::vector<LoadedStep> steps;
  std::vector<BufferRef> buffers;  // of all steps, one after the other
  // Memory of a run: the largest need of any step, since steps run one after the other.
  int64_t tile_bytes = 0;    // of each worker
  int64_t shared_bytes = 0;  // of the library step at hand
  int64_t aside_bytes = 0;   // copies of inputs whose memory an output takes
  bool parallel = false;     // some step wants more than one worker
  int workers = 1;
};

// See LoadExecutable.
absl::StatusOr<Program> LoadProgram(ExecutableImage image, const LoadOptions& options);

}  // namespace astitch
