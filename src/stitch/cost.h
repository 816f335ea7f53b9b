// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The cost model: how long a kernel or a library call will take, predicted from its plan and the
// machine's figures (docs/machines.md), with no measurement and no search.
//
// A stage wants four things, each of which takes its time:
//
//   memory      its share of the kernel's DRAM bytes (traffic.h) over what the device's memory gives
//   cache       bytes that cores ask for over what the last cache (host: a worker's caches) gives
//   arithmetic  operations over lanes and clock, as far as the active cores have threads for them
//   latency     what waits for something: each task of a block in turn, in it each tile, in it each
//               round of loads, with as many loads in flight as the plan unrolls, and each barrier
//
// GPU. While one block loads, another computes: a phase takes as long as the one thing of which its
// stages want most, in sum, and one access to memory until anything moves. But that takes several tiles
// on each multiprocessor. One tile goes from stage to stage, and each stage takes as long as it wants of
// one thing: a flow shop, whose N jobs take the sum of what the busiest machine wants, and what one job
// wants of the others.
//
//   busiest = max(sum memory, sum cache, sum arithmetic, sum latency) + first access
//   phase = busiest + (sum over stages of max(memory, cache, arithmetic, latency) - busiest) / N
//
// N = the tiles that pass through a multiprocessor; 1 where it has a single block, which begins a tile
// when the one before is done.
//
// So few blocks, few bytes in flight (Little's law) and last waves that are not full show as latency,
// and in the share of cores that are active.
//
// Host. A worker is in one sweep at a time, whose loads overlap its arithmetic in part:
//
//   phase = sum over stages of max(memory, arithmetic + cache) + a share of the lesser, then the tail
//
// Kernel = launch + phases + barriers of the grid between them. A plan = its steps, one after the
// other. On the host, astitch-bench sets predictions beside measurements.
#pragma once

#include <vector>

#include "plan/plan.h"
#include "stitch/machine.h"

namespace astitch {

// Sets the predictions of KERNEL and of its stages. TRAFFIC: DRAM bytes by phase, which add up to
// KERNEL.traffic; empty: spread over the phases as their stages read and write.
void PredictKernel(const MachineModel& machine, const std::vector<Traffic>& traffic,
                   KernelPlan& kernel);

// Of a matrix product, a convolution, a copy.
Prediction PredictDot(const DotCall& call, const MachineModel& machine);
Prediction PredictConvolution(const Instruction& convolution, const MachineModel& machine);
Prediction PredictCopy(const Instruction& from, const MachineModel& machine);
// Of what the interpreter evaluates on the host, the way there and back included.
Prediction PredictReference(const Instruction& instruction, const MachineModel& machine);

}  // namespace astitch
