// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What the interpreter knows about a computation before running it: which instructions the root
// needs, and who is the last to read each value.
//
// The last reader takes the value instead of sharing it. A value that only one holds is changed in
// place, so a dynamic-update-slice on the state of a loop writes its slice and copies nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/graph.h"

namespace astitch::interp {

struct Schedule {
  struct Step {
    const Instruction* instruction = nullptr;
    std::vector<bool> takes;  // by operand: this is its last reader
    // get-tuple-element: the last one to read this element of a tuple that only such instructions
    // read, so the element may leave the tuple before the others are read.
    bool takes_element = false;
  };
  std::vector<Step> steps;  // in program order
};

// Instructions that the root does not need are left out, but for those that speak to the host.
Schedule MakeSchedule(const Computation& computation);

}  // namespace astitch::interp
