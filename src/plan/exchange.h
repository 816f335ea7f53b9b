// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Shared memory of a GPU's block beyond the plan's own slots, in which what threads, warps and
// blocks of a cluster hold meets. The planner counts it when it asks how many blocks an SM holds;
// code generation lays it out after the slots.
//
//   slots | warps, warps or columns | cluster, cluster | scans, scans | barrier of copies
//
// There are two areas of a kind, taken in turn, so that one barrier is enough between an exchange
// and the next.
#pragma once

#include <algorithm>
#include <cstdint>

#include "plan/kernel_plan.h"

namespace astitch {

struct Exchange {
  static constexpr int64_t kSlotBytes = 8;  // of one value of one warp or block

  int64_t warps = 0;    // values of warps, one area
  int64_t columns = 0;  // columns of rows that lie side by side
  int64_t cluster = 0;  // values of blocks, one area
  int64_t scans = 0;    // values of warps on their way along a row, one area
  int64_t copies = 0;   // the barrier of bulk copies
  int64_t cluster_begin() const { return std::max(2 * warps, columns); }
  int64_t scans_begin() const { return cluster_begin() + 2 * cluster; }
  int64_t copies_begin() const { return scans_begin() + 2 * scans; }
  int64_t bytes() const { return copies_begin() + copies; }
};

// REQUIRES: PLAN's phases and launch.block are set.
Exchange ExchangeOf(const KernelPlan& plan);

// Of a block: slots and exchange.
int64_t SharedBytesOf(const KernelPlan& plan);

}  // namespace astitch
