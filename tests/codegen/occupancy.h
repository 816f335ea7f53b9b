// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What the assembler says of a kernel against what the planner assumed when it chose the launch.
#pragma once

#include <string>

#include "codegen/nvptx/nvptx_compiler.h"
#include "plan/kernel_plan.h"
#include "stitch/machine.h"

namespace astitch::testing {

// Empty when the text assembles without spills and as many blocks fit on an SM as PLAN counts on.
std::string CheckOccupancy(const KernelPlan& plan, const PtxKernel& ptx,
                           const MachineModel& machine);

}  // namespace astitch::testing
