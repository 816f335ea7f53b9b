// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The plan as text, and back: what golden tests compare, what --emit=plan prints, what is edited by
// hand.
//
//   plan 1
//   target host fusion=stitch arena=0
//   buffer %x input 0 bytes=16777216
//   kernel softmax grid=2 shared=8192
//     in %x
//     out %probs
//     place %max regional offset=0 bytes=32
//     phase rows=[4096] rows_per_task=2048 tile_rows=8
//       stage columns=[1024] vector=8 unroll=4
//         reduce %max over=columns map=(0)(1)
//   ledger %x -> %max home=local reason=same-rows
//   graph
//   HloModule ...
//
// One line a fact, two blanks a level; fields with their default value are left out; %names are
// instructions of the graph's entry computation.
//
// parse(print(p)) == p. The graph's text is read by whoever owns a parser of HLO text; this file
// reads the lines above it.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "plan/plan.h"

namespace astitch {

// The plan's own lines, without the graph.
std::string PlanLines(const Plan& plan);
// One kernel's lines.
std::string KernelLines(const KernelPlan& kernel);
// All of it: lines, "graph", HLO text.
std::string ToText(const Plan& plan);

struct PlanTextParts {
  absl::string_view lines, graph;
};
// Cuts a plan's text at its graph line. Error: there is none.
absl::StatusOr<PlanTextParts> SplitPlanText(absl::string_view text);

// Reads the plan's lines over GRAPH, which the plan then owns. Errors carry line and column in
// LINES.
absl::StatusOr<Plan> ParsePlan(absl::string_view lines, std::unique_ptr<Graph> graph);

}  // namespace astitch
