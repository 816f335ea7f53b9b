// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The host as a MachineModel, read off the machine: cores this process may use, caches, vector
// width.
#pragma once

#include "stitch/machine.h"

namespace astitch {

// Never fails: what the system does not tell keeps a usual value. WORKERS > 0 overrides the number
// of cores.
MachineModel DetectHost(int workers = 0);

}  // namespace astitch
