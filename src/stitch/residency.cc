// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The least of four limits: blocks, threads, registers, shared memory.
#include "stitch/residency.h"

#include <algorithm>

#include "base/checked_math.h"
#include "plan/exchange.h"

namespace astitch {

int64_t TileBytesOf(const Instruction& array, const Phase& phase) {
  const int64_t rows = std::max<int64_t>(phase.num_rows(), 1);
  return phase.tile_rows * (array.shape().byte_size() / rows + 1);
}

int64_t RereadableBytes(const MachineModel& machine) {
  if (machine.is_host()) return (machine.l2_bytes * machine.workers + machine.l3_bytes) / 2;
  return machine.l2_bytes / 2;
}

int64_t SetResidency(const MachineModel& machine, int64_t registers, int64_t tasks, int64_t most,
                     KernelPlan& kernel) {
  Launch& launch = kernel.launch;
  const int64_t block = launch.block;
  int64_t per_sm = std::min<int64_t>(machine.max_blocks_per_sm, machine.max_threads_per_sm / block);
  per_sm = std::min(per_sm, machine.registers_per_sm / (registers * block));
  if (const int64_t shared = SharedBytesOf(kernel); shared > 0)
    per_sm =
        std::min(per_sm, machine.shared_bytes_per_sm / (shared + machine.reserved_shared_bytes()));
  if (most >= machine.num_sms) per_sm = std::min(per_sm, most / machine.num_sms);
  per_sm = std::max<int64_t>(per_sm, 1);
  const int64_t resident = per_sm * machine.num_sms;
  // No more than there are tasks for: their registers may be the others'.
  per_sm = std::clamp<int64_t>(CeilDiv(tasks, machine.num_sms), 1, per_sm);
  launch.blocks_per_sm = static_cast<int32_t>(per_sm);
  launch.registers = static_cast<int32_t>(std::min<int64_t>(
      machine.max_registers_per_thread, machine.registers_per_sm / (per_sm * block) / 8 * 8));
  launch.grid = std::clamp<int64_t>(tasks, 1, per_sm * machine.num_sms);
  int64_t cluster = 1;  // a grid is whole clusters
  for (const Phase& phase : kernel.phases) cluster = std::max<int64_t>(cluster, phase.cluster);
  launch.grid = std::max(launch.grid / cluster, int64_t{1}) * cluster;
  return resident;
}

}  // namespace astitch
