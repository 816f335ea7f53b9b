// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The two ways to memory: threads go through the generic proxy, bulk copies through the async one.
//
// An access by threads comes before a bulk copy that touches the same word only if a fence between
// the proxies lies on the way from one to the other: by the thread that accessed, after it, or by
// the one that starts the copy, when it knows of the access. (A third thread's fence would do, too,
// and is not looked for.) The other way round nothing is needed: whoever sees the copy complete, by
// its mbarrier, sees its bytes.
#include <bit>

#include "simt/race/detector.h"

namespace astitch::simt {

void RaceDetector::ProxyFence(const Accessor& me, Proxied what) {
  ThreadClock& clock = *me.clock;
  Materialize(clock);
  clock.Learn().proxied[static_cast<int>(what)] = {true, Strength::kSys, clock.known(), clock.seen,
                                                   clock.now};
  ++clock.now.sub;
}

bool RaceDetector::Fenced(const Accessor& me, ThreadId other, Moment at, Proxied what,
                          absl::Span<const ThreadClock> clocks) {
  const uint32_t block = BlockOf(other);
  const auto fence_of = [&](const ThreadClock& clock) -> const Snapshot* {
    if (!clock.learned) return nullptr;
    const Snapshot& fence = clock.learned->proxied[static_cast<int>(what)];
    return fence.taken ? &fence : nullptr;
  };
  if (const Snapshot* const mine = fence_of(*me.clock)) {
    if (other == me.thread && at <= mine->at) return true;
    if (other != me.thread && block == me.block && at.epoch < mine->floor) return true;
    if (other != me.thread && mine->known && mine->known->Covers(other, block, at)) return true;
  }
  if (block != me.block) return false;
  const Snapshot* const theirs = fence_of(clocks[other % threads_per_block_]);
  return theirs != nullptr && at <= theirs->at && Ordered(me, other, theirs->at);
}

std::optional<Conflict> RaceDetector::OnAsync(Shadow& shadow, const Accessor& me, int64_t offset,
                                              int bytes, bool writes, Proxied what,
                                              absl::Span<const ThreadClock> clocks,
                                              absl::FunctionRef<bool(uint32_t pc)> is_async) {
  std::optional<Conflict> out;
  const auto check_read = [&](const WarpRead& read) {
    if (read.first == kNoThread || is_async(read.pc)) return;
    for (uint32_t lanes = read.lanes; lanes != 0; lanes &= lanes - 1) {
      const ThreadId other = read.first + std::countr_zero(lanes);
      if (!Fenced(me, other, read.at, what, clocks)) out = {.other = other, .other_pc = read.pc};
    }
  };
  shadow.ForEach(offset, bytes, [&](Granule& granule) {
    if (granule.writer != kNoThread && !is_async(granule.write_pc) &&
        !Fenced(me, granule.writer, granule.written, what, clocks)) {
      out = {.other_wrote = true, .other = granule.writer, .other_pc = granule.write_pc};
    }
    if (!writes) return;
    check_read(granule.reader);
    if (granule.more == 0) return;
    for (const WarpRead& read : shadow.More(granule).warps) check_read(read);
  });
  return out;
}

}  // namespace astitch::simt
