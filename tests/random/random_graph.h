// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Random legal graphs: every elementwise operation, movement and reduction that a stitched kernel
// may hold, on all common element types, with the edges that stitching is about:
//
//   m = reduce(x)    y = subtract(x, broadcast(m))     a row meets its own reduction
//   t = transpose(y)  z = add(x, reshape(t))           rows meet columns
//
// Values stay where a comparison with the interpreter means something (error_bounds.h): what would
// become unknown is not made, what grows is clamped. The same options give the same graph.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "ir/graph.h"

namespace astitch::testing {

// How a planned kernel goes over a value (plan/kernel_plan.h), as shapes bring it about.
enum class Sweep : uint8_t { kFlat, kRows, kLanesAlongRows, kTurned, kColumns, kSplitRows };

// What most of a graph is about.
struct Focus {
  ElementType type;
  Sweep sweep;
  bool dear = false;  // its values are worth a slot of a block
};

struct RandomGraphOptions {
  uint32_t seed = 1;
  int operations = 20;          // steps; a step adds up to six instructions
  int64_t max_elements = 4096;  // of one value
  bool only_f32 = false;        // and preds where comparisons give them
  bool approximate = true;      // functions and sums that may differ by roundings
  bool scatters = true;         // scatter, gather, reduce-window, dot as well
  std::optional<Focus> focus;   // grow_focus.cc
};

std::unique_ptr<Graph> MakeRandomGraph(const RandomGraphOptions& options);

}  // namespace astitch::testing
