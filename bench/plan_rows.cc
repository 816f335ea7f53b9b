// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One plan a row; the last line is of all graphs of a fusion.
#include "bench/plan_rows.h"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "astitch/compile.h"
#include "base/status.h"

namespace astitch {

absl::StatusOr<PlanRow> PlanGraph(const Graph& graph, const std::string& target,
                                  const std::string& fusion) {
  CompileOptions options;
  options.target = target;
  options.fusion = fusion;
  options.plan_only = true;
  ASTITCH_ASSIGN_OR_RETURN(const std::unique_ptr<Compiled> compiled, Compile(graph, options));
  const PlanSummary summary = compiled->Summary();
  PlanRow row;
  row.fusion = fusion;
  row.kernels = summary.kernels;
  row.library_calls = summary.library_calls;
  row.reference_calls = summary.reference_calls;
  row.bytes = summary.bytes_read + summary.bytes_written;
  row.bound_bytes = summary.bytes_bound;
  row.least_kernels = summary.least_kernels;
  row.least_bytes = summary.least_bytes;
  row.predicted_kernels_us = summary.predicted_kernels_us;
  row.predicted_others_us = summary.predicted_others_us;
  row.plan_ms = compiled->times().plan_ms;
  return row;
}

std::string PlanTable(absl::Span<const PlanRow> rows) {
  struct Total {
    double log_over = 0, kernels = 0, graphs = 0, kernels_us = 0, others_us = 0;
  };
  std::map<std::string, Total> totals;
  std::string out = absl::StrFormat("%-32s %-7s %7s %6s %7s %11s %11s %7s %12s %10s %9s\n", "graph",
                                    "fusion", "kernels", "least", "library", "traffic MB",
                                    "least MB", "x least", "predicted us", "library us", "plan ms");
  for (const PlanRow& row : rows) {
    const double over = row.least_bytes == 0
                            ? 1
                            : static_cast<double>(row.bytes) / static_cast<double>(row.least_bytes);
    absl::StrAppend(
        &out, absl::StrFormat("%-32s %-7s %7d %6d %7d %11.2f %11.2f %7.2f %12.1f %10.1f %9.2f\n",
                              row.graph, row.fusion, row.kernels, row.least_kernels,
                              row.library_calls + row.reference_calls, row.bytes / 1e6,
                              row.least_bytes / 1e6, over, row.predicted_kernels_us,
                              row.predicted_others_us, row.plan_ms));
    Total& total = totals[row.fusion];
    total.log_over += std::log(over);
    total.kernels += static_cast<double>(row.kernels);
    total.graphs += 1;
    total.kernels_us += row.predicted_kernels_us;
    total.others_us += row.predicted_others_us;
  }
  for (const auto& [fusion, total] : totals) {
    absl::StrAppend(
        &out, absl::StrFormat("%s: %.2f kernels a graph, traffic %.3f of the least in "
                              "the geometric mean of %d; predicted: kernels %.1f us, "
                              "libraries %.1f us in all\n",
                              fusion, total.kernels / total.graphs,
                              std::exp(total.log_over / total.graphs),
                              static_cast<int>(total.graphs), total.kernels_us, total.others_us));
  }
  return out;
}

std::string PlanRowsJson(absl::Span<const PlanRow> rows, const std::string& target) {
  nlohmann::ordered_json out = {{"target", target}, {"plans", nlohmann::ordered_json::array()}};
  for (const PlanRow& row : rows) {
    out["plans"].push_back({{"graph", row.graph},
                            {"fusion", row.fusion},
                            {"kernels", row.kernels},
                            {"least_kernels", row.least_kernels},
                            {"library_calls", row.library_calls},
                            {"reference_calls", row.reference_calls},
                            {"bytes", row.bytes},
                            {"bound_bytes", row.bound_bytes},
                            {"least_bytes", row.least_bytes},
                            {"predicted_kernels_us", row.predicted_kernels_us},
                            {"predicted_others_us", row.predicted_others_us},
                            {"plan_ms", row.plan_ms}});
  }
  return out.dump(1) + "\n";
}

}  // namespace astitch
