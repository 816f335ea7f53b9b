// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A short pass list of our own: loops are emitted vectorised, values once and where they belong, so
// what is left is to turn stack slots into registers and to fold arithmetic. A kernel takes
// milliseconds.
#pragma once

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace astitch::codegen {

struct OptimizeOptions {
  // Loop-invariant code motion beyond what emission has done. Off on GPUs, where it would hold a
  // row's worth of weights in registers from task to task.
  bool hoist = true;
};

void Optimize(llvm::Module& module, llvm::TargetMachine& machine, const OptimizeOptions& options);

}  // namespace astitch::codegen
