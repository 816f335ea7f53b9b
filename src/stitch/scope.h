// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Scope: cuts a graph into library calls and regions of memory-intensive operations, each region
// one kernel, by the rule of fusion that is asked for:
//
//   stitch_groups.h     maximal regions between library calls
//   baseline_groups.h   a kernel an operation; the fusions of XLA and of TVM
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "stitch/fusion.h"
#include "stitch/library_calls.h"
#include "stitch/machine.h"

namespace astitch {

// Operations that become one kernel.
struct Region {
  std::vector<const Instruction*> values;  // computed in it, operands first
  std::vector<const Instruction*> inputs;  // read by it, in order of first use: arrays from memory
  std::vector<const Instruction*>
      outputs;  // read after it, or results of the graph; in graph order
  std::string name;
  // Why it stands alone, when it does: a ledger reason; empty for an ordinary region.
  std::string solo_reason;
};

struct ScopeStep {
  const Instruction* library = nullptr;  // a library or reference call, or
  Region region;                         // a region
};

// The steps in an order that respects every dependence. CALLS: what library calls do beside their
// products; null: nothing. Errors: an instruction that no step can
// run, by name and position. REQUIRES: calls are inlined; tuples are open (open_tuples.h).
absl::StatusOr<std::vector<ScopeStep>> FindScope(const Graph& graph, Fusion fusion,
                                                 const LibraryCalls* calls,
                                                 const MachineModel& machine);

// Result arrays of the graph: the root, or the elements of the tuple at the root.
std::vector<const Instruction*> GraphResults(const Graph& graph);

// A scalar constant, which kernels hold as an immediate.
bool IsImmediate(const Instruction& instruction);

}  // namespace astitch
