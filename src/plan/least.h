// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The least that any plan with the same library calls needs: what a plan can be measured against.
//
//   kernels   one between two ranks of library calls, where the rank of a call is the number of calls
//             on the longest path to it: nothing else keeps operations apart
//   bytes     what enters and leaves those kernels: arrays of the graph's parameters, of library calls
//             and of other ranks, each once a rank
#pragma once

#include <cstdint>

#include "plan/plan.h"

namespace astitch {

struct LeastPlan {
  int64_t kernels = 0, bytes = 0;
};
LeastPlan LeastOf(const Plan& plan);

}  // namespace astitch
