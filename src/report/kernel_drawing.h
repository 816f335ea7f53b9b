// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What is drawn of a kernel: its values and inputs as nodes, in the stage that first evaluates or reads
// them, and its edges with their homes. Scalar constants, and arrays of one, are left out.
#pragma once

#include <string>
#include <vector>

#include "report/plan_facts.h"

namespace astitch {

// A colour of the drawing. The first six are those of plan/kernel_plan.h.
enum class EdgeHome : uint8_t {
  kLocal,
  kRegional,
  kCluster,
  kBlock,
  kGlobal,
  kOutput,
  kKept,
  kMemory
};
constexpr EdgeHome kEdgeHomes[] = {EdgeHome::kLocal, EdgeHome::kRegional, EdgeHome::kCluster,
                                   EdgeHome::kBlock, EdgeHome::kGlobal,   EdgeHome::kOutput,
                                   EdgeHome::kKept,  EdgeHome::kMemory};
absl::string_view ToString(EdgeHome home);  // the ledger's words

struct KernelDrawing {
  struct Node {
    const Instruction* value = nullptr;
    int band = 0;
    bool input = false, output = false;
    bool root = false;                 // a stage stores or folds it
    std::vector<StageId> stages;       // in which it is evaluated
    const Placement* place = nullptr;  // null: none
  };
  struct Edge {
    int from = 0, to = 0;
    EdgeHome home = EdgeHome::kLocal;
    bool again = false;  // the producer is computed, or read, once more for it
  };
  std::vector<Node> nodes;
  std::vector<Edge> edges;
  std::vector<StageId> bands;
};

// REQUIRES: facts.KernelOf(step) is not null.
KernelDrawing DrawKernel(const PlanFacts& facts, int step);

}  // namespace astitch
