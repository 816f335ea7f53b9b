// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Accesses: who wrote and read a word before, and is it ordered with that.
#include "simt/race/detector.h"

#include <algorithm>
#include <bit>

namespace astitch::simt {
namespace {

// Past this many warps that read one word, only blocks are told apart.
constexpr size_t kMaxWarpReads = 32;

Conflict WrittenBy(const Granule& granule, Conflict::Kind kind) {
  Conflict out;
  out.kind = kind;
  out.other_wrote = true;
  out.other = granule.writer;
  out.other_pc = granule.write_pc;
  return out;
}

Conflict ReadBy(ThreadId other, bool is_block, uint32_t pc) {
  Conflict out;
  out.other = other;
  out.other_is_block = is_block;
  out.other_pc = pc;
  return out;
}

}  // namespace

bool RaceDetector::IsKnown(const Accessor& me, ThreadId other, Moment at) {
  Materialize(*me.clock);
  const KnowledgePtr& known = me.clock->learned->known;
  return known && known->Covers(other, BlockOf(other), at);
}

bool RaceDetector::IsBlockKnown(const Accessor& me, ThreadId of_block, uint32_t epoch) {
  Materialize(*me.clock);
  const KnowledgePtr& known = me.clock->learned->known;
  return known && known->CoversBlock(BlockOf(of_block), epoch);
}

bool RaceDetector::BothStrong(const Accessor& me, ThreadId other, Strength strength) const {
  const Strength scope = std::min(me.strength, strength);
  if (scope == Strength::kWeak) return false;
  const uint32_t block = BlockOf(other);
  if (scope == Strength::kCta) return block == me.block;
  if (scope == Strength::kCluster) return block / cluster_blocks_ == me.block / cluster_blocks_;
  return true;
}

inline bool RaceDetector::Read(Shadow& shadow, const Accessor& me, Granule& granule,
                               Conflict& conflict) {
  bool found = false;
  if (granule.writer != kNoThread) {
    if (me.non_coherent) {
      conflict = WrittenBy(granule, Conflict::Kind::kReadAfterWriteNonCoherent);
      found = true;
    } else if (!BothStrong(me, granule.writer, granule.write_strength) &&
               !Ordered(me, granule.writer, granule.written)) {
      conflict = WrittenBy(granule, Conflict::Kind::kRace);
      found = true;
    }
  }
  if (me.non_coherent) {
    granule.non_coherent = true;
    granule.non_coherent_pc = me.pc;
  }
  AddReader(shadow, me, granule);
  return found;
}

template <RaceDetector::Touch kTouch>
bool RaceDetector::OnAccess(Shadow& shadow, const Accessor& me, int64_t offset, int bytes,
                            Conflict& conflict) {
  bool found = false;
  shadow.ForEach(offset, bytes, [&](Granule& granule) {
    found |= (this->*kTouch)(shadow, me, granule, conflict);
  });
  return found;
}

template <RaceDetector::Touch kTouch>
void RaceDetector::OnAccesses(Shadow& shadow, const Accessor& first, uint32_t mask,
                              const int64_t (&offsets)[32], int bytes, OnConflict on_conflict) {
  Accessor me = first;
  for (; mask != 0; mask &= mask - 1) {
    const int lane = std::countr_zero(mask);
    me.thread = first.thread + lane;
    me.clock = first.clock + lane;
    Conflict conflict;
    if (OnAccess<kTouch>(shadow, me, offsets[lane], bytes, conflict)) on_conflict(lane, conflict);
  }
}

std::optional<Conflict> RaceDetector::OnRead(Shadow& shadow, const Accessor& me, int64_t offset,
                                             int bytes) {
  Conflict conflict;
  if (!OnAccess<&RaceDetector::Read>(shadow, me, offset, bytes, conflict)) return std::nullopt;
  return conflict;
}

void RaceDetector::OnReads(Shadow& shadow, const Accessor& first, uint32_t mask,
                           const int64_t (&offsets)[32], int bytes, OnConflict on_conflict) {
  OnAccesses<&RaceDetector::Read>(shadow, first, mask, offsets, bytes, on_conflict);
}

void RaceDetector::AddReader(Shadow& shadow, const Accessor& me, Granule& granule) {
  const uint32_t lane = me.thread % 32;
  WarpRead& reader = granule.reader;
  if (reader.first == me.thread - lane && reader.at == me.clock->now) {
    reader.lanes |= 1u << lane;
    reader.pc = me.pc;
    reader.strength = std::min(reader.strength, me.strength);
    return;
  }
  if (reader.first != kNoThread && !ReadersOrdered(me, reader)) {
    AddToMore(shadow.More(granule), reader);
  }
  // One by one: a whole made of parts is read back before they have all arrived, and waits.
  reader.first = me.thread - lane;
  reader.lanes = 1u << lane;
  reader.at = me.clock->now;
  reader.pc = me.pc;
  reader.strength = me.strength;
}

bool RaceDetector::ReadersOrdered(const Accessor& me, const WarpRead& read) {
  if (IsBlockOrdered(me, read.first, read.at.epoch)) return true;
  for (uint32_t lanes = read.lanes; lanes != 0; lanes &= lanes - 1) {
    if (!Ordered(me, read.first + std::countr_zero(lanes), read.at)) return false;
  }
  return true;
}

void RaceDetector::AddToMore(MoreReaders& more, const WarpRead& read) {
  if (more.blocks.empty()) {
    for (WarpRead& known : more.warps) {
      if (known.first != read.first) continue;
      // A later read of the same lanes stands for the earlier one.
      const bool same_lanes = (known.lanes & ~read.lanes) == 0 && known.at <= read.at;
      if (known.at != read.at && !same_lanes) continue;
      const Strength strength = std::min(known.strength, read.strength);
      const uint32_t lanes = known.lanes | read.lanes;
      known = read;
      known.lanes = lanes;
      known.strength = strength;
      return;
    }
    if (more.warps.size() < kMaxWarpReads) {
      more.warps.push_back(read);
      return;
    }
    more.blocks.resize(num_blocks_);
  }
  BlockRead& block = more.blocks[BlockOf(read.first)];
  block.epoch = std::max(block.epoch, read.at.epoch);
  block.pc = read.pc;
  block.strength = std::min(block.strength, read.strength);
}

std::optional<Conflict> RaceDetector::CheckReaders(Shadow& shadow, const Accessor& me,
                                                   Granule& granule) {
  const auto check = [&](const WarpRead& read) -> std::optional<Conflict> {
    if (IsBlockOrdered(me, read.first, read.at.epoch)) return std::nullopt;
    for (uint32_t lanes = read.lanes; lanes != 0; lanes &= lanes - 1) {
      const ThreadId other = read.first + std::countr_zero(lanes);
      if (BothStrong(me, other, read.strength) || Ordered(me, other, read.at)) continue;
      return ReadBy(other, false, read.pc);
    }
    return std::nullopt;
  };
  if (granule.reader.first == kNoThread) return std::nullopt;
  if (const auto conflict = check(granule.reader)) return conflict;
  if (granule.more == 0) return std::nullopt;
  const MoreReaders& more = shadow.More(granule);
  for (const WarpRead& read : more.warps) {
    if (const auto conflict = check(read)) return conflict;
  }
  for (uint32_t block = 0; block < more.blocks.size(); ++block) {
    const BlockRead& read = more.blocks[block];
    if (read.epoch == 0) continue;
    if (BothStrong(me, block * threads_per_block_, read.strength)) continue;
    // A thread that no exception names stands for the block.
    const bool ordered = block == me.block
                             ? read.epoch < me.clock->seen
                             : Ordered(me, block * threads_per_block_ + 31, {read.epoch, ~0u});
    if (!ordered) return ReadBy(block * threads_per_block_, true, read.pc);
  }
  return std::nullopt;
}

inline bool RaceDetector::Write(Shadow& shadow, const Accessor& me, Granule& granule,
                                Conflict& conflict) {
  bool found = true;
  if (granule.non_coherent) {
    conflict = ReadBy(granule.reader.first, false, granule.non_coherent_pc);
    conflict.kind = Conflict::Kind::kWriteAfterReadNonCoherent;
  } else if (granule.writer != kNoThread &&
             !BothStrong(me, granule.writer, granule.write_strength) &&
             !Ordered(me, granule.writer, granule.written)) {
    conflict = WrittenBy(granule, Conflict::Kind::kRace);
  } else if (granule.reader.first == kNoThread) {
    found = false;
  } else if (const auto reader = CheckReaders(shadow, me, granule)) {
    conflict = *reader;
  } else {
    found = false;
  }
  // What came before is ordered before this write, or was reported.
  granule.writer = me.thread;
  granule.written = me.clock->now;
  granule.write_pc = me.pc;
  granule.write_strength = me.strength;
  if (granule.more != 0) shadow.More(granule).Clear();
  // Strong readers stay: a weak access by others has still to be ordered with them.
  if (granule.reader.strength == Strength::kWeak) granule.reader = {};
  return found;
}

std::optional<Conflict> RaceDetector::OnWrite(Shadow& shadow, const Accessor& me, int64_t offset,
                                              int bytes) {
  Conflict conflict;
  if (!OnAccess<&RaceDetector::Write>(shadow, me, offset, bytes, conflict)) return std::nullopt;
  return conflict;
}

void RaceDetector::OnWrites(Shadow& shadow, const Accessor& first, uint32_t mask,
                            const int64_t (&offsets)[32], int bytes, OnConflict on_conflict) {
  OnAccesses<&RaceDetector::Write>(shadow, first, mask, offsets, bytes, on_conflict);
}

std::optional<Conflict> RaceDetector::OnEnd(Shadow& shadow, const Accessor& me) {
  std::optional<Conflict> out;
  const auto check = [&](const WarpRead& read) {
    if (read.first == kNoThread || BlockOf(read.first) == me.block) return;
    if (!ReadersOrdered(me, read)) out = ReadBy(read.first, false, read.pc);
  };
  shadow.ForAll([&](Granule& granule) {
    if (granule.writer != kNoThread && BlockOf(granule.writer) != me.block &&
        !Ordered(me, granule.writer, granule.written)) {
      out = WrittenBy(granule, Conflict::Kind::kRace);
    }
    check(granule.reader);
    if (granule.more == 0) return;
    for (const WarpRead& read : shadow.More(granule).warps) check(read);
  });
  return out;
}

}  // namespace astitch::simt
