// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Figures that were not measured are left out rather than shown as zero.
#include "bench/bench_report.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "nlohmann/json.hpp"

namespace astitch {
namespace {

using Json = nlohmann::ordered_json;

double Ratio(double a, double b) { return b > 0 ? a / b : 0; }

}  // namespace

double BenchRow::TrafficOverBound() const {
  return Ratio(static_cast<double>(traffic_bytes), static_cast<double>(lower_bound_bytes));
}

double BenchRow::GigabytesPerSecond() const {
  return Ratio(static_cast<double>(traffic_bytes) / 1e6, run_ms.median);
}

double BenchRow::PredictedOverMeasured() const { return Ratio(predicted_ms, run_ms.median); }

std::vector<PredictionQuality> BenchReport::Predictions() const {
  std::vector<PredictionQuality> out;
  for (const BenchRow& row : rows) {
    const double ratio = row.PredictedOverMeasured();
    if (ratio <= 0) continue;
    auto of = std::find_if(out.begin(), out.end(),
                           [&](const PredictionQuality& q) { return q.fusion == row.fusion; });
    if (of == out.end()) {
      of = out.insert(out.end(), PredictionQuality{});
      of->fusion = row.fusion;
    }
    if (of->graphs == 0 || ratio < of->least) {
      of->least = ratio;
      of->least_graph = row.graph;
    }
    if (of->graphs == 0 || ratio > of->most) {
      of->most = ratio;
      of->most_graph = row.graph;
    }
    ++of->graphs;
    of->mean += std::log(ratio);
  }
  for (PredictionQuality& of : out) of.mean = std::exp(of.mean / static_cast<double>(of.graphs));
  return out;
}

std::string BenchReport::ToText() const {
  size_t width = 5;
  for (const BenchRow& row : rows) width = std::max(width, row.graph.size());
  std::string out = absl::StrFormat(
      "%-*s  fusion  kernels library  traffic MB  x bound  compile ms  "
      "median ms  min..max ms         GB/s  of copy  predicted ms  library  x measured\n",
      width, "graph");
  for (const BenchRow& row : rows) {
    absl::StrAppendFormat(
        &out,
        "%-*s  %-6s  %7d %7d  %10.2f  %7.2f  %10.1f  %9.3f  %-18s  %5.1f  %6.0f%%  %12.3f  %7.3f  "
        "%10.2f\n",
        width, row.graph, row.fusion, row.kernels, row.library_calls + row.reference_calls,
        row.traffic_bytes / 1e6, row.TrafficOverBound(), row.compile_ms, row.run_ms.median,
        absl::StrFormat("%.3f..%.3f", row.run_ms.min, row.run_ms.max), row.GigabytesPerSecond(),
        100 * Ratio(row.GigabytesPerSecond(), copy_gigabytes_per_second), row.predicted_ms,
        row.predicted_library_ms, row.PredictedOverMeasured());
  }
  absl::StrAppendFormat(&out, "copy: %.1f GB/s on %d threads, measured between the runs\n",
                        copy_gigabytes_per_second, threads);
  for (const PredictionQuality& of : Predictions()) {
    absl::StrAppendFormat(&out,
                          "%s: predicted over measured %.2f in the geometric mean of %d, from %.2f "
                          "(%s) to %.2f (%s)\n",
                          of.fusion, of.mean, of.graphs, of.least, of.least_graph, of.most,
                          of.most_graph);
  }
  return out;
}

std::string BenchReport::ToJson() const {
  Json out = {{"context",
               {{"schema_version", 1},
                {"num_cpus", threads},
                {"copy_gigabytes_per_second", copy_gigabytes_per_second}}}};
  Json& list = out["benchmarks"] = Json::array();
  for (const BenchRow& row : rows) {
    list.push_back({{"name", absl::StrCat(row.graph, "/", row.fusion)},
                    {"run_name", absl::StrCat(row.graph, "/", row.fusion)},
                    {"run_type", "iteration"},
                    {"iterations", row.repeats},
                    {"real_time", row.run_ms.median},
                    {"cpu_time", row.run_ms.median},
                    {"time_unit", "ms"},
                    {"min_time", row.run_ms.min},
                    {"max_time", row.run_ms.max},
                    {"graph", row.graph},
                    {"fusion", row.fusion},
                    {"compile_ms", row.compile_ms},
                    {"kernels", row.kernels},
                    {"library_calls", row.library_calls},
                    {"reference_calls", row.reference_calls},
                    {"traffic_bytes", row.traffic_bytes},
                    {"lower_bound_bytes", row.lower_bound_bytes},
                    {"traffic_over_bound", row.TrafficOverBound()},
                    {"gigabytes_per_second", row.GigabytesPerSecond()},
                    {"share_of_copy", Ratio(row.GigabytesPerSecond(), copy_gigabytes_per_second)},
                    {"predicted_ms", row.predicted_ms},
                    {"predicted_library_ms", row.predicted_library_ms},
                    {"predicted_over_measured", row.PredictedOverMeasured()}});
  }
  Json& predictions = out["predictions"] = Json::array();
  for (const PredictionQuality& of : Predictions()) {
    predictions.push_back({{"fusion", of.fusion},
                           {"graphs", of.graphs},
                           {"geometric_mean", of.mean},
                           {"least", of.least},
                           {"least_graph", of.least_graph},
                           {"most", of.most},
                           {"most_graph", of.most_graph}});
  }
  return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace astitch
