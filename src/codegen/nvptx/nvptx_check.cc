// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Plans that this target cannot spell: each is refused by name, so that none becomes a wrong kernel.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/checked_math.h"
#include "base/status.h"
#include "codegen/common/homes.h"
#include "codegen/nvptx/nvptx_target.h"
#include "ir/gather_dims.h"

namespace astitch::codegen {
namespace {

bool IsPowerOfTwo(int64_t n) { return n > 0 && (n & (n - 1)) == 0; }

absl::Status Refuse(const KernelPlan& plan, const std::string& why) {
  return absl::InvalidArgumentError(absl::StrCat("kernel ", plan.name, ": ", why));
}

// The blocks of a cluster are the tasks of one row, in order.
absl::Status CheckCluster(const KernelPlan& plan, const Phase& phase, int sm) {
  constexpr int kFirstWithClusters = 90, kMostBlocks = 16;
  const int blocks = NvptxTarget::ClusterBlocks(plan);
  if (phase.cluster < 1 || phase.cluster > kMostBlocks)
    return Refuse(plan, absl::StrCat("a cluster of ", phase.cluster, " blocks"));
  if (phase.cluster == 1) return absl::OkStatus();
  if (sm < kFirstWithClusters) return Refuse(plan, absl::StrCat("sm_", sm, " has no clusters"));
  if (phase.cluster != blocks)
    return Refuse(plan, absl::StrCat("clusters of ", phase.cluster, " and of ", blocks, " blocks"));
  if (phase.col_tasks() != blocks)
    return Refuse(plan, absl::StrCat("rows in ", phase.col_tasks(), " parts for clusters of ",
                                     blocks, " blocks"));
  if (plan.launch.grid % blocks != 0)
    return Refuse(plan,
                  absl::StrCat("a grid of ", plan.launch.grid, " blocks in clusters of ", blocks));
  for (const Stage& stage : phase.stages) {
    for (const Root& root : stage.roots) {
      if (root.kind == RootKind::kScatter || root.kind == RootKind::kScan)
        return Refuse(plan, absl::StrCat(ToString(root.kind), " roots in clusters"));
    }
  }
  return absl::OkStatus();
}

// A task waits for those of its row in the phase before, which have to be the same.
absl::Status CheckFlags(const KernelPlan& plan, size_t number) {
  const Phase& phase = plan.phases[number];
  if (phase.barrier != PhaseBarrier::kFlags) return absl::OkStatus();
  if (number == 0) return Refuse(plan, "flags before the first phase");
  const Phase& before = plan.phases[number - 1];
  const bool same = phase.num_batches() == before.num_batches() &&
                    phase.row_tasks_per_batch() == before.row_tasks_per_batch() &&
                    phase.col_tasks() == before.col_tasks();
  if (phase.repeated || before.repeated)
    return Refuse(plan, "flags beside a phase that every block repeats");
  if (!same || phase.num_tasks() == 0)
    return Refuse(plan, absl::StrCat("flags between phases of ", before.num_tasks(), " and ",
                                     phase.num_tasks(), " tasks"));
  return absl::OkStatus();
}

// What is written out as often as the plan says has limits.
absl::Status CheckSizes(const KernelPlan& plan, const Phase& phase) {
  constexpr int64_t kMostVector = 64, kMostUnroll = 64, kMostRows = 256, kMostHeld = 1024;
  if (phase.tile_rows < 1 || phase.rows_per_task < 1 ||
      phase.tile_rows / phase.rows_at_once > kMostRows) {
    return Refuse(plan, absl::StrCat("tiles of ", phase.tile_rows, " rows, ", phase.rows_at_once,
                                     " at once"));
  }
  for (const Stage& stage : phase.stages) {
    if (stage.vector < 1 || stage.vector > kMostVector || !IsPowerOfTwo(stage.vector))
      return Refuse(plan, absl::StrCat("vectors of ", stage.vector));
    if (stage.unroll < 1 || stage.unroll > kMostUnroll)
      return Refuse(plan, absl::StrCat(stage.unroll, " vectors in flight"));
    const int64_t columns = phase.columns_per_task(stage);
    const int64_t held = columns / (int64_t{phase.threads_per_row} * stage.vector);
    for (const Root& root : stage.roots) {
      if (root.over == ReduceOver::kRows && held > kMostHeld)
        return Refuse(
            plan, absl::StrCat("a thread would hold ", held, " columns of %", root.value->name()));
    }
  }
  return absl::OkStatus();
}

// Stages that take chunks, and lanes along rows that several threads share.
absl::Status CheckTurned(const KernelPlan& plan, const Phase& phase, const Stage& stage) {
  const int64_t block = plan.launch.block, rows = phase.tile_rows;
  constexpr int64_t kWarp = 32;
  const bool deals = stage.vector_rows && phase.threads_per_row > 1;
  const bool whole = rows % kWarp == 0 || (IsPowerOfTwo(rows) && rows < kWarp);
  if (deals && (!whole || block % rows != 0 || block % kWarp != 0))
    return Refuse(plan, absl::StrCat("a block of ", block, " threads has no whole warps along ",
                                     rows, " rows, or times ", rows, " rows"));
  if (stage.chunk == 0) return absl::OkStatus();
  if (stage.chunk < 0 || phase.cols_per_task > 0 || stage.peel != Peel::kNone)
    return Refuse(plan, absl::StrCat("chunks of ", stage.chunk, " columns that are split"));
  const int64_t columns = ProductOf(stage.columns);
  for (const Stage& other : phase.stages) {
    if (other.chunk == stage.chunk && ProductOf(other.columns) != columns)
      return Refuse(plan, absl::StrCat("chunks of ", columns, " and of ", ProductOf(other.columns),
                                       " columns"));
  }
  return absl::OkStatus();
}

// A warp has a row, and no other warp its place.
absl::Status CheckScatter(const KernelPlan& plan, const Phase& phase, const Stage& stage) {
  constexpr int64_t kWarp = 32, kMostHeld = 64;
  for (const Root& root : stage.roots) {
    if (root.kind != RootKind::kScatter) continue;
    if (stage.roots.size() > 1 || !root.value->shape().IsArray())
      return ErrorAt(*root.value, "is a scatter beside other roots, or of several results");
    if (phase.threads_per_row != kWarp || plan.launch.block % kWarp != 0 || stage.vector_rows)
      return ErrorAt(*root.value, absl::StrCat("is a scatter whose rows have ",
                                               phase.threads_per_row, " threads, and not 32"));
    if (stage.chunk > 0 || stage.peel == Peel::kBoth)
      return ErrorAt(*root.value, "is a scatter in chunks, or in rows that are peeled");
    if (!WindowsAreSameOrApart(*root.value))
      return ErrorAt(*root.value, "is a scatter of windows that overlap in part");
    int64_t columns = ProductOf(stage.columns);
    if (phase.cols_per_task > 0) columns = std::min(phase.cols_per_task, columns);
    if (CeilDiv(columns, kWarp) > kMostHeld)
      return ErrorAt(*root.value, absl::StrCat("is a scatter whose threads would hold ",
                                               CeilDiv(columns, kWarp), " columns"));
  }
  return absl::OkStatus();
}

// What a kTurn root puts into a slot goes to an output in a later stage of the phase.
absl::Status CheckStaged(const KernelPlan& plan, const Phase& phase, size_t number) {
  for (const Root& root : phase.stages[number].roots) {
    if (root.kind != RootKind::kTurn) continue;
    const Placement* home = plan.FindPlacement(root.value);
    if (home == nullptr || home->home != Home::kOutput || home->keep != Keep::kShared)
      return ErrorAt(*root.value, "is turned, but is no output that is kept in shared memory");
    bool stored = false;
    for (size_t s = number + 1; s < phase.stages.size(); ++s) {
      for (const Root& later : phase.stages[s].roots)
        stored |= later.kind == RootKind::kStore && later.value == root.value;
    }
    if (!stored) return ErrorAt(*root.value, "is turned, but no later stage stores it");
  }
  return absl::OkStatus();
}

absl::Status CheckPhase(const KernelPlan& plan, const Phase& phase, int sm) {
  const int64_t threads = int64_t{phase.threads_per_row} * phase.rows_at_once;
  if (threads != plan.launch.block) {
    return Refuse(plan,
                  absl::StrCat(phase.threads_per_row, " threads for each of ", phase.rows_at_once,
                               " rows make no block of ", plan.launch.block));
  }
  const int64_t lanes = phase.threads_per_row;
  if (lanes <= 32 ? !IsPowerOfTwo(lanes) : lanes % 32 != 0)
    return Refuse(plan, absl::StrCat(lanes, " threads a row are no power of two or whole warps"));
  ASTITCH_RETURN_IF_ERROR(CheckSizes(plan, phase));
  ASTITCH_RETURN_IF_ERROR(CheckCluster(plan, phase, sm));
  if (phase.waits_for_blocks() && !plan.launch.cooperative)
    return Refuse(plan, "a barrier of the grid needs a cooperative launch");
  for (size_t s = 0; s < phase.stages.size(); ++s) {
    const Stage& stage = phase.stages[s];
    ASTITCH_RETURN_IF_ERROR(CheckTurned(plan, phase, stage));
    ASTITCH_RETURN_IF_ERROR(CheckStaged(plan, phase, s));
    ASTITCH_RETURN_IF_ERROR(CheckScatter(plan, phase, stage));
    if (stage.barrier == StageBarrier::kCluster && phase.cluster == 1)
      return Refuse(plan, "a barrier of clusters in a phase without clusters");
    if (stage.vector_rows && stage.vector > 1)
      return Refuse(plan, "a thread takes one row when lanes run along rows");
    const int64_t columns = ProductOf(stage.columns);
    const int64_t part = stage.chunk > 0 ? stage.chunk : phase.columns_per_task(stage);
    const bool split = (stage.chunk > 0 || phase.cols_per_task > 0) && columns > 1;
    Sweep sweep;
    sweep.phase = &phase;
    sweep.stage = &stage;
    sweep.columns = columns;
    sweep.chunk = split ? std::min(part, columns) : 0;
    if (split && !stage.vector_rows && !NvptxTarget::Peels(sweep) &&
        (columns % stage.vector != 0 || part % stage.vector != 0)) {
      return Refuse(plan, absl::StrCat("vectors of ", stage.vector, " do not divide ", columns,
                                       " columns in parts of ", part));
    }
  }
  return absl::OkStatus();
}

// Slots lie in the memory that the plan has for them.
absl::Status CheckPlacement(const KernelPlan& plan, const Placement& placement) {
  const bool shared = placement.home == Home::kRegional || placement.home == Home::kCluster ||
                      placement.home == Home::kBlock || placement.keep == Keep::kShared;
  const bool scratch = placement.home == Home::kGlobal;
  const int64_t room = shared ? plan.launch.shared_bytes : plan.launch.scratch_bytes;
  auto outside = [](int64_t offset, int64_t bytes, int64_t all) {
    return offset < 0 || bytes < 0 || offset > all || bytes > all - offset;
  };
  auto refuse = [&](int64_t offset, int64_t bytes, int64_t all) {
    return Refuse(plan, absl::StrCat("%", placement.value->name(), " has ", bytes,
                                     " bytes from byte ", offset, " of ", all));
  };
  if (placement.kept_rows < 0)
    return Refuse(
        plan, absl::StrCat("%", placement.value->name(), " keeps ", placement.kept_rows, " rows"));
  if ((shared || scratch) && outside(placement.offset, placement.bytes, room))
    return refuse(placement.offset, placement.bytes, room);
  const int64_t all = plan.launch.scratch_bytes;
  if (outside(placement.partial_offset, placement.partial_bytes, all))
    return refuse(placement.partial_offset, placement.partial_bytes, all);
  return absl::OkStatus();
}

}  // namespace

absl::Status NvptxTarget::Check(const KernelPlan& plan, int sm) {
  const int64_t block = plan.launch.block;
  if (block < 1 || block > 1024 || (block > 32 && block % 32 != 0))
    return Refuse(plan, absl::StrCat("a block of ", block, " threads"));
  for (const Placement& placement : plan.placements)
    ASTITCH_RETURN_IF_ERROR(CheckPlacement(plan, placement));
  for (size_t p = 0; p < plan.phases.size(); ++p) {
    ASTITCH_RETURN_IF_ERROR(CheckPhase(plan, plan.phases[p], sm));
    ASTITCH_RETURN_IF_ERROR(CheckFlags(plan, p));
  }
  return absl::OkStatus();
}

}  // namespace astitch::codegen
