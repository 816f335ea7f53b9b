// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Figures of the cost model that a machine file may leave out, derived from those that it has: lanes by
// architecture, caches by clock and number of cores. docs/machines.md lists them.
#pragma once

#include "stitch/machine.h"

namespace astitch {

// Sets what MACHINE.sources does not know, and its source to "default: ...".
void FillDefaults(MachineModel& machine);

}  // namespace astitch
