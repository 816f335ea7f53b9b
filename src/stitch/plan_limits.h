// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A machine as the verifier of plans sees it, which knows nothing of planners.
#pragma once

#include "plan/verify.h"
#include "stitch/machine.h"

namespace astitch {

inline PlanLimits LimitsOf(const MachineModel& machine) {
  PlanLimits limits;
  limits.is_host = machine.is_host();
  limits.workers = machine.workers;
  limits.num_sms = machine.num_sms;
  limits.threads_per_block = machine.max_threads_per_block;
  limits.threads_per_sm = machine.max_threads_per_sm;
  limits.blocks_per_sm = machine.max_blocks_per_sm;
  limits.registers_per_sm = machine.registers_per_sm;
  limits.registers_per_thread = machine.max_registers_per_thread;
  limits.shared_bytes_per_block = machine.shared_bytes_per_block;
  limits.shared_bytes_per_sm = machine.shared_bytes_per_sm;
  limits.reserved_shared_bytes = machine.reserved_shared_bytes();
  limits.cluster = machine.max_cluster;
  return limits;
}

}  // namespace astitch
