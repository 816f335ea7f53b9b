// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The stitching rule of scopes (AStitch, ASPLOS 2022, 4.1): maximal regions between library calls.
//
//   rank 0 region ──> dot ──> rank 1 region ──> dot ──> rank 2 region
//
// The rank of an instruction is how often the longest path to it passes library calls, one or several
// in a row, or an operation that needs a kernel of its own. Operations of one rank cannot wait for
// each other through a library call, so a region of one rank never closes a cycle. An operation moves
// to a later rank when all its readers are there: it then meets them in registers and is never stored.
// Within a rank, operations that share data belong together, and independent ones share a launch
// (remote stitching), as far as a kernel's operations and parameters go.
#pragma once

#include "stitch/machine.h"
#include "stitch/scope_graph.h"

namespace astitch {

Groups StitchGroups(const ScopeGraph& scope, const MachineModel& machine);

}  // namespace astitch
