// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Barriers of the block and of the cluster, and what the end of a thread means for them.
#include <algorithm>
#include <bit>

#include "absl/strings/str_cat.h"
#include "simt/machine/machine.h"

namespace astitch::simt {

void Machine::ArriveAtBarrier(Warp& warp, const Op& op, uint32_t mask, int number, int32_t expected,
                              bool wait, std::optional<uint32_t> votes) {
  Block& block = *warp.block;
  BarrierState& state = block.barriers[number];
  if (state.arrived > 0 && state.expected != expected) {
    ReportAt(ReportKind::kDivergentBarrier, warp, op, std::countr_zero(mask), state.line, [&] {
      return absl::StrCat("barrier ", number, " is awaited for ", expected,
                          " threads here and for ", state.expected, " at line ", state.line,
                          " (0: all)");
    });
  }
  state.expected = expected;
  state.line = op.line;
  state.stage = op.stage;
  state.arrived += std::popcount(mask);
  if (votes) {
    const int32_t yes = std::popcount(mask & *votes);
    state.reduces = true;
    state.popc += yes;
    state.votes_or |= yes > 0;
    state.votes_and &= yes == std::popcount(mask);
  }
  ForLanes(mask, [&](int lane) {
    if (expected != 0) state.threads.push_back(warp.index * 32 + lane);
    if (!wait) return;
    warp.wait[lane] = Wait::kBarrier;
    warp.barrier[lane] = static_cast<uint8_t>(number);
  });
  if (wait) warp.waiting |= mask;
  Progress();
  const int32_t needed = expected != 0 ? expected : block.live_threads;
  if (state.arrived >= needed) CompleteBarrier(block, number);
}

void Machine::CompleteBarrier(Block& block, int number) {
  BarrierState state = std::move(block.barriers[number]);
  block.barriers[number] = BarrierState();
  ++stages_[state.stage].block_barriers;
  Progress();
  if (params_.races) {
    if (state.arrived >= block.live_threads) {
      detector_.BlockBarrier(absl::MakeSpan(block.clocks));
    } else {
      std::vector<Accessor> group;
      for (const ThreadId thread : state.threads) {
        Warp& warp = block.warps[thread / 32];
        group.push_back(AccessorOf(warp, program_.code[0], static_cast<int>(thread % 32)));
      }
      detector_.JoinGroup(group);
    }
  }
  for (Warp& warp : block.warps) {
    ForLanes(warp.live & warp.waiting, [&](int lane) {
      if (warp.wait[lane] != Wait::kBarrier || warp.barrier[lane] != number) return;
      if (state.reduces) {
        const Op& op = program_.code[warp.pc[lane]];
        const uint32_t results[] = {state.popc, state.votes_and, state.votes_or};
        if (op.num_dst > 0) warp.Dest(op.dst[0])[lane] = results[op.mode];
      }
      warp.waiting &= ~(1u << lane);
      warp.wait[lane] = Wait::kNone;
      ++warp.pc[lane];
    });
  }
}

void Machine::CheckBarriers(Block& block) {
  if (block.live_threads == 0) return;
  for (int number = 0; number < 16; ++number) {
    const BarrierState& state = block.barriers[number];
    if (state.arrived > 0 && state.expected == 0 && state.arrived >= block.live_threads) {
      CompleteBarrier(block, number);
    }
  }
}

void Machine::ClusterArrive(Warp& warp, const Op& op, uint32_t mask, bool release) {
  Cluster& cluster = *warp.block->cluster;
  if (cluster.arrived_in.empty()) cluster.arrived_in.resize(padded_threads_);
  ForLanes(mask, [&](int lane) {
    uint64_t& arrived_in =
        cluster.arrived_in[warp.block->rank * padded_threads_ + warp.index * 32 + lane];
    if (arrived_in > cluster.phase) {
      ReportAt(ReportKind::kDivergentBarrier, warp, op, lane, 0, [] {
        return std::string("a second arrival at the cluster's barrier without a wait");
      });
      return;
    }
    arrived_in = cluster.phase + 1;
    ++cluster.arrived;
    if (params_.races) detector_.ClusterArrive(AccessorOf(warp, op, lane), release, cluster.met);
  });
  Progress();
  CheckCluster(cluster);
}

void Machine::CheckCluster(Cluster& cluster) {
  if (cluster.arrived == 0 || cluster.arrived < cluster.live_threads()) return;
  cluster.arrived = 0;
  ++cluster.phase;
  Progress();
  // Those that wait try again.
  for (const auto& block : cluster.blocks) {
    for (Warp& warp : block->warps) {
      ForLanes(warp.waiting & warp.live, [&](int lane) {
        if (warp.wait[lane] != Wait::kCluster) return;
        warp.wait[lane] = Wait::kNone;
        warp.waiting &= ~(1u << lane);
      });
    }
  }
  if (!params_.races) return;
  std::vector<uint32_t> blocks;
  cluster.floors.clear();
  for (const auto& block : cluster.blocks) {
    uint32_t floor = block->finished() ? 0 : ~0u;
    for (const Warp& warp : block->warps) {
      ForLanes(warp.live, [&](int lane) {
        floor = std::min(floor, block->clocks[warp.index * 32 + lane].now.epoch);
      });
    }
    blocks.push_back(static_cast<uint32_t>(block->index));
    cluster.floors.push_back(floor);
  }
  cluster.result = detector_.ClusterComplete(cluster.met, blocks, cluster.floors);
  cluster.met = nullptr;
}

bool Machine::ClusterMayPass(Warp& warp, int lane) {
  const Cluster& cluster = *warp.block->cluster;
  return cluster.arrived_in.empty() ||
         cluster.arrived_in[warp.block->rank * padded_threads_ + warp.index * 32 + lane] <=
             cluster.phase;
}

void Machine::ClusterPass(Warp& warp, const Op& op, uint32_t mask, bool acquire) {
  Cluster& cluster = *warp.block->cluster;
  if (params_.races && acquire && cluster.result) {
    ForLanes(mask, [&](int lane) {
      detector_.ClusterWait(AccessorOf(warp, op, lane), cluster.floors[warp.block->rank],
                            cluster.result);
    });
  }
  if ((mask & 1) != 0 && warp.index == 0 && warp.block->rank == 0) ++stage(op).cluster_barriers;
}

void Machine::Exit(Warp& warp, const Op& op, uint32_t mask) {
  warp.live &= ~mask;
  Block& block = *warp.block;
  block.live_threads -= std::popcount(mask);
  Progress();
  if (block.finished() && !block.bulk.empty()) {
    ReportAt(ReportKind::kUndefined, warp, *block.bulk[0].op, std::countr_zero(mask), op.line,
             [] { return std::string("the block ends while a bulk copy is under way"); });
  }
  if (params_.races && block.finished() && cluster_blocks_ > 1) {
    const int lane = std::countr_zero(mask);
    if (const auto conflict = detector_.OnEnd(*block.shadow, AccessorOf(warp, op, lane))) {
      const int32_t line = program_.code[conflict->other_pc].line;
      ReportAt(ReportKind::kUndefined, warp, op, lane, line, [&] {
        return absl::StrCat(
            "the block ends, and its shared memory, not ordered with the access of ",
            ThreadText(conflict->other), " at line ", line);
      });
    }
  }
  CheckBarriers(*warp.block);
  CheckCluster(*warp.block->cluster);
}

}  // namespace astitch::simt
