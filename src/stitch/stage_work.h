// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// StageWork: what each stage of a kernel has to do, by its plan alone: operations, bytes, accesses.
//
//   stage 1   store %p = exp(%x - %m) / %s      operations   24 an element of %p, and what loads take
//             %x: kept, 8 MB                    moved        of %x nothing, of %p 8 MB
//             %s: one a row                     operations   a division by it is one an element
//
// An operation counts as often as its stage evaluates it: a value with one element a row is evaluated
// once a row, by each of the threads (or lanes) that share it. How long it all takes: cost.h.
#pragma once

#include <vector>

#include "plan/kernel_plan.h"
#include "stitch/machine.h"

namespace astitch {

struct StageWork {
  double operations = 0;  // of one lane; an addition of f32 is 1
  // Bytes of arrays in memory that the stage is the first of its phase to read, that it reads once
  // more, and that it writes; each element once.
  double first_bytes = 0, again_bytes = 0, written_bytes = 0;
  double moved_bytes = 0;      // of arrays in memory, as often as blocks or workers ask for them
  double slot_bytes = 0;       // into and out of shared or tile memory
  double search_rounds = 0;    // of looking at other rows of a scatter, by one row, one by one
  bool folds_columns = false;  // threads of a row have to exchange what they folded
};

// By phase and stage.
std::vector<std::vector<StageWork>> WorkOf(const KernelPlan& kernel, const MachineModel& machine);

}  // namespace astitch
