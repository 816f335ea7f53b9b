// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Row space: which axes of a region become the rows of a phase, chosen at a dominant (AStitch,
// ASPLOS 2022, 4.2-4.3).
//
//   reduction over the innermost axes      rows = the kept axes; each row is folded inside one
//                                          block
//   reduction over outer axes              columns = the axes inside of the reduced ones; rows are
//                                          folded over tiles and tasks, and kept axes outside of
//                                          them number the batches
//   ... whose result returns to the data   rows = the kept axes again, with lanes along the rows
//   scan                                   rows = all axes but those along which it runs
//   updates of a scatter                   rows = their index vectors
//   no reduction                           rows = all but the innermost axis of the largest output
#pragma once

#include <cstdint>
#include <vector>

#include "stitch/machine.h"
#include "stitch/region_info.h"

namespace astitch {

struct RowSpace {
  std::vector<int32_t> rows;  // axes, outermost first
  int64_t batch_axes = 0;     // leading ones that a column reduction keeps
  bool results_only = false;  // takes only values with just these axes: finishes column reductions
  int64_t most_folded = 0;    // if results_only: or reductions to them, of at most so many elements
  bool split_columns = false;  // too few rows to fill the machine: a row is shared by several tasks
  // GPU: too few rows likewise, but a row is shared by so many blocks of a cluster, which exchange
  // what they have of it in distributed shared memory: it is whole to the phase. 1: no cluster.
  int32_t cluster = 1;
  bool copies_only = false;              // takes what scatters start from, and results on the way
  const Instruction* scatter = nullptr;  // takes the updates of this scatter, and nothing else
};

// Axes that a reduction keeps and folds, in the order of its operand. A scan folds the axes along which
// it runs, and keeps the others.
struct ReduceAxes {
  std::vector<int32_t> operand, kept, folded;
};
ReduceAxes AxesOf(const RegionInfo& info, const Instruction& reduce);

RowSpace RowsForReduce(const RegionInfo& info, const Instruction& reduce,
                       const MachineModel& machine);
// The kept axes, so that whoever has a row folds all of a result.
RowSpace RowsOfResults(const RegionInfo& info, const Instruction& reduce);
RowSpace RowsForOutput(const RegionInfo& info, const Instruction& output,
                       const MachineModel& machine);
// The rows of a phase that stores what SCATTER starts from: none where the elements of all that it is
// computed from lie like its own.
RowSpace RowsForCopy(const RegionInfo& info, const Instruction& scatter,
                     const MachineModel& machine);
// The rows of a phase that takes the updates of SCATTER: the axes of its index vectors, in the order of
// the updates.
RowSpace RowsForUpdates(const RegionInfo& info, const Instruction& scatter);
// The rows of a phase that finishes a partial reduction: its kept axes.
RowSpace RowsForCombine(const RegionInfo& info, const Instruction& reduce,
                        const MachineModel& machine);

// Tasks that fill the machine.
int64_t WantedTasks(const MachineModel& machine);

}  // namespace astitch
