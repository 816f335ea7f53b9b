// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Which library steps the host's libraries take, for the compiler to ask before it plans one. OK,
// or Unimplemented with the reason: then the operation is a kernel of ours.
//
// The answer depends on the CPU that asks, so an image made on another machine is asked again when
// it is loaded.
#pragma once

#include "absl/status/status.h"
#include "artifact/step.h"

namespace astitch {

absl::Status CanRunMatmul(const MatmulStep& step);
absl::Status CanRunConvolution(const ConvolutionStep& step);

}  // namespace astitch
