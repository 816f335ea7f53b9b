// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Registers whose values are never needed at the same time share one.
//
// PTX names a register for every value, some thousand of them in a kernel, of which a lane needs a
// few dozen at a time. A warp's registers then fit in the first-level cache of the machine that
// simulates, and are made and filled in no time. What a program reads is the same as without: a
// register that may be read before it is written keeps its own, with the pattern of the unwritten.
#pragma once

#include "simt/machine/op.h"

namespace astitch::simt {

// Programs with calls stay as they are.
void ShareRegisters(Program& program);

}  // namespace astitch::simt
