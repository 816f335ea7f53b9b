// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Thread blocks and clusters while they are resident.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "simt/machine/warp.h"
#include "simt/memory/region.h"
#include "simt/race/detector.h"

namespace astitch::simt {

struct Cluster;

// One of a block's 16 barriers, while threads wait at it.
struct BarrierState {
  int32_t arrived = 0;   // threads
  int32_t expected = 0;  // threads; 0: all that live
  int32_t line = 0, stage = 0;
  std::vector<ThreadId> threads;                   // in the block, those that arrived
  uint32_t votes_or = 0, votes_and = 1, popc = 0;  // of bar.red
  bool reduces = false;
};

// A bulk copy whose barrier nobody has asked yet.
struct BulkCopy {
  const Op* op = nullptr;
  Warp* warp = nullptr;
  int lane = 0;
  uint64_t to = 0, from = 0, bytes = 0, barrier = 0;
  const Region* barrier_region = nullptr;
  int64_t barrier_offset = 0;
  ThreadClock clock;  // of the thread, at issue
};

// Where an mbarrier began; whoever uses it has to come after.
struct MbarrierInit {
  int64_t offset = 0;  // in the block's shared memory
  ThreadId thread = kNoThread;
  Moment at;
  uint32_t pc = 0;
};

struct Block {
  int64_t index = 0;  // in the grid
  std::array<uint32_t, 3> position = {};
  Cluster* cluster = nullptr;
  uint32_t rank = 0;  // in the cluster
  std::vector<Warp> warps;
  std::vector<uint8_t> shared, shared_valid;
  std::unique_ptr<Shadow> shadow;
  Region shared_region;
  std::vector<ThreadClock> clocks;  // by thread, in whole warps
  std::array<BarrierState, 16> barriers;
  std::vector<BulkCopy> bulk;
  std::vector<MbarrierInit> mbarriers;
  int32_t live_threads = 0;
  bool finished() const { return live_threads == 0; }
};

// Blocks that are resident together and share a barrier.
struct Cluster {
  std::vector<std::unique_ptr<Block>> blocks;
  int32_t arrived = 0;               // threads, in this phase
  uint64_t phase = 0;                // completed barriers
  std::vector<uint64_t> arrived_in;  // by thread of the cluster: the phase + 1 of its arrival
  KnowledgePtr met, result;
  std::vector<uint32_t> floors;  // by block
  int32_t live_threads() const {
    int32_t out = 0;
    for (const auto& block : blocks) out += block->live_threads;
    return out;
  }
};

}  // namespace astitch::simt
