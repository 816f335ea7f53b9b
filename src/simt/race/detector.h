// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Data races by happens-before, as the PTX memory model orders accesses.
//
// Two accesses of a word conflict when one writes. They are no race when one happens before the
// other, or when both are strong (atomic, volatile, relaxed, acquire, release) in scopes that hold
// both threads. Order comes from program order, barriers of the block and of the cluster,
// bar.warp.sync, and release/acquire: a releasing write (or a fence before a strong write) that an
// acquiring read (or a strong read before a fence) sees, in scopes that hold both. Shuffles order
// nothing. So the verdict does not depend on the schedule that was run, as far as it took the same
// branches.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "simt/race/knowledge.h"
#include "simt/race/shadow.h"

namespace astitch::simt {

// What a fence saw; the next strong write publishes it.
struct Snapshot {
  bool taken = false;
  Strength scope = Strength::kWeak;
  KnowledgePtr known;
  uint32_t floor = 0;
  Moment at;
};

// What a fence makes known to bulk copies (proxies.cc).
enum class Proxied : uint8_t { kShared, kGlobal, kMbarriers };

// What a thread knows of other threads, and its fences.
struct Learned {
  KnowledgePtr known;
  KnowledgePtr newly;  // acquired and not joined yet: a spinning thread acquires again and again
  KnowledgePtr pending, pending_in_block;  // read by strong reads; a fence acquires it
  Snapshot fence;
  std::array<Snapshot, 3> proxied;  // by Proxied: the latest such fence
};

// The time of one thread; short, since every access of the thread looks at it.
struct ThreadClock {
  ThreadClock() = default;
  ThreadClock(ThreadClock&&) = default;
  ThreadClock& operator=(ThreadClock&&) = default;
  ThreadClock(const ThreadClock& other)
      : now(other.now),
        seen(other.seen),
        learned(other.learned ? std::make_unique<Learned>(*other.learned) : nullptr) {}
  ThreadClock& operator=(const ThreadClock& other) { return *this = ThreadClock(other); }

  Moment now = {1, 0};               // what its accesses are recorded under
  uint32_t seen = 1;                 // everything of its block before this epoch happened before
  std::unique_ptr<Learned> learned;  // null: nothing

  KnowledgePtr known() const { return learned ? learned->known : nullptr; }
  Learned& Learn() {
    if (!learned) learned = std::make_unique<Learned>();
    return *learned;
  }
};

struct Accessor {
  ThreadId thread = 0;
  uint32_t block = 0;
  ThreadClock* clock = nullptr;
  uint32_t pc = 0;
  Strength strength = Strength::kWeak;
  bool non_coherent = false;
};

struct Conflict {
  enum class Kind : uint8_t { kRace, kReadAfterWriteNonCoherent, kWriteAfterReadNonCoherent };
  Kind kind = Kind::kRace;
  bool other_wrote = false;
  ThreadId other = 0;  // of the block only where `other_is_block`
  bool other_is_block = false;
  uint32_t other_pc = 0;
};

class RaceDetector {
 public:
  RaceDetector(uint32_t num_blocks, uint32_t threads_per_block, uint32_t cluster_blocks)
      : num_blocks_(num_blocks),
        threads_per_block_(threads_per_block),
        cluster_blocks_(cluster_blocks) {}

  std::optional<Conflict> OnRead(Shadow& shadow, const Accessor& me, int64_t offset, int bytes);
  std::optional<Conflict> OnWrite(Shadow& shadow, const Accessor& me, int64_t offset, int bytes);

  // The same for the lanes of MASK of a warp, at OFFSETS by lane; FIRST is its lane 0. REQUIRES: weak
  // accesses. Conflicts come in order of lanes.
  using OnConflict = absl::FunctionRef<void(int lane, const Conflict& conflict)>;
  void OnReads(Shadow& shadow, const Accessor& first, uint32_t mask, const int64_t (&offsets)[32],
               int bytes, OnConflict on_conflict);
  void OnWrites(Shadow& shadow, const Accessor& first, uint32_t mask, const int64_t (&offsets)[32],
                int bytes, OnConflict on_conflict);

  // The block of ME ends, and SHADOW's memory with it: an access by another block that is not
  // ordered before.
  std::optional<Conflict> OnEnd(Shadow& shadow, const Accessor& me);

  // Whether what thread OTHER did AT a moment happened before what ME does now.
  bool HappenedBefore(ThreadId other, Moment at, const Accessor& me) {
    return Ordered(me, other, at);
  }

  void ProxyFence(const Accessor& me, Proxied what);
  // Whether a fence between the proxies lies between what OTHER did AT a moment and the bulk copy
  // that ME starts. CLOCKS are those of ME's block.
  bool Fenced(const Accessor& me, ThreadId other, Moment at, Proxied what,
              absl::Span<const ThreadClock> clocks);
  // A bulk copy of ME reads or writes: an access by a thread with no fence between. IS_ASYNC: the
  // access at a pc was another bulk copy's.
  std::optional<Conflict> OnAsync(Shadow& shadow, const Accessor& me, int64_t offset, int bytes,
                                  bool writes, Proxied what, absl::Span<const ThreadClock> clocks,
                                  absl::FunctionRef<bool(uint32_t pc)> is_async);

  // Ordering. A LOCATION is a region's shadow and an offset.
  using Location = std::pair<const Shadow*, int64_t>;
  void StrongRead(const Location& location, const Accessor& me, bool acquire);
  void StrongWrite(const Location& location, const Accessor& me, bool release, bool read_modify);
  void Fence(const Accessor& me, Strength scope);

  // All live threads of a block met.
  void BlockBarrier(absl::Span<ThreadClock> clocks);
  // These threads of one block met: a warp, or a part of the block.
  void JoinGroup(absl::Span<const Accessor> group);
  // One thread's arrival at the cluster's barrier, collected in MET; what it does later is not in.
  void ClusterArrive(const Accessor& me, bool release, KnowledgePtr& met);
  // MET with the blocks' floors, and a thread that takes it.
  KnowledgePtr ClusterComplete(const KnowledgePtr& met, absl::Span<const uint32_t> blocks,
                               absl::Span<const uint32_t> floors);
  void ClusterWait(const Accessor& me, uint32_t own_floor, const KnowledgePtr& met);

 private:
  struct Published {
    Strength scope;
    uint32_t domain;  // block or cluster of a narrow scope, else 0
    int64_t block;    // of the only releaser, or -1
    KnowledgePtr known;
  };
  struct SyncVariable {
    std::vector<Published> published;
    uint64_t chain = 0, number = 0;
  };

  bool IsOfBlock(uint32_t block, ThreadId thread) const {
    return thread - block * threads_per_block_ < threads_per_block_;
  }
  bool Ordered(const Accessor& me, ThreadId other, Moment at) {
    if (other == me.thread || (at.epoch < me.clock->seen && IsOfBlock(me.block, other)))
      return true;
    return me.clock->learned && IsKnown(me, other, at);
  }
  bool IsKnown(const Accessor& me, ThreadId other, Moment at);
  // True: all that OF_BLOCK's block did in EPOCH happened before. False: ask for each thread.
  bool IsBlockOrdered(const Accessor& me, ThreadId of_block, uint32_t epoch) {
    if (IsOfBlock(me.block, of_block)) return epoch < me.clock->seen;
    return me.clock->learned && IsBlockKnown(me, of_block, epoch);
  }
  bool IsBlockKnown(const Accessor& me, ThreadId of_block, uint32_t epoch);
  bool Read(Shadow& shadow, const Accessor& me, Granule& granule, Conflict& conflict);
  bool Write(Shadow& shadow, const Accessor& me, Granule& granule, Conflict& conflict);
  // Read or Write, of one granule; of all of one access; of all of those of a warp.
  using Touch = bool (RaceDetector::*)(Shadow&, const Accessor&, Granule&, Conflict&);
  template <Touch kTouch>
  bool OnAccess(Shadow& shadow, const Accessor& me, int64_t offset, int bytes, Conflict& conflict);
  template <Touch kTouch>
  void OnAccesses(Shadow& shadow, const Accessor& first, uint32_t mask,
                  const int64_t (&offsets)[32], int bytes, OnConflict on_conflict);
  bool BothStrong(const Accessor& me, ThreadId other, Strength strength) const;
  bool ReadersOrdered(const Accessor& me, const WarpRead& read);
  std::optional<Conflict> CheckReaders(Shadow& shadow, const Accessor& me, Granule& granule);
  void AddReader(Shadow& shadow, const Accessor& me, Granule& granule);
  void AddToMore(MoreReaders& more, const WarpRead& read);
  uint32_t BlockOf(ThreadId thread) const { return thread / threads_per_block_; }
  uint32_t Domain(Strength scope, uint32_t block) const;
  void Materialize(ThreadClock& clock) {
    if (clock.learned && clock.learned->newly) JoinNewly(*clock.learned);
  }
  void JoinNewly(Learned& learned);
  void Publish(SyncVariable& variable, const Accessor& me, const Snapshot& what, Strength scope,
               bool read_modify);
  KnowledgePtr JoinAll(absl::Span<ThreadClock> clocks);

  uint32_t num_blocks_, threads_per_block_, cluster_blocks_;
  uint64_t next_chain_ = 1;
  absl::flat_hash_map<Location, SyncVariable> variables_;
  KnowledgePtr memo_in_, memo_met_, memo_out_;  // the last join of ClusterWait
};

}  // namespace astitch::simt
