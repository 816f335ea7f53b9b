// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A graph made ready to run on one target, on logical row-major arrays, whatever the target's
// buffers look like.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "astitch/literal.h"
#include "ir/graph.h"

namespace astitch {

class Execution {
 public:
  virtual ~Execution() = default;
  // One array a leaf of the entry's parameters, as EntryInputShapes lists them.
  virtual absl::Status SetInputs(std::vector<Literal> inputs) = 0;
  // The part that is worth timing. REQUIRES: inputs are set.
  virtual absl::Status Run() = 0;
  // The array leaves of the last run's result.
  virtual std::vector<Literal> Outputs() const = 0;
};

// Runs on the interpreter. REQUIRES: GRAPH is verified and outlives the execution.
std::unique_ptr<Execution> MakeInterpreterExecution(const Graph& graph);

}  // namespace astitch
