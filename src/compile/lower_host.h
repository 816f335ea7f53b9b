// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A host plan to an executable image: kernels to object code, library calls to steps, constants to
// bytes.
#pragma once

#include "absl/status/statusor.h"
#include "artifact/executable_image.h"
#include "compile/entry_layout.h"
#include "plan/plan.h"

namespace astitch {

struct HostLowering {
  ExecutableImage image;
  std::string ir, assembly;  // with keep_texts
};

absl::StatusOr<HostLowering> LowerForHost(const Plan& plan, const EntrySpecs& specs,
                                          bool keep_texts);

// A dot as a step of the runtime, between three buffers of its own: what CanRunMatmul is asked
// about. Error: an element type that no library step has.
absl::StatusOr<MatmulStep> MakeMatmulStep(const DotCall& call);
// A convolution likewise. Error: base dilation or reversal, which the library does not take.
absl::StatusOr<ConvolutionStep> MakeConvolutionStep(const Instruction& convolution);

}  // namespace astitch
