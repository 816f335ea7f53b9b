// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Reference calls of a plan as steps of an image: one instruction, with the computations it calls, as
// a small module of HLO text.
//
//   reference %order          HloModule order
//                       =>    ENTRY order { p0 = f32[8] parameter(0)  order = f32[8] sort(p0), ...
//                                           ROOT results = (f32[8]) tuple(order) }
#pragma once

#include "absl/status/statusor.h"
#include "artifact/step.h"
#include "ir/graph.h"

namespace astitch {

// Without the ranges of its buffers, and as if nothing had drawn random numbers before. Error: a
// constant whose values are elided.
absl::StatusOr<ReferenceStep> MakeReferenceStep(const Instruction& instruction);

}  // namespace astitch
