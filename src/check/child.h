// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Runs code in a child process, so that a crash, a hang or a broken promise of the code under test
// is a result like any other, and can be shrunk.
#pragma once

#include <string>

#include "absl/functional/function_ref.h"

namespace astitch {

// What CODE returned, or "crash: ..." or "hang: ..." with the reason.
// REQUIRES: this process has no threads (it never runs an executable itself).
std::string RunInChild(absl::FunctionRef<std::string()> code, int limit_seconds);

}  // namespace astitch
