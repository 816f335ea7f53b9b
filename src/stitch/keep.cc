// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One decision an input, first come first served within the registers of a thread.
#include "stitch/keep.h"

#include <algorithm>

#include "base/checked_math.h"

namespace astitch {

void KeepInputs(const RegionInfo& info, const KernelDraft& draft, const MachineModel& machine,
                const std::vector<PhaseShape>& shapes, KernelPlan& kernel) {
  if (!machine.is_host() && !draft.launch.holds_inputs) return;
  for (size_t p = 0; p < draft.phases.size(); ++p) {
    const Phase& phase = kernel.phases[p];
    int64_t used = 0;
    const int64_t most = machine.is_host()
                             ? 0
                             : KeptRegisters(machine, phase.threads_per_row * phase.rows_at_once,
                                             shapes[p].more_registers);
    for (const Instruction* read : draft.phases[p].reads_again) {
      if (!info.IsInput(read) || kernel.FindPlacement(read) != nullptr) continue;
      Placement placement;
      placement.value = read;
      if (machine.is_host()) {
        placement.keep = Keep::kCache;
      } else {
        const int64_t all = phase.split_columns();
        const int64_t columns = phase.cluster > 1 ? std::min(all, phase.cols_per_task) : all;
        int32_t vector = 1;
        for (const Stage& stage : phase.stages) vector = std::max(vector, stage.vector);
        const int64_t sweeps = CeilDiv(columns, int64_t{phase.threads_per_row} * vector);
        const int64_t registers =
            sweeps * vector * std::max(4, ByteWidth(read->shape().element_type())) / 4;
        // Where lanes run along rows in some stages only, they are other threads' there.
        const bool turns = draft.phases[p].turn == Turn::kTile;
        const bool in_rows = !info.axes().Of(read).empty();
        if (turns || !in_rows || phase.threads_per_row == 1) continue;
        if (sweeps > kMostKeptSweeps || used + registers > most) continue;
        used += registers;
        placement.keep = Keep::kRegisters;
      }
      kernel.placements.push_back(placement);
    }
  }
}

}  // namespace astitch
