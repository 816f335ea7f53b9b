// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Runs a loaded executable on aligned buffers in the entry's layouts, and converts from and to
// logical arrays outside the timed part.
#pragma once

#include <memory>
#include <vector>

#include "astitch/executable.h"
#include "tools/common/execution.h"

namespace astitch {

// EXECUTABLE outlives the execution. INPUTS and OUTPUTS are the shapes of its buffers, as
// EntryInputShapes and EntryOutputShapes give them for the graph as it was read. Outputs are
// allocated and touched here, so that no run pays for page faults.
std::unique_ptr<Execution> MakeHostExecution(const Executable& executable,
                                             std::vector<Shape> inputs, std::vector<Shape> outputs);

}  // namespace astitch
