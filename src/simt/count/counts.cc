// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Adds up what warps report, stage by stage, and gives classes of operations their names.
#include "simt/count/counts.h"

#include <numeric>

#include "base/check.h"

namespace astitch::simt {

absl::string_view ToString(OpClass op_class) {
  switch (op_class) {
#define X(enumerator, word) \
  case OpClass::enumerator: \
    return word;
    ASTITCH_SIMT_CLASSES(X)
#undef X
  }
  ASTITCH_UNREACHABLE();
}

BufferTraffic& BufferTraffic::operator+=(const BufferTraffic& other) {
  l2_load_sectors += other.l2_load_sectors;
  l2_store_sectors += other.l2_store_sectors;
  dram_read_sectors += other.dram_read_sectors;
  dram_write_sectors += other.dram_write_sectors;
  return *this;
}

StageCounts& StageCounts::operator+=(const StageCounts& other) {
  for (int i = 0; i < kNumOpClasses; ++i) {
    warp_instructions[i] += other.warp_instructions[i];
    thread_instructions[i] += other.thread_instructions[i];
  }
  buffers.resize(std::max(buffers.size(), other.buffers.size()));
  for (size_t i = 0; i < other.buffers.size(); ++i) buffers[i] += other.buffers[i];
  shared_accesses += other.shared_accesses;
  bank_conflicts += other.bank_conflicts;
  block_barriers += other.block_barriers;
  warp_barriers += other.warp_barriers;
  cluster_barriers += other.cluster_barriers;
  return *this;
}

bool StageCounts::Empty() const {
  return std::accumulate(warp_instructions.begin(), warp_instructions.end(), int64_t{0}) == 0;
}

}  // namespace astitch::simt
