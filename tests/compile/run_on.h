// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A graph compiled and run, on the host or on a simulated GPU.
#pragma once

#include <vector>

#include "artifact/executable_image.h"
#include "astitch/compile.h"
#include "base/status.h"
#include "check/guarded_run.h"
#include "runtime/simt/simulated_device.h"

namespace astitch {

inline absl::StatusOr<std::vector<Literal>> RunOn(const Graph& graph,
                                                  absl::Span<const Literal> inputs,
                                                  const CompileOptions& options) {
  ASTITCH_ASSIGN_OR_RETURN(const std::unique_ptr<Compiled> compiled, Compile(graph, options));
  if (options.target == "host")
    return RunGuarded(graph, *compiled->executable(), inputs, Place::kAtEnd);
  ASTITCH_ASSIGN_OR_RETURN(ExecutableImage image, compiled->GpuImage());
  ASTITCH_ASSIGN_OR_RETURN(const SimulatedExecutable loaded, LoadOnSimulator(std::move(image)));
  return RunGuarded(graph, *loaded.executable, inputs, Place::kAtEnd);
}

}  // namespace astitch
