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

}  // namespace astitch
