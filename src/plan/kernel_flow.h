// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// KernelFlow: where each value of a kernel is evaluated and from where each edge is read, as the
// emitter walks it, told by value.
//
//   stage 0   store %e (regional), reduce %s      %e -> %s    in registers: the same stage
//   stage 1   store %p = %e / %s                  %e -> %p    from the slot of stage 0
//
// Element by element, and with errors, the verifier says the same (verify_walk.h).
#pragma once

#include <cstdint>
#include <vector>

#include "plan/kernel_plan.h"

namespace astitch {

// A stage of a kernel.
struct StageId {
  int32_t phase = 0, stage = 0;
  friend bool operator==(StageId a, StageId b) { return a.phase == b.phase && a.stage == b.stage; }
};

struct KernelFlow {
  struct Value {
    const Instruction* value = nullptr;
    bool input = false;
    std::vector<StageId> stages;  // in which it is evaluated (an input: read), in order
  };
  struct Edge {
    const Instruction* producer = nullptr;
    const Instruction* consumer = nullptr;
    // The producer's home, if a stage reads it from there; kLocal: registers. Of inputs: kLocal.
    Home home = Home::kLocal;
    bool again = false;           // of inputs: it comes from memory once more for this reader
    std::vector<StageId> stages;  // that read along it, in order
  };
  // What one stage evaluates and reads of inputs, operands first.
  struct Sweep {
    StageId at;
    std::vector<const Instruction*> values;
  };
  // One a stage, in order.
  std::vector<Sweep> sweeps;
  // In the order of the stages, and in a stage operands first.
  std::vector<Value> values;
  // Each once.
  std::vector<Edge> edges;
};

KernelFlow FlowOf(const KernelPlan& kernel);

}  // namespace astitch
