// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Plans again the kernels for which the assembler finds too few registers.
//
// The planner assumes what a kernel needs, takes as many blocks as that leaves resident, and caps the
// registers at what is then there (AStitch, ASPLOS 2022, 4.5). Where the assumption is too low, the
// cap makes the assembler spill. The kernel is then planned with that many registers more to spare: it
// keeps fewer rows in registers, or fewer of its blocks are resident.
#pragma once

#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "codegen/nvptx/assembler.h"
#include "codegen/nvptx/nvptx_compiler.h"
#include "plan/plan.h"
#include "stitch/machine.h"

namespace astitch {

// Makes a plan whose kernels, by number, need so many registers more than the planner assumes; kernels
// beyond the list need none.
using Replan = absl::FunctionRef<absl::StatusOr<Plan>(const std::vector<int64_t>& more_registers)>;

// What the assembler makes of one kernel's text.
using Assemble = absl::FunctionRef<absl::StatusOr<AssembledKernel>(const std::string& ptx)>;

// The plan with the fewest spilled bytes in every kernel among a few tries, PLAN first; its ledger has
// an entry for every kernel that was planned again. Never worse than PLAN. Errors: of the callbacks.
absl::StatusOr<Plan> FitRegisters(Plan plan, const MachineModel& machine,
                                  const NvptxOptions& options, Replan replan, Assemble assemble);

}  // namespace astitch
