// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What every tool that compiles says about a compilation: its exit code and its times.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "astitch/compile.h"
#include "tools/common/cli.h"
#include "tools/common/time_report.h"

namespace astitch {

// A faulty option is the user's; a place in the graph, or anything else, is a failed compilation.
ExitCode CompileExitCode(const absl::Status& status);

// parse, passes, plan, codegen, load.
std::vector<TimedPhase> CompilePhases(double parse_ms, const TimeReport& times);

}  // namespace astitch
