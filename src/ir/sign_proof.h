// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Values whose sign the graph gives away, so that a function of them may take the half of its
// domain that is cheaper.
#pragma once

#include "ir/graph.h"

namespace astitch {

// True when no element of VALUE is above zero, NaN aside, whatever the inputs: x minus the maximum
// of a slice that x lies in (the exponent of softmax and logsumexp), or -|x|. False: not known.
bool IsNeverPositive(const Instruction& value);

}  // namespace astitch
