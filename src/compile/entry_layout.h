// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The entry's physical form: arguments and results as they lie in the caller's memory.
//
//   entry_computation_layout={(f32[2,3]{0,1})->...}      %x = f32[2,3] parameter(0)
//     =>  %x.physical = f32[3,2] parameter(0)    %x = f32[2,3] transpose(%x.physical),
//     dimensions={1,0}
//
// Inside a graph every value is row-major. A parameter or result that the caller lays out otherwise
// becomes an array of its physical dimensions and a transpose, which the planner folds into the
// kernels that read or write it.
#pragma once

#include <vector>

#include "absl/status/statusor.h"
#include "astitch/tensor_spec.h"
#include "ir/graph.h"

namespace astitch {

struct EntrySpecs {
  std::vector<TensorSpec> inputs, outputs;
  std::vector<InputOutputAlias> aliases;  // of the module, leaves by number
};

// Gives GRAPH an entry whose parameters are arrays: one that has tuples is called by a new entry, which builds them. The
// numbers of donated parameters in the header follow. Runs before calls are inlined.
void FlattenParameters(Graph& graph);

// Rewrites GRAPH's entry and says what the caller sees. Errors: a parameter or result that is no
// array or tuple of arrays, or has dynamic dimensions.
absl::StatusOr<EntrySpecs> ApplyEntryLayout(Graph& graph);

}  // namespace astitch
