// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One kernel of a plan as one LLVM function: phases, tasks, tiles and stages, for any target.
//
// The plan has decided; this only spells it. What a plan says wrongly (a map that does not fit, a
// register read from another row, a slot that is too small) is an error, not a wrong kernel.
#pragma once

#include "absl/status/status.h"
#include "codegen/common/kernel_target.h"
#include "codegen/common/target_traits.h"

namespace astitch::codegen {

// Adds the function PLAN.name to MODULE.
absl::Status EmitKernel(const KernelPlan& plan, const TargetTraits& traits, llvm::Module& module,
                        KernelTarget& target);

}  // namespace astitch::codegen
