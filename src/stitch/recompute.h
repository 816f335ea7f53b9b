// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What a later kernel had better compute again than read: values made of a few simple operations from
// memory that is there anyway, and that is no larger than they are. To store them would be a write
// that brings nothing.
#pragma once

#include <vector>

#include "stitch/machine.h"
#include "stitch/scope_graph.h"

namespace astitch {

// By id: whether an operation may be evaluated where it is read: it is no reduction, no result of the
// graph, and nobody needs it in memory.
bool MayEvaluateAtReaders(const ScopeGraph& scope, const Instruction* i);

// By id: whether computing the value again from memory is predicted to be cheaper than to store and read it.
std::vector<bool> CheapFromMemory(const ScopeGraph& scope, const MachineModel& machine);

}  // namespace astitch
