// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Library calls of a plan as steps of the runtime.
#pragma once

#include "absl/status/statusor.h"
#include "artifact/step.h"
#include "plan/plan.h"

namespace astitch {

// A dot as a step of the runtime, between three buffers of its own: what CanRunMatmul is asked
// about. Error: an element type that no library step has.
absl::StatusOr<MatmulStep> MakeMatmulStep(const DotCall& call);
// A convolution likewise. Error: base dilation or reversal, which the library does not take.
absl::StatusOr<ConvolutionStep> MakeConvolutionStep(const Instruction& convolution);

}  // namespace astitch
