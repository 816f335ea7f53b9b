// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A GPU plan to an executable image: kernels as PTX with their launches, library calls to steps,
// constants to bytes.
#pragma once

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "artifact/executable_image.h"
#include "codegen/nvptx/nvptx_compiler.h"
#include "compile/entry_layout.h"
#include "plan/plan.h"
#include "stitch/machine.h"

namespace astitch {

// KERNELS: the plan's kernels, compiled, in its order.
absl::StatusOr<ExecutableImage> LowerForGpu(const Plan& plan, const EntrySpecs& specs,
                                            const MachineModel& machine,
                                            absl::Span<const PtxKernel> kernels);

// Blocks of the kernel that a multiprocessor of MACHINE holds at a time, by threads, registers and
// shared memory: what the driver's occupancy query would say of it. 0 when it holds none.
int64_t ResidentBlocksPerSm(const KernelPlan& kernel, int64_t shared_bytes,
                            const MachineModel& machine);

}  // namespace astitch
