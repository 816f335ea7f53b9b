// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// How the runtime calls a host kernel. The code generator emits against these offsets, the runtime
// fills them in: a change here is a change of the artifact format.
//
// Every worker of the team calls the kernel once, with arguments that differ in `tile` and
// `worker`. The kernel itself divides its tasks among the workers and calls `barrier` between
// phases when a phase reads what another worker wrote.
//
// - The result's bits may not depend on num_workers, which is 1 when the team is busy: what is
//   split, and how partial results are combined, comes from the plan.
// - Every worker calls `barrier` equally often. With one worker it does nothing, and is still
//   there to be called.
// - `tile` is private memory of the worker, 64-byte aligned, not cleared; it keeps nothing from
//   call to call.
// - Buffers are aligned as their element type demands and no more (inputs and outputs are the
//   caller's memory); those in the arena and constants are 64-byte aligned at offset 0.
#pragma once

#include <cstddef>
#include <cstdint>

namespace astitch {

struct HostKernelArgs {
  void* const* buffers;         // in the order of HostKernelStep::buffers
  std::byte* tile;              // HostKernelStep::tile_bytes
  int64_t worker;               // 0 .. num_workers-1
  int64_t num_workers;          // 1 .. HostKernelStep::max_workers
  void (*barrier)(void* team);  // acquire and release: what was written before is seen after
  void* team;
};

static_assert(offsetof(HostKernelArgs, buffers) == 0 && offsetof(HostKernelArgs, tile) == 8 &&
              offsetof(HostKernelArgs, worker) == 16 &&
              offsetof(HostKernelArgs, num_workers) == 24 &&
              offsetof(HostKernelArgs, barrier) == 32 && offsetof(HostKernelArgs, team) == 40);

using HostKernel = void (*)(const HostKernelArgs* args);

}  // namespace astitch
