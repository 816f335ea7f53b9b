// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// StageRates: from the work of a stage to what it wants of each part of the machine, in nanoseconds,
// when its phase runs with the kernel's launch. The model as a whole: cost.h.
#pragma once

#include <vector>

#include "plan/kernel_plan.h"
#include "stitch/machine.h"
#include "stitch/stage_work.h"

namespace astitch {

// Operations of a lane that are predicted to take as long as to store an element of VALUE and to load it
// again, all of the machine at work.
double OperationsOfRoundTrip(const Instruction& value, const MachineModel& machine);

// GPU: operations of all lanes while they wait at a barrier of the grid.
double OperationsOfBarrier(const MachineModel& machine);

struct PhaseTime {
  double ns = 0;
  Bound bound = Bound::kMemory;
};

// Of one stage, or of all stages of a phase.
struct StageWants {
  double memory_ns = 0, cache_ns = 0, arithmetic_ns = 0, latency_ns = 0;
  double first_access_ns = 0;  // before anything moves
  double in_turn_ns = 0;       // host: sweeps one after the other

  void Add(const StageWants& next);
  PhaseTime Of(const MachineModel& machine) const;
};

class StageRates {
 public:
  // WORKS: of the stages of PHASE.
  StageRates(const MachineModel& machine, const KernelPlan& kernel, const Phase& phase,
             const std::vector<StageWork>& works);
  // DRAM: the stage's share of the kernel's traffic.
  StageWants WantsOf(const Stage& stage, const StageWork& work, const Traffic& dram) const;
  // GPU: how many tiles pass through the stages of the phase on one multiprocessor, of which some may be in
  // one stage while others are in another.
  double OverlappingTiles() const;

 private:
  StageWants OnGpu(const Stage& stage, const StageWork& work, const Traffic& dram) const;
  StageWants OnHost(const Stage& stage, const StageWork& work, const Traffic& dram) const;
  double TileRate() const;
  double VectorShare(const Stage& stage) const;
  double TileLatency(const Stage& stage, const StageWork& work, const Traffic& dram) const;

  const MachineModel& machine_;
  const KernelPlan& kernel_;
  const Phase& phase_;
  double cores_ = 1;  // multiprocessors or workers, less those that idle while the last has a task
  double tiles_ = 1;  // of a task
  double phase_bytes_ = 0;  // of arrays that it reads and writes
  double blocks_ = 1;       // that have a task
  double rounds_ = 1;       // tasks that one block or worker takes in turn
};

}  // namespace astitch
