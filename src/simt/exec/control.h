// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Control flow that the decoder puts together itself, since it needs the layout of the program.
#pragma once

#include <cstdint>

#include "simt/machine/op.h"

namespace astitch::simt {

Op MakeBranch();         // imm: the target
Op MakeBranchIndexed();  // src 0: the index; imm: the table
// A call puts the return address into register BACK of each lane, a return reads it there.
Op MakeCall(int32_t back);
Op MakeReturn(int32_t back);
Op MakeExit();
// Between a caller's and a function's .param variables; FROM and TO are constants.
Op MakeCopyParameter(int32_t from, int32_t to, int64_t bytes);
// Clocks change while a warp runs; they are read anew before each use.
Op MakeReadDynamic(int32_t reg, Special special);

}  // namespace astitch::simt
