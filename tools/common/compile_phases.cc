// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Located diagnostics come from the graph; an option has no place.
#include "tools/common/compile_phases.h"

#include "base/status.h"

namespace astitch {

ExitCode CompileExitCode(const absl::Status& status) {
  if (status.ok()) return kExitOk;
  const bool option = absl::IsInvalidArgument(status) || absl::IsNotFound(status);
  return option && GetDiagnostics(status).empty() ? kExitUserError : kExitCompileFailure;
}

std::vector<TimedPhase> CompilePhases(double parse_ms, const TimeReport& times) {
  return {{"parse", parse_ms},
          {"passes", times.passes_ms},
          {"plan", times.plan_ms},
          {"codegen", times.codegen_ms},
          {"load", times.load_ms}};
}

}  // namespace astitch
