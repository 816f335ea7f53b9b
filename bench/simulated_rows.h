// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Plans measured without their machine: sectors of memory that the simulated GPU counts, beside the
// traffic that the plan states. Time is not simulated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "astitch/literal.h"
#include "ir/graph.h"

namespace astitch {

// One kernel. Sectors have 32 bytes; those of the kernel's own scratch are apart, as it is left to the
// cache where it fits.
struct SimulatedRow {
  std::string graph, fusion, kernel;
  int64_t planned_read_bytes = 0, planned_write_bytes = 0;
  int64_t dram_read_sectors = 0, dram_write_sectors = 0;
  int64_t scratch_dram_sectors = 0;
  int64_t l2_load_sectors = 0, l2_store_sectors = 0;
  int64_t shared_accesses = 0, bank_conflicts = 0;
  int64_t warp_instructions = 0;

  // Counted DRAM bytes over those of the plan.
  double CountedOverPlanned() const;
};

// Runs GRAPH once on GPU ("a100"). Error: also what the simulator has to report of a kernel, and
// ResourceExhausted for more work than it does.
absl::StatusOr<std::vector<SimulatedRow>> SimulateGraph(const Graph& graph,
                                                        std::vector<Literal> inputs,
                                                        const std::string& gpu,
                                                        const std::string& fusion);

std::string SimulatedTable(absl::Span<const SimulatedRow> rows);
std::string SimulatedRowsJson(absl::Span<const SimulatedRow> rows, const std::string& gpu);

}  // namespace astitch
