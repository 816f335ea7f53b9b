// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What a launch cost, by stage of the plan: instructions, sectors, bank conflicts, barriers.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace astitch::simt {

//   enumerator       word
#define ASTITCH_SIMT_CLASSES(X)   \
  X(kInteger, "integer")          \
  X(kFloat, "float")              \
  X(kSpecial, "special")          \
  X(kConvert, "convert")          \
  X(kMove, "move")                \
  X(kCompare, "compare")          \
  X(kGlobalLoad, "global load")   \
  X(kGlobalStore, "global store") \
  X(kSharedLoad, "shared load")   \
  X(kSharedStore, "shared store") \
  X(kOtherMemory, "other memory") \
  X(kAtomic, "atomic")            \
  X(kCollective, "collective")    \
  X(kControl, "control")          \
  X(kBarrier, "barrier")          \
  X(kFence, "fence")

enum class OpClass : uint8_t {
#define X(enumerator, word) enumerator,
  ASTITCH_SIMT_CLASSES(X)
#undef X
};
inline constexpr int kNumOpClasses = 0
#define X(enumerator, word) +1
    ASTITCH_SIMT_CLASSES(X)
#undef X
    ;
absl::string_view ToString(OpClass op_class);

// Sectors of 32 bytes. L2: distinct ones of each warp's access. DRAM: what the L2 does not hold.
struct BufferTraffic {
  int64_t l2_load_sectors = 0, l2_store_sectors = 0;
  int64_t dram_read_sectors = 0, dram_write_sectors = 0;
  BufferTraffic& operator+=(const BufferTraffic& other);
};

struct StageCounts {
  std::string stage;  // "0.1 %root"; "" before the first marker
  std::array<int64_t, kNumOpClasses> warp_instructions = {};
  std::array<int64_t, kNumOpClasses> thread_instructions = {};
  std::vector<BufferTraffic> buffers;  // by buffer of the launch
  int64_t shared_accesses = 0;         // of warps
  int64_t bank_conflicts = 0;          // passes beyond the first that an access needs
  int64_t block_barriers = 0, warp_barriers = 0, cluster_barriers = 0;  // completed

  StageCounts& operator+=(const StageCounts& other);
  bool Empty() const;
};

}  // namespace astitch::simt
