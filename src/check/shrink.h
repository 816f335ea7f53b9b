// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Makes a failing graph small: fewer results, values replaced by parameters or by their operands,
// as long as it still fails.
#pragma once

#include <memory>

#include "absl/functional/function_ref.h"
#include "ir/graph.h"

namespace astitch {

// A graph for which FAILS holds, no larger than GRAPH, for which it holds as well.
std::unique_ptr<Graph> Shrink(const Graph& graph, absl::FunctionRef<bool(const Graph&)> fails);

}  // namespace astitch
