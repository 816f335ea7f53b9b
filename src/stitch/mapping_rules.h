// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The number rules of the two kinds of machine, behind one interface: each fills the mapping fields
// of one phase.
#pragma once

#include <vector>

#include "plan/kernel_plan.h"
#include "stitch/machine.h"
#include "stitch/phases.h"
#include "stitch/region_info.h"

namespace astitch {

// Sizes of a phase that the rules go by.
struct PhaseShape {
  int64_t rows = 1;  // of all batches
  int64_t rows_per_batch = 1;
  int64_t columns = 1;         // of the widest stage
  int64_t row_bytes = 0;       // of what one row reads, keeps and writes
  int64_t bytes = 0;           // of all that the phase touches
  int64_t element_bytes = 4;   // of the widest element touched
  int64_t buffers = 0;         // arrays touched
  int64_t streams = 0;         // inputs read row by row
  int64_t again_words = 0;     // registers that hold what several sweeps of a row read
  int64_t more_registers = 0;  // see LaunchRules
  int64_t held = 0;   // values of which a GPU thread holds its columns: kept inputs, accumulators
  int64_t parts = 0;  // of what it combines, if that is all it does
  const Instruction* scatter = nullptr;  // whose updates it takes
  bool row_reduction = false;            // folds columns, whole rows
  bool column_reduction = false;         // folds rows
  bool folds_columns = false;            // and columns beside them (stitch/narrow_columns.h)
  bool scans = false;                    // leaves what is folded up to each column
  bool scan_parts = false;               // of rows that tasks share
  bool scans_in_order = false;           // by a body that is not associative
  bool partial = false;
  bool split_columns = false;    // tasks share rows
  int32_t cluster = 1;           // blocks that share a row
  bool long_arithmetic = false;  // an element of it takes many registers
  bool scalars = false;          // has sweeps of one element a row
  Turn turn = Turn::kNone;
  bool lanes_along_rows = false;  // memory runs along the rows
  // Of values with columns that have slots: bytes of an element, of all together and of the widest.
  int64_t slot_bytes = 0, widest_slot = 0;
  bool mixed_slots = false;                          // of elements of several widths
  absl::flat_hash_set<const Instruction*> regional;  // roots with a slot of the tile
  absl::flat_hash_set<const Instruction*>
      read_later;  // roots in global memory that a later stage reads
};

// Registers of a GPU thread that may hold rows which several sweeps read, in a block of so many
// threads: about half of the register file, and room for the arithmetic, which may need MORE.
int64_t KeptRegisters(const MachineModel& machine, int64_t block, int64_t more);

// Sets rows_per_task, tile_rows, cols_per_task and the stages' vectors for worker threads.
void MapPhaseOnHost(const PhaseShape& shape, const PhaseDraft& draft, const MachineModel& machine,
                    Phase& phase);

// Threads of a block, and blocks that are resident.
struct Blocks {
  int32_t threads = 256;
  int64_t resident = 1;
};

// Sets the same and the threads of the block.
void MapPhaseOnGpu(const PhaseShape& shape, const PhaseDraft& draft, const MachineModel& machine,
                   Blocks blocks, const LaunchRules& rules, Phase& phase);
// Registers of a thread that takes a scatter's updates in PHASE, which is mapped.
int64_t RegistersOfUpdates(const PhaseShape& shape, const Phase& phase);
// The block size that suits all phases.
int32_t BlockSizeOnGpu(const std::vector<PhaseShape>& shapes, const MachineModel& machine,
                       const LaunchRules& rules);

}  // namespace astitch
