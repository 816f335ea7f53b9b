// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Turning: phases of a GPU in which memory runs along the rows of the phase for some arrays, along
// the columns for others. Lanes follow memory on both sides, and what is needed on the other side
// goes through a slot of shared memory.
//
//   stage 0, lanes along rows       x is read, %t = transpose(x) goes to its slot
//   stage 1, lanes along columns    %t is read from the slot, y from memory; the result is stored
//
// Where everything runs along the rows there is nothing to turn, but a row's columns are shared by
// several threads all the same.
#pragma once

#include "stitch/machine.h"
#include "stitch/phases.h"
#include "stitch/region_info.h"

namespace astitch {

// Rewrites the phases of DRAFT whose memory runs along rows: their stages' lanes, and stages and
// homes for what is turned.
void TurnPhases(const RegionInfo& info, const MachineModel& machine, KernelDraft& draft);

}  // namespace astitch
