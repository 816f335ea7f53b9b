// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A kernel of the program on the simulator: parsed once, launched once a run.
#pragma once

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "artifact/executable_image.h"
#include "runtime/simt/run_memory.h"
#include "runtime/simt/simulated_device.h"
#include "simt/launch.h"

namespace astitch {

class KernelLaunch {
 public:
  // Error: text that the simulator does not know, with its line.
  static absl::StatusOr<KernelLaunch> Create(const ExecutableImage& image,
                                             const PtxKernelStep& step,
                                             const SimulatorOptions& options);

  // Fills LOG in. Errors as LoadOnSimulator says of a run.
  absl::Status Run(RunMemory& memory, SimulatedStep& log);

 private:
  // The arguments, then the barrier's state and the table of pointers where the kernel has them.
  std::vector<simt::Buffer> Buffers(const RunMemory& memory) const;

  PtxKernelStep step_;
  int64_t max_shared_bytes_ = 0;  // of a block; 0: not known
  std::shared_ptr<const simt::Kernel> kernel_;
  simt::LaunchParams params_;
  // As the last launch left it: a device zeroes it once.
  simt::Buffer barrier_;
};

}  // namespace astitch
