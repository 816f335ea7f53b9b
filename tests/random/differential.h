// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One graph, two ways: the host's code against the interpreter, within the bounds of
// error_bounds.h.
#pragma once

#include <string>
#include <vector>

#include "astitch/literal.h"
#include "ir/graph.h"

namespace astitch::testing {

// Small numbers by a fixed rule, so that a graph's text alone repeats a failure: floats in quarters
// within [-2, 2], signed integers within [-6, 6], unsigned ones up to 6.
std::vector<Literal> InputsOf(const Graph& graph);

// "" when GRAPH gives the interpreter's values on the host with every fusion and thread count, else
// the kind of fault, a colon, and what is wrong. Runs in a child process.
std::string FindFault(const Graph& graph);

}  // namespace astitch::testing
