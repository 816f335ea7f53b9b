// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The fusion rules of others, to compare with (AStitch, ASPLOS 2022, 1 and 2.2).
//
// none: a kernel an operation. Broadcasts, reshapes and iotas are views, as in every eager
// framework: evaluated by their readers, never stored unless somebody needs them in memory.
//
// tvm: an operation that is no reduction joins the kernel of its readers when all of them are in
// one; views move into all. What reads a reduction starts a kernel. An expensive operation before a
// broadcast is evaluated as often as the broadcast repeats it.
//
// xla (its rules of 2021): an operation that is no reduction moves into all its readers' kernels, or
// stays. It stays when it is expensive and would be evaluated more than once an element: behind a
// broadcast, or in several kernels; and when several kernels would each read its several operands.
// Then loops of one shape, or reductions of one kind, that read the same or one another are put side
// by side, as long as no path outside of them closes a cycle.
#pragma once

#include "stitch/fusion.h"
#include "stitch/scope_graph.h"

namespace astitch {

// REQUIRES: FUSION is a baseline, not kStitch.
Groups BaselineGroups(const ScopeGraph& scope, Fusion fusion);

}  // namespace astitch
