// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Runs the kernels of a plan on this machine and compares them with the interpreter.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "astitch/literal.h"
#include "plan/plan.h"

namespace astitch::testing {

struct RunOptions {
  int workers = 1;
  bool misalign = false;  // buffers start on their element's alignment and no better
};

// A plan's text: its lines, "graph", HLO text. Lines without "plan" and "target" get them.
absl::StatusOr<Plan> PlanFromText(const std::string& text);
// The planner's own plan for this machine, kernels split for WORKERS.
absl::StatusOr<Plan> PlanOf(const std::string& hlo, int workers);

// How StorePlan sweeps.
struct StoreSweep {
  int32_t vector = 1, unroll = 1;
  bool rows = false;         // the first dimension is the rows, else all are columns
  bool vector_rows = false;  // lanes along rows
};

// One kernel with a stage an output, which stores it: nothing is reduced or kept.
Plan StorePlan(std::unique_ptr<Graph> graph, const StoreSweep& sweep);

// Arguments of the entry computation: small numbers of every sign, always the same for a SEED.
std::vector<Literal> RandomArguments(const Graph& graph, uint64_t seed);

// The leaves of the result. Errors: compilation, loading, a write outside a buffer.
absl::StatusOr<std::vector<Literal>> RunOnHost(const Plan& plan,
                                               absl::Span<const Literal> arguments,
                                               const RunOptions& options);

// Empty when the plan's results are the interpreter's (within each type's tolerance), else what is
// wrong.
std::string Check(const Plan& plan, const RunOptions& options, uint64_t seed = 1);

}  // namespace astitch::testing
