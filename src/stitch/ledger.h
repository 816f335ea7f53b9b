// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The lines of the ledger that follow from a plan as it was decided: one for every edge of the graph.
// What the planner's steps choose on the way, of one value, they write themselves.
#pragma once

#include <string>

#include "plan/plan.h"
#include "stitch/library_calls.h"
#include "stitch/region_info.h"

namespace astitch {

// Edges along which KERNEL, of this region, reads.
void AddKernelEdges(const RegionInfo& info, const KernelPlan& kernel, const LibraryCalls& calls,
                    std::string solo_reason, Plan& plan);

// Edges into a library call, from the arrays that it reads; what it does beside its product.
void AddCallEdges(const DotCall& call, Plan& plan);
void AddCallEdges(const Instruction& call, Plan& plan);
// Edges into an instruction that the interpreter evaluates, through the tuples that it reads.
void AddReferenceEdges(const Instruction& call, Plan& plan);

// The edges that no step reads along, when all steps are there: into the result, to other names of
// the same memory, between what a library call does on the way; and the epilogues that are declined.
void AddOtherEdges(const LibraryCalls& calls, Plan& plan);

}  // namespace astitch
