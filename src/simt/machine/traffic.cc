// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Sectors and bank conflicts of one warp's access.
#include <bit>

#include "simt/count/banks.h"
#include "simt/machine/machine.h"

namespace astitch::simt {

void Machine::CountAccess(const Op& op, uint32_t mask, Region* const (&regions)[32],
                          const int64_t (&offsets)[32], int bytes, bool store) {
  if (!params_.traffic || mask == 0) return;
  const Region& first = *regions[std::countr_zero(mask)];
  if (first.space == Space::kShared) {
    StageCounts& counts = stage(op);
    ++counts.shared_accesses;
    counts.bank_conflicts += BankConflicts(offsets, mask, bytes);
  } else if (first.space == Space::kGlobal) {
    CountSectors(op, mask, regions, offsets, bytes, store);
  }
}

void Machine::CountTogether(const Op& op, uint32_t mask, const Region& region,
                            const int64_t (&offsets)[32], int bytes, bool store) {
  if (!params_.traffic) return;
  if (region.space == Space::kShared) {
    StageCounts& counts = stage(op);
    ++counts.shared_accesses;
    counts.bank_conflicts += BankConflicts(offsets, mask, bytes);
  } else if (region.space == Space::kGlobal && region.buffer >= 0) {
    StageCounts& counts = stage(op);
    int64_t seen[32];
    int count = 0;
    ForLanes(mask, [&](int lane) {
      const int64_t sector = offsets[lane] >> kSectorShift;
      for (int i = count; i-- > 0;) {
        if (seen[i] == sector) return;
      }
      seen[count++] = sector;
      TouchSector(counts, region.buffer, sector, store, op.memory.evict_first);
    });
  }
}

void Machine::CountSectors(const Op& op, uint32_t mask, Region* const (&regions)[32],
                           const int64_t (&offsets)[32], int bytes, bool store) {
  // Neighbouring lanes mostly share a sector, so the last one is compared first.
  struct Sector {
    int32_t buffer;
    int64_t sector;
  };
  Sector seen[64];
  int count = 0;
  StageCounts& counts = stage(op);
  ForLanes(mask, [&](int lane) {
    if (regions[lane]->buffer < 0) return;
    const int32_t buffer = regions[lane]->buffer;
    const int64_t sector = offsets[lane] >> kSectorShift;
    for (int i = count; i-- > 0;) {
      if (seen[i].sector == sector && seen[i].buffer == buffer) return;
    }
    seen[count++] = {buffer, sector};
    TouchSector(counts, buffer, sector, store, op.memory.evict_first);
  });
}

void Machine::TouchSector(StageCounts& counts, int32_t buffer, int64_t sector, bool store,
                          bool evict_first) {
  BufferTraffic& traffic = counts.buffers[buffer];
  ++(store ? traffic.l2_store_sectors : traffic.l2_load_sectors);
  const L2Cache::Outcome outcome = l2_->Touch(buffer, sector, store, evict_first);
  if (!outcome.hit && !store) ++traffic.dram_read_sectors;
  if (outcome.newly_dirty) ++traffic.dram_write_sectors;
}

}  // namespace astitch::simt
