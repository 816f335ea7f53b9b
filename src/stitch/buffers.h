// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Buffers: memory for every value that crosses steps: the caller's inputs and outputs, constants,
// and an arena whose slots are reused when the last reader of a value has run.
#pragma once

#include "plan/plan.h"

namespace astitch {

// Fills plan.buffers and plan.arena_bytes from plan.steps, and appends copies for results that no
// step writes (an input or a constant that is a result, one value at two places of the result).
void AssignBuffers(Plan& plan);

}  // namespace astitch
