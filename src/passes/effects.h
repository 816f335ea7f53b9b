// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What an instruction does besides giving a value: the question of every pass that removes or
// merges.
#pragma once

#include "ir/graph.h"

namespace astitch {

// Talks to the host or changes state, itself or in a computation it calls: stays even when unused.
bool HasSideEffect(const Instruction& instruction);

// Two equal ones give the same value: no side effect, not random, not opaque, no other device.
bool IsPure(const Instruction& instruction);

}  // namespace astitch
