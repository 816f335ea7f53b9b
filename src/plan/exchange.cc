// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Root after root: an area is as large as the one that needs most of it.
#include "plan/exchange.h"

#include "base/checked_math.h"
#include "plan/index_map.h"

namespace astitch {
namespace {

constexpr int64_t kWarp = 32;

int64_t ColumnBytes(const Instruction& value, int64_t elements) {
  const Shape& shape = value.shape();
  if (!shape.IsTuple()) return RoundUp(elements * AccumulatorBytesOf(shape), 16);
  int64_t bytes = 0;
  for (const Shape& leaf : shape.elements())
    bytes += RoundUp(elements * AccumulatorBytesOf(leaf), 16);
  return bytes;
}

void AddRoot(const KernelPlan& plan, const Phase& phase, const Stage& stage, int64_t columns,
             const Root& root, Exchange& exchange) {
  const Shape& shape = root.value->shape();
  const int64_t leaves = shape.IsTuple() ? static_cast<int64_t>(shape.elements().size()) : 1;
  const int64_t warps = CeilDiv(plan.launch.block, kWarp);
  const bool scans = root.kind == RootKind::kScan;
  const bool of_row = root.over == ReduceOver::kColumns || root.kind == RootKind::kCombine ||
                      (scans && (root.partial || root.takes_parts()));
  const bool of_task =
      root.over == ReduceOver::kAll || (root.over == ReduceOver::kRows && columns == 1);
  auto values = [&](int64_t count) { return RoundUp(leaves * count * Exchange::kSlotBytes, 16); };
  if ((of_row && phase.threads_per_row > kWarp) || (of_task && warps > 1))
    exchange.warps = std::max(exchange.warps, values(warps));
  // Every warp leaves a part of each of its rows where neighbours in the block have different ones;
  // every thread, of what is scanned.
  const bool dealt = stage.vector_rows && phase.threads_per_row > 1;
  if (of_row && dealt)
    exchange.warps = std::max(exchange.warps, values(warps * std::min(kWarp, phase.tile_rows)));
  if (scans && !root.partial && (dealt || phase.threads_per_row > kWarp))
    exchange.scans = std::max(exchange.scans, values(dealt ? plan.launch.block : warps));
  if (phase.cluster > 1 && !root.partial && (of_row || of_task)) {
    exchange.cluster = std::max(exchange.cluster, values(phase.rows_at_once));
  }
  if (root.kind != RootKind::kReduce || root.over != ReduceOver::kRows) return;
  if (phase.rows_at_once == 1 && KeptColumns(phase, stage, root) >= columns) return;
  const int64_t column_bytes = ColumnBytes(*root.value, phase.rows_at_once * columns);
  exchange.columns = std::max(exchange.columns, RoundUp(column_bytes, 32));
}

}  // namespace

Exchange ExchangeOf(const KernelPlan& plan) {
  Exchange exchange;
  for (const Phase& phase : plan.phases) {
    for (const Stage& stage : phase.stages) {
      const int64_t columns = phase.columns_per_task(stage);
      for (const Root& root : stage.roots) AddRoot(plan, phase, stage, columns, root, exchange);
    }
  }
  for (const Placement& placement : plan.placements) {
    if (placement.keep == Keep::kShared) exchange.copies = 16;
  }
  return exchange;
}

int64_t SharedBytesOf(const KernelPlan& plan) {
  return RoundUp(plan.launch.shared_bytes, 16) + ExchangeOf(plan).bytes();
}

}  // namespace astitch
