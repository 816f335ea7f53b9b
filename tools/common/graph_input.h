// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The first thing every tool does: read a graph, check it, and see to its elided constants.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "ir/graph.h"
#include "tools/common/cli.h"

namespace astitch {

struct GraphInput {
  Source source;  // filled before anything can fail, for Fail()
  std::unique_ptr<Graph> graph;
  double parse_ms = 0;  // parsing and verifying
};

// Reads HLO text from PATH ("-" is standard input). ELIDED is the flag's text: "", "zeros", "ones",
// "random:SEED". INPUT is filled as far as it went.
absl::Status ReadGraph(const std::string& path, const std::string& elided, GraphInput& input);
// The two halves of it: the text alone, and the graph of a text that was read.
absl::Status ReadSource(const std::string& path, Source& source);
absl::Status ParseSource(const std::string& elided, GraphInput& input);

// Adds --elided with its words.
void AddElidedFlag(CLI::App& app, std::string& elided);

}  // namespace astitch
