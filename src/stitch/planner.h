// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The planner: canonical graph and machine in, Plan out. Rules only, no search: milliseconds.
//
//   fusion.h         whose rules: ours, or those of a baseline
//   library_calls.h  what products do on the way: strides, epilogues
//   open_tuples.h    steps exchange arrays
//   scope.h          library calls, what the interpreter evaluates, and regions of what lies between
//   axes.h           which dimensions are the same loop: the exact block-locality check
//   narrow_columns.h  few columns take rows for more
//   row_space.h      rows of a phase, from its dominant operation
//   phases.h         phases, homes, what waits behind a barrier; their order: phase_order.h
//   stages.h         sweeps over a tile, what is kept between them
//   turn.h           lanes along the other axis, by way of a slot
//   mapping.h        tiles, tasks, threads, memory, launch
//   slices.h, reuse.h  what phases leave each other in the last cache; in shared memory: stay.h
//   traffic.h        bytes planned, bytes at least
//   cost.h           predicted time, of stages, kernels and library calls
//   cut.h            one kernel with barriers, or several
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "plan/plan.h"
#include "stitch/fusion.h"
#include "stitch/machine.h"

namespace astitch {

struct PlannerOptions {
  Fusion fusion = Fusion::kStitch;
  // GPU: registers that a thread of a kernel, by its number, needs beyond those that the rules assume,
  // as an assembler tells; none of kernels beyond the list.
  std::vector<int64_t> more_registers = {};
  // Convolutions that no library takes, by name: the interpreter evaluates them.
  std::vector<std::string> no_library = {};
};

// REQUIRES: GRAPH is verified and canonical (passes/pipeline: calls inlined,
// row-major inside). Errors name the instruction that nothing can run.
absl::StatusOr<Plan> MakePlan(std::unique_ptr<Graph> graph, const MachineModel& machine,
                              const PlannerOptions& options);

}  // namespace astitch
