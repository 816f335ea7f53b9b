// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// One thread's access to memory: where it leads, and whether it may be done.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "simt/machine/machine.h"

namespace astitch::simt {
namespace {

constexpr uint64_t kRankMask = 0xFF;
constexpr uint64_t kSharedOffsetMask = (uint64_t{1} << kRankShift) - 1;

bool AllValid(const uint8_t* valid, int bytes) {
  if (bytes == 4) {
    uint32_t word;
    std::memcpy(&word, valid, 4);
    return word == 0x01010101u;
  }
  return std::find(valid, valid + bytes, 0) == valid + bytes;
}

}  // namespace

Region* Machine::FindShared(Warp& warp, uint64_t address, int64_t& offset) {
  const uint64_t rank = address >> kRankShift & kRankMask;
  offset = static_cast<int64_t>(address & kSharedOffsetMask);
  if (address >> kRankShift > kRankMask) return nullptr;
  if (rank == 0) {
    // An offset just below zero is that, not a far one.
    return &warp.block->shared_region;
  }
  const auto& blocks = warp.block->cluster->blocks;
  return rank - 1 < blocks.size() ? &blocks[rank - 1]->shared_region : nullptr;
}

Region* Machine::FindLocal(Warp& warp, int lane) {
  warp.local_region.bytes = warp.local.data() + lane * program_.local_bytes;
  warp.local_region.valid = warp.local_valid.data() + lane * program_.local_bytes;
  return &warp.local_region;
}

Region* Machine::FindRegion(Warp& warp, const Op& op, int lane, Space space, uint64_t address,
                            int64_t& offset) {
  switch (space) {
    case Space::kGlobal: {
      const uint64_t number = (address >> kBufferShift) - 1;
      const bool of_module = number >= kFirstModuleBuffer;
      const uint64_t index = of_module ? number - kFirstModuleBuffer + num_caller_buffers_ : number;
      if (index >= (of_module ? buffers_.size() : num_caller_buffers_)) return nullptr;
      offset = static_cast<int64_t>(address - GlobalBase(static_cast<int32_t>(number)));
      return &buffers_[index];
    }
    case Space::kShared:
    case Space::kSharedCluster:
      return FindShared(warp, address, offset);
    case Space::kLocal:
      offset = static_cast<int64_t>(address);
      return FindLocal(warp, lane);
    case Space::kParam:
      offset = static_cast<int64_t>(address & ~kParamIsLocal);
      return (address & kParamIsLocal) != 0 ? FindLocal(warp, lane) : &parameter_region_;
    case Space::kConst:
      offset = static_cast<int64_t>(address);
      return &const_region_;
    case Space::kGeneric: {
      const uint64_t rest = address & ((uint64_t{1} << kSpaceShift) - 1);
      constexpr Space kByTag[] = {Space::kGlobal, Space::kShared, Space::kLocal, Space::kParam,
                                  Space::kConst};
      const uint64_t tag = address >> kSpaceShift;
      if (tag >= std::size(kByTag)) return nullptr;
      return FindRegion(warp, op, lane, kByTag[tag], rest, offset);
    }
  }
  return nullptr;
}

// Shared memory of a block of the cluster lives as long as that block.
void Machine::CheckAlive(Warp& warp, const Op& op, int lane, const Region& region) {
  for (const auto& block : warp.block->cluster->blocks) {
    if (&block->shared_region != &region || !block->finished()) continue;
    ReportAt(ReportKind::kUndefined, warp, op, lane, 0, [&] {
      return absl::StrCat("shared memory of block ", block->index, ", which has ended");
    });
  }
}

Place Machine::Locate(Warp& warp, const Op& op, int lane, uint64_t address, int bytes) {
  Place out;
  if (op.memory.narrow_address) address &= 0xFFFFFFFF;
  out.region = FindRegion(warp, op, lane, op.memory.space, address, out.offset);
  if (out.region == nullptr) {
    ReportAt(ReportKind::kOutOfBounds, warp, op, lane, 0, [&] {
      return absl::StrCat("address 0x", absl::Hex(address), " is of no ",
                          SpaceName(op.memory.space), " memory");
    });
    return out;
  }
  if (out.region->space == Space::kShared && out.region != &warp.block->shared_region) {
    CheckAlive(warp, op, lane, *out.region);
  }
  if (out.offset < 0 || out.offset + bytes > out.region->size) {
    ReportAt(ReportKind::kOutOfBounds, warp, op, lane, 0, [&] {
      return absl::StrCat(bytes, " bytes at offset ", out.offset, " of ", out.region->name,
                          ", which has ", out.region->size);
    });
    out.region = nullptr;
  } else if (out.offset % bytes != 0) {
    ReportAt(ReportKind::kMisaligned, warp, op, lane, 0, [&] {
      return absl::StrCat(bytes, " bytes at offset ", out.offset, " of ", out.region->name);
    });
    out.region = nullptr;
  }
  return out;
}

Accessor Machine::AccessorOf(Warp& warp, const Op& op, int lane) {
  const uint32_t in_block = warp.index * 32 + lane;
  return {GridThread(warp, lane),
          static_cast<uint32_t>(warp.block->index),
          params_.races ? &warp.block->clocks[in_block] : nullptr,
          static_cast<uint32_t>(&op - program_.code.data()),
          op.memory.strength,
          op.memory.non_coherent};
}

bool Machine::CheckValid(Warp& warp, const Op& op, int lane, const Place& place, int bytes) {
  if (place.region->valid == nullptr || AllValid(place.region->valid + place.offset, bytes)) {
    return true;
  }
  ReportAt(ReportKind::kUnwrittenRead, warp, op, lane, 0, [&] {
    return absl::StrCat(bytes, " bytes at offset ", place.offset, " of ", place.region->name);
  });
  return false;
}

std::string Machine::ThreadText(ThreadId thread) const {
  return absl::StrCat("thread ", thread % padded_threads_, " of block ", thread / padded_threads_);
}

void Machine::ReportConflict(Warp& warp, const Op& op, int lane, const Place& place, int bytes,
                             const Conflict& conflict, bool writes) {
  const ReportKind kind =
      conflict.kind == Conflict::Kind::kRace ? ReportKind::kDataRace : ReportKind::kNonCoherentRead;
  const int32_t other_line = program_.code[conflict.other_pc].line;
  ReportAt(kind, warp, op, lane, other_line, [&] {
    const std::string who = conflict.other_is_block || conflict.other == kNoThread
                                ? std::string("another block")
                                : ThreadText(conflict.other);
    const char* const what = conflict.other_wrote ? "write" : "read";
    std::string out = absl::StrCat(bytes, "-byte ", writes ? "write" : "read", " at offset ",
                                   place.offset, " of ", place.region->name);
    if (kind == ReportKind::kDataRace) {
      return absl::StrCat(out, " is not ordered with the ", what, " at line ", other_line, " by ",
                          who);
    }
    return writes ? absl::StrCat(out, ", which was read through ld.global.nc at line ", other_line)
                  : absl::StrCat(out, " through ld.global.nc after the write at line ", other_line,
                                 " by ", who);
  });
}

bool Machine::Loaded(Warp& warp, const Op& op, int lane, const Place& place, int bytes) {
  if (place.region->shadow != nullptr) {
    const Accessor me = AccessorOf(warp, op, lane);
    if (const auto conflict = detector_.OnRead(*place.region->shadow, me, place.offset, bytes)) {
      ReportConflict(warp, op, lane, place, bytes, *conflict, false);
    }
    if (me.strength != Strength::kWeak) {
      detector_.StrongRead({place.region->shadow, place.offset}, me, op.memory.acquire);
    }
  }
  return CheckValid(warp, op, lane, place, bytes);
}

bool Machine::Stored(Warp& warp, const Op& op, int lane, const Place& place, int bytes) {
  if (place.region->read_only) {
    ReportAt(ReportKind::kReadOnlyWrite, warp, op, lane, 0, [&] {
      return absl::StrCat(bytes, " bytes at offset ", place.offset, " of ", place.region->name);
    });
    return false;
  }
  if (place.region->shadow != nullptr) {
    const Accessor me = AccessorOf(warp, op, lane);
    if (const auto conflict = detector_.OnWrite(*place.region->shadow, me, place.offset, bytes)) {
      ReportConflict(warp, op, lane, place, bytes, *conflict, true);
    }
    if (me.strength != Strength::kWeak) {
      detector_.StrongWrite({place.region->shadow, place.offset}, me, op.memory.release, false);
    }
  }
  if (place.region->valid != nullptr) {
    std::fill_n(place.region->valid + place.offset, bytes, uint8_t{1});
  }
  Progress();
  return true;
}

bool Machine::Exchanged(Warp& warp, const Op& op, int lane, const Place& place, int bytes,
                        bool written) {
  if (place.region->read_only) return Stored(warp, op, lane, place, bytes);
  if (place.region->shadow != nullptr) {
    const Accessor me = AccessorOf(warp, op, lane);
    Shadow& shadow = *place.region->shadow;
    const auto conflict = written ? detector_.OnWrite(shadow, me, place.offset, bytes)
                                  : detector_.OnRead(shadow, me, place.offset, bytes);
    if (conflict) ReportConflict(warp, op, lane, place, bytes, *conflict, written);
    detector_.StrongRead({&shadow, place.offset}, me, op.memory.acquire);
    if (written) {
      detector_.StrongWrite({&shadow, place.offset}, me, op.memory.release, true);
    }
  }
  return CheckValid(warp, op, lane, place, bytes);
}

}  // namespace astitch::simt
