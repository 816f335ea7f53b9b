// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Whether the bodies an instruction calls take what it passes and return what it needs: reducers,
// comparators, loop conditions and bodies, branches, fused computations.
#pragma once

#include "absl/status/status.h"
#include "ir/graph.h"

namespace astitch {

// Errors are InvalidArgument, "expected X, got Y", without a position.
// REQUIRES: CheckPrintedShape has accepted the instruction, so the bodies are there and have roots.
absl::Status CheckCalledSignatures(const Instruction& instruction);

}  // namespace astitch
