// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What should come before what, where dependences leave a choice: every phase reads its inputs from
// memory again.
//
//   scale = 1 / count(y)            The count is a few bytes and has rows of its own. Done first, all
//   out = f(rows of x, scale)       that x is for fits in one phase; done with x, x is read twice.
//
//   sum(x), sum(g), then sum(g * (x - mean))       g is read for its second sum in any case: its
//                                                  first one waits until then.
#pragma once

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "stitch/machine.h"
#include "stitch/region_info.h"

namespace astitch {

struct OrderState {
  const std::vector<const Instruction*>& pending;            // reductions and outputs still to do
  const absl::flat_hash_set<const Instruction*>& available;  // in memory, from an earlier phase
};

// Of the reductions READY, a small one that a large result in the rows of LARGEST waits for; null:
// none.
const Instruction* SmallReductionFirst(const RegionInfo& info, const OrderState& state,
                                       const std::vector<const Instruction*>& ready,
                                       const Instruction& largest,
                                       const std::vector<int32_t>& rows);

// Those of the reductions NOW, which a phase of ROWS folds in parts, that had better wait: alone in it
// to read some large input, which something that is no root now, and does not need them, reads later
// in the same rows. Never all of NOW.
std::vector<const Instruction*> ReductionsThatCanWait(const RegionInfo& info,
                                                      const MachineModel& machine,
                                                      const OrderState& state,
                                                      const std::vector<const Instruction*>& roots,
                                                      const std::vector<const Instruction*>& now,
                                                      const std::vector<int32_t>& rows);

}  // namespace astitch
