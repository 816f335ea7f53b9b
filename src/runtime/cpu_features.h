// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Whether this CPU has what an image was compiled for. Code for another CPU would not fail with an
// error but with a signal.
#pragma once

#include <string>
#include <vector>

#include "absl/status/status.h"

namespace astitch {

// FEATURES in LLVM's words. FailedPrecondition names those that are missing; a word that this list
// does not know counts as missing.
absl::Status CheckCpuFeatures(const std::vector<std::string>& features);

}  // namespace astitch
