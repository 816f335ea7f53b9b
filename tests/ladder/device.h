// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A program for a GPU, run on the simulated device as often as a test likes, as it is or with other
// PTX.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "artifact/executable_image.h"
#include "astitch/graph.h"
#include "astitch/literal.h"
#include "runtime/simt/simulated_device.h"

namespace astitch::testing {

struct Program {
  std::shared_ptr<const Graph> graph;
  ExecutableImage image;
  std::vector<Literal> arguments;
  std::vector<Literal> expected;  // the interpreter's; arrays, in order of outputs
  // Of all that was run of this program and its copies; a copy with other PTX has better its own.
  std::shared_ptr<DecodedKernels> kernels = std::make_shared<DecodedKernels>();
};

struct Outcome {
  absl::Status status;  // of loading, else of the last run
  std::vector<Literal> outputs;
  std::vector<SimulatedStep> log;
};

// Arguments are those of InputsOf (tests/random/differential.h).
absl::StatusOr<Program> CompileProgram(const std::string& hlo, const std::string& target,
                                       const std::string& fusion);
// Floats all different from one another, in rows that rise or fall: the greatest is the first, the
// last, or somewhere between. What is lost is missed.
std::vector<Literal> DistinctArguments(const Graph& graph);

// RUNS one after the other on one loaded program: the barrier's state is what the last one left.
Outcome RunProgram(const Program& program, SimulatorOptions options, int runs = 1);

// Empty when OUTCOME is without a report and gives what the interpreter gives.
std::string Fault(const Program& program, const Outcome& outcome);

}  // namespace astitch::testing
