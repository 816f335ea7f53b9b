// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The benchmark's results as a table for people and as JSON in Google Benchmark's form, so that its
// compare.py reads it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/common/stopwatch.h"

namespace astitch {

struct BenchRow {
  std::string graph, fusion;
  int64_t kernels = 0, library_calls = 0, reference_calls = 0;
  int64_t traffic_bytes = 0;  // of the plan's kernels, by its own count
  // Each input and output of a kernel once, in the plan of the graph for which that is least: so a
  // plan of many kernels is seen to be over it.
  int64_t lower_bound_bytes = 0;
  double compile_ms = 0;
  // By the cost model: all steps, and the library calls and copies among them.
  double predicted_ms = 0, predicted_library_ms = 0;
  Spread run_ms;
  int64_t repeats = 0;

  double TrafficOverBound() const;
  // Bytes of the plan's kernels over the median time of the whole run; library calls take time and
  // add no bytes, so it means most where there are none.
  double GigabytesPerSecond() const;
  double PredictedOverMeasured() const;
};

// How well the cost model predicts the graphs of one fusion.
struct PredictionQuality {
  std::string fusion;
  int64_t graphs = 0;
  double mean = 0;  // geometric, of predicted over measured
  // The most that is predicted too short, and too long.
  double least = 0, most = 0;
  std::string least_graph, most_graph;
};

struct BenchReport {
  int threads = 0;
  double copy_gigabytes_per_second = 0;  // measured between the runs; 0: not measured
  std::vector<BenchRow> rows;

  // By fusion, in the order of the rows.
  std::vector<PredictionQuality> Predictions() const;
  std::string ToText() const;
  std::string ToJson() const;
};

}  // namespace astitch
