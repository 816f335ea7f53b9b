// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The state of a warp: 32 values a register, a program counter a lane.
//
// Lanes with the same counter run together, the lowest counter first: that brings diverged lanes
// together again where their paths meet, without knowing the control flow graph.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

#include "simt/machine/op.h"
#include "simt/memory/region.h"

namespace astitch::simt {

struct Block;
class Machine;

// A cp.async that no wait has completed yet.
struct PendingCopy {
  const Op* op;
  int lane;
  uint64_t to, from;
  int copied;      // bytes that come from memory; the rest are zeros
  uint32_t group;  // of its lane
};

// What a register holds that nothing was written to, or by an access that leads nowhere.
inline constexpr uint64_t kUnwrittenRegister = 0xABABABABABABABABu;

enum class Wait : uint8_t { kNone, kCollective, kBarrier, kCluster, kDivergent };

struct Warp {
  Machine* machine = nullptr;
  Block* block = nullptr;
  const uint64_t* constants = nullptr;
  std::vector<uint64_t> registers;
  std::vector<uint8_t> local, local_valid;
  Region local_region;  // pointed at one lane's memory for each access
  uint32_t index = 0;   // in the block
  uint32_t live = 0;    // lanes that have not exited
  uint32_t waiting = 0;
  std::array<int32_t, 32> pc = {};
  std::array<Wait, 32> wait = {};
  std::array<uint8_t, 32> barrier = {};       // which of the block's a lane waits at
  std::array<uint32_t, 32> member_mask = {};  // of the collective a lane waits at
  std::vector<PendingCopy> pending;
  std::array<uint32_t, 32> copy_group = {};  // how many each lane has committed
  int64_t steps = 0;                         // instructions run
  // The latest strong reads, as place and value mixed; a spinning thread repeats a few of them.
  std::array<uint64_t, 8> polls = {};
  uint32_t next_poll = 0;
  int64_t idle_polls = 0;      // repeated ones since anything changed
  uint64_t seen_progress = 0;  // Machine::progress at the last of them
  bool yield = false;          // waits for others: its slice ends at the next branch

  const uint64_t* Source(int32_t ref) const {
    return ref >= 0 ? registers.data() + ref * 32 : constants + (~ref) * 32;
  }
  uint64_t* Dest(int32_t ref) { return registers.data() + ref * 32; }

  uint32_t runnable() const { return live & ~waiting; }
};

// Calls FN(lane) for the lanes of MASK.
template <typename F>
inline void ForLanes(uint32_t mask, F fn) {
  if (mask == ~0u) {
    for (int lane = 0; lane < 32; ++lane) fn(lane);
    return;
  }
  for (; mask != 0; mask &= mask - 1) fn(std::countr_zero(mask));
}

// A register's low bits as T, and back with the rest zero.
template <typename T>
inline T As(uint64_t bits) {
  T out;
  std::memcpy(&out, &bits, sizeof(T));
  return out;
}
template <typename T>
inline uint64_t Bits(T value) {
  uint64_t out = 0;
  std::memcpy(&out, &value, sizeof(T));
  return out;
}

}  // namespace astitch::simt
