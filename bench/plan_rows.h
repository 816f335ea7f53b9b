// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Plans compared without running them: kernels and planned bytes, beside the least that dependences
// between library calls allow.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/graph.h"

namespace astitch {

struct PlanRow {
  std::string graph, fusion;
  int64_t kernels = 0, library_calls = 0, reference_calls = 0;
  int64_t bytes = 0, bound_bytes = 0;  // planned; each kernel's inputs and outputs once
  int64_t least_kernels = 0, least_bytes = 0;
  double predicted_kernels_us = 0, predicted_others_us = 0;  // by the cost model
  double plan_ms = 0;
};

// TARGET as in CompileOptions.
absl::StatusOr<PlanRow> PlanGraph(const Graph& graph, const std::string& target,
                                  const std::string& fusion);

std::string PlanTable(absl::Span<const PlanRow> rows);
std::string PlanRowsJson(absl::Span<const PlanRow> rows, const std::string& target);

}  // namespace astitch
