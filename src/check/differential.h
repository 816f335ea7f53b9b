// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One graph, several ways: compiled code against the interpreter, within the bounds of
// error_bounds.h.
#pragma once

#include <string>
#include <vector>

#include "absl/types/span.h"
#include "astitch/literal.h"
#include "check/guarded_buffer.h"
#include "ir/graph.h"
#include "simt/launch.h"

namespace astitch {

// How a graph is compiled and run.
struct Way {
  std::string target = "host";  // or a GPU: on the simulated device, with all its checks
  std::string fusion = "stitch";
  int threads = 1;                            // host
  Place place = Place::kAtEnd;                // of the arrays
  simt::Order order = simt::Order::kForward;  // GPU: how blocks and warps take turns
  uint64_t seed = 0;
};
std::string ToString(const Way& way);

// Every fusion and thread count.
std::vector<Way> HostWays(uint32_t seed);
// Four generations of GPUs, each in an order that SEED picks.
std::vector<Way> SimulatorWays(uint32_t seed);

// Arrays for the entry, a tuple's leaves each by itself: small numbers by a fixed rule, so that a graph's text alone
// repeats a failure: floats in quarters within [-2, 2], signed integers within [-6, 6], unsigned ones
// up to 6, complex numbers of two such floats.
std::vector<Literal> InputsOf(const Graph& graph);

// "" when the array leaves GOT are EXPECTED within GRAPH's bounds for such inputs.
std::string CompareResults(const Graph& graph, absl::Span<const Literal> got,
                           absl::Span<const Literal> expected);

// "" when GRAPH gives the interpreter's values in each of WAYS, else the kind of fault, a colon, and
// what is wrong. Runs in a child process.
std::string FindFault(const Graph& graph, absl::Span<const Way> ways);

}  // namespace astitch
