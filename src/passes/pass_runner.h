// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Runs passes by name over a graph: verified before the first and after each that changed it,
// dumped when asked, every error with the name of its pass.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "base/dump.h"
#include "ir/graph.h"
#include "passes/registry.h"

namespace astitch {

struct PassRunnerOptions {
  bool verify = true;
  // Gets NAME.hlo for each pass that changed the graph; may be null.
  Dumper* dumper = nullptr;
  // Called after each pass, changed or not, when it is set.
  std::function<void(absl::string_view pass, const Graph& graph, bool changed)> after_pass =
      nullptr;
};

// A group stands for several passes, which run in turn until a whole round changes nothing.
//     simplify    the local simplifications, constant folding, cse and dce
struct PassGroup {
  absl::string_view name;
  absl::string_view description;
  std::vector<std::string> passes;
  int max_rounds;
};
const std::vector<PassGroup>& PassGroups();

// NAMES are passes or groups. True when the graph changed.
absl::StatusOr<bool> RunPasses(Graph& graph, absl::Span<const std::string> names,
                               const PassRunnerOptions& options = {});

// What every compilation runs: afterwards inner shapes are row-major, calls are inlined, and no
// simplification applies any more.
std::vector<std::string> StandardPipeline();

}  // namespace astitch
