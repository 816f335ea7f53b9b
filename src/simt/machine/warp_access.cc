// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The accesses of most warps: all lanes in bounds of one region, to memory that may be read or
// written so. What they mean is what access.cc says of a lane; where a lane has anything to report,
// or is ordered by its access, all go there.
#include <bit>
#include <cstring>

#include "simt/machine/machine.h"

namespace astitch::simt {
namespace {

template <typename T>
bool AllOnes(const uint8_t* valid, uint32_t mask, const int64_t (&offsets)[32]) {
  constexpr T kOnes = static_cast<T>(0x0101010101010101u);
  T all = kOnes;
  ForLanes(mask, [&](int lane) {
    T flags;
    std::memcpy(&flags, valid + offsets[lane], sizeof(T));
    all &= flags;
  });
  return all == kOnes;
}

bool AllValid(const uint8_t* valid, uint32_t mask, const int64_t (&offsets)[32], int bytes) {
  switch (bytes) {
    case 1:
      return AllOnes<uint8_t>(valid, mask, offsets);
    case 2:
      return AllOnes<uint16_t>(valid, mask, offsets);
    case 4:
      return AllOnes<uint32_t>(valid, mask, offsets);
  }
  bool all = true;
  for (int i = 0; i < bytes; i += 8) all &= AllOnes<uint64_t>(valid + i, mask, offsets);
  return all;
}

}  // namespace

Region* Machine::LocateTogether(Warp& warp, const Op& op, uint32_t mask, const uint64_t* base,
                                int bytes, int64_t (&offsets)[32]) {
  const uint64_t keep = op.memory.narrow_address ? 0xFFFFFFFF : ~uint64_t{0};
  const int first = std::countr_zero(mask);
  const uint64_t address = (base[first] + op.imm) & keep;
  int64_t offset = 0;
  Region* const region = FindRegion(warp, op, first, op.memory.space, address, offset);
  if (region == nullptr || region->size < bytes) return nullptr;
  // Local memory is each lane's own; that of other blocks may have ended.
  if (region->space == Space::kLocal) return nullptr;
  if (region->space == Space::kShared && region != &warp.block->shared_region) return nullptr;
  const auto last = static_cast<uint64_t>(region->size - bytes);
  const auto within = static_cast<uint64_t>(bytes - 1);
  bool good = true;
  ForLanes(mask, [&](int lane) {
    const uint64_t at = ((base[lane] + op.imm) & keep) - address + static_cast<uint64_t>(offset);
    offsets[lane] = static_cast<int64_t>(at);
    good &= at <= last && (at & within) == 0;
  });
  return good ? region : nullptr;
}

bool Machine::LoadedTogether(Warp& warp, const Op& op, uint32_t mask, Region& region,
                             const int64_t (&offsets)[32], int bytes) {
  if (op.memory.strength != Strength::kWeak) return false;
  if (region.valid != nullptr && !AllValid(region.valid, mask, offsets, bytes)) return false;
  if (region.shadow == nullptr) return true;
  detector_.OnReads(*region.shadow, AccessorOf(warp, op, 0), mask, offsets, bytes,
                    [&](int lane, const Conflict& conflict) {
                      ReportConflict(warp, op, lane, {&region, offsets[lane]}, bytes, conflict,
                                     false);
                    });
  return true;
}

bool Machine::StoredTogether(Warp& warp, const Op& op, uint32_t mask, Region& region,
                             const int64_t (&offsets)[32], int bytes) {
  if (op.memory.strength != Strength::kWeak || region.read_only) return false;
  if (region.shadow != nullptr) {
    detector_.OnWrites(*region.shadow, AccessorOf(warp, op, 0), mask, offsets, bytes,
                       [&](int lane, const Conflict& conflict) {
                         ReportConflict(warp, op, lane, {&region, offsets[lane]}, bytes, conflict,
                                        true);
                       });
  }
  if (region.valid != nullptr) {
    ForLanes(mask, [&](int lane) { std::memset(region.valid + offsets[lane], 1, bytes); });
  }
  Progress();
  return true;
}

}  // namespace astitch::simt
