// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// From a parsed kernel to a program that runs: functions linked, variables laid out, every
// instruction a function and its operands.
//
// Registers are given out for good, a call's too, since PTX functions of the subset do not recurse;
// so a call is a jump that leaves a return address in a register of each lane.
#pragma once

#include "absl/status/statusor.h"
#include "simt/machine/op.h"
#include "simt/ptx/module.h"

namespace astitch::simt {

// Errors are located: an instruction or modifier that is not known, a call that recurses or has no
// body.
absl::StatusOr<Program> Decode(const Module& module, const Function& kernel);

}  // namespace astitch::simt
