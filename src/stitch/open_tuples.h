// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Tuples between instructions, as the planner wants them: every tuple that an instruction reads is made
// by a tuple instruction, so that steps exchange arrays only.
//
//   %b = (f32[], s32[4]) while(%a), ...      %b0 = get-tuple-element(%a), index=0
//                                        =>  %b1 = get-tuple-element(%a), index=1
//                                            %b = while(tuple(%b0, %b1)), ...
#pragma once

#include "ir/graph.h"

namespace astitch {

// Of the entry. REQUIRES: its parameters are arrays.
void OpenTuples(Graph& graph);

}  // namespace astitch
