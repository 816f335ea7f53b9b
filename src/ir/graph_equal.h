// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Structural equality of graphs, names included: the same computations with the same instructions
// in the same program order, shapes and layouts, attributes, annotations and header.
#pragma once

#include "absl/status/status.h"
#include "ir/graph.h"

namespace astitch {

struct GraphEqualOptions {
  bool metadata = true;  // metadata, stack frames; text without them drops both
};

// OK, or the first difference in words. Positions in the text and the order of computations do not
// count.
absl::Status GraphsEqual(const Graph& a, const Graph& b, const GraphEqualOptions& options = {});

}  // namespace astitch
