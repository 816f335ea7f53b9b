// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Scope: cuts a graph into library calls and maximal regions of memory-intensive operations
// (AStitch, ASPLOS 2022, 4.1).
//
//   rank 0 region ──> dot ──> rank 1 region ──> dot ──> rank 2 region
//
// The rank of an instruction is the number of library calls (and of operations that need a kernel
// of their own) on the longest path to it. Operations of one rank cannot wait for each other
// through a library call, so a region of one rank never closes a cycle. Within a rank, operations
// that share data belong together; independent ones stay apart. An operation moves to a later rank
// when all its readers are there: it then meets them in registers and is never stored.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph.h"

namespace astitch {

// Operations that become one stitched kernel.
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
  const Instruction* library = nullptr;  // a library call, or
  Region region;                         // a region
};

struct ScopeOptions {
  bool one_kernel_per_op =
      false;  // the unfused baseline: every operation that computes is a region of its own
};

// The steps in an order that respects every dependence. Errors: an instruction that no stage can
// run, by name and position. REQUIRES: calls are inlined; tuples appear at the root and as results
// of variadic operations only.
absl::StatusOr<std::vector<ScopeStep>> FindScope(const Graph& graph, const ScopeOptions& options);

// Result arrays of the graph: the root, or the elements of the tuple at the root.
std::vector<const Instruction*> GraphResults(const Graph& graph);

// A scalar constant, which kernels hold as an immediate.
bool IsImmediate(const Instruction& instruction);

}  // namespace astitch
