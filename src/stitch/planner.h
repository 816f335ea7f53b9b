// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The planner: canonical graph and machine in, Plan out. Rules only, no search: milliseconds.
//
//   scope.h        library calls, and regions of what lies between them
//   axes.h         which dimensions are the same loop: the exact block-locality check
//   row_space.h    rows of a phase, from its dominant operation
//   phases.h       phases, homes, what waits behind a barrier
//   stages.h       sweeps over a tile, what is kept between them
//   mapping.h      tiles, tasks, threads, memory, launch
//   traffic.h      bytes planned, bytes at least
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "plan/plan.h"
#include "stitch/machine.h"

namespace astitch {

struct PlannerOptions {
  std::string fusion =
      "stitch";  // "stitch", or "none": a kernel an operation, the unfused baseline
};

// REQUIRES: GRAPH is verified and canonical (passes/pipeline: calls inlined, tuples only at the
// root, row-major inside). Errors name the instruction that nothing can run.
absl::StatusOr<Plan> MakePlan(std::unique_ptr<Graph> graph, const MachineModel& machine,
                              const PlannerOptions& options);

}  // namespace astitch
