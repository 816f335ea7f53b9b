// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A tensor program as a user holds it: made from HLO text here, or call by call with GraphBuilder.
//
//   absl::StatusOr<GraphPtr> graph = ParseGraph(hlo_text);
//   if (!graph.ok()) ... graph.status() names line and column ...
//
// A Graph is opaque, verified, and safe to read from several threads at once.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "astitch/shape.h"

namespace astitch {

class Graph;

struct GraphDeleter {
  void operator()(Graph* graph) const;
};
using GraphPtr = std::unique_ptr<Graph, GraphDeleter>;

// Reads one HLO module and verifies it. Errors are InvalidArgument with the position in the text.
absl::StatusOr<GraphPtr> ParseGraph(absl::string_view hlo_text);

// HLO text that ParseGraph reads back.
std::string GraphToText(const Graph& graph);

// The arrays an executable takes and gives, tuples flattened to leaves in order; the layouts are
// those of entry_computation_layout where the text has one.
std::vector<Shape> ParameterShapes(const Graph& graph);
std::vector<Shape> ResultShapes(const Graph& graph);

}  // namespace astitch
