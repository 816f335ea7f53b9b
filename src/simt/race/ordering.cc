// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Order between threads: barriers, fences, release and acquire.
#include <algorithm>

#include "simt/race/detector.h"

namespace astitch::simt {

uint32_t RaceDetector::Domain(Strength scope, uint32_t block) const {
  if (scope == Strength::kCta) return block;
  if (scope == Strength::kCluster) return block / cluster_blocks_;
  return 0;
}

void RaceDetector::JoinNewly(Learned& learned) {
  learned.known = Join(learned.known, learned.newly, threads_per_block_);
  learned.newly = nullptr;
}

void RaceDetector::StrongRead(const Location& location, const Accessor& me, bool acquire) {
  const auto it = variables_.find(location);
  if (it == variables_.end()) return;
  for (const Published& published : it->second.published) {
    const bool in_scope = published.domain == Domain(published.scope, me.block) &&
                          (me.strength >= Strength::kGpu || published.block == me.block ||
                           (me.strength == Strength::kCluster && published.block >= 0 &&
                            published.block / cluster_blocks_ == me.block / cluster_blocks_));
    if (!in_scope) continue;
    Learned& learned = me.clock->Learn();
    if (!acquire) {
      learned.pending = Join(learned.pending, published.known, threads_per_block_);
      if (published.block == me.block) {
        learned.pending_in_block =
            Join(learned.pending_in_block, published.known, threads_per_block_);
      }
    } else if (!learned.newly || learned.newly->chain == published.known->chain) {
      learned.newly = published.known;
    } else {
      JoinNewly(learned);
      learned.newly = published.known;
    }
  }
}

void RaceDetector::StrongWrite(const Location& location, const Accessor& me, bool release,
                               bool read_modify) {
  ThreadClock& clock = *me.clock;
  if (!release && (!clock.learned || !clock.learned->fence.taken)) {
    // A plain strong write ends what was released here; a read-modify-write continues it.
    if (!read_modify) variables_.erase(location);
    return;
  }
  SyncVariable& variable = variables_[location];
  if (release) {
    Materialize(clock);
    Publish(variable, me, {true, me.strength, clock.known(), clock.seen, clock.now}, me.strength,
            read_modify);
    ++clock.now.sub;
  } else {
    const Snapshot& fence = clock.learned->fence;
    Publish(variable, me, fence, std::min(me.strength, fence.scope), read_modify);
  }
}

void RaceDetector::Publish(SyncVariable& variable, const Accessor& me, const Snapshot& what,
                           Strength scope, bool read_modify) {
  if (!read_modify) variable.published.clear();
  if (variable.published.empty()) {
    variable.chain = next_chain_++;
    variable.number = 0;
  }
  if (scope == Strength::kSys) scope = Strength::kGpu;
  const uint32_t domain = Domain(scope, me.block);
  auto it = std::find_if(variable.published.begin(), variable.published.end(),
                         [&](const auto& p) { return p.scope == scope && p.domain == domain; });
  if (it == variable.published.end()) {
    it = variable.published.insert(it, {scope, domain, static_cast<int64_t>(me.block), nullptr});
  }
  if (it->block != me.block) it->block = -1;
  const KnowledgePtr fresh =
      Extend(what.known, num_blocks_, me.block, what.floor, {me.thread, what.at});
  // A copy of its own, since the chain's number is this variable's.
  auto joined = std::make_shared<Knowledge>(*Join(it->known, fresh, threads_per_block_));
  joined->chain = variable.published.size() == 1 ? variable.chain : next_chain_++;
  joined->number = ++variable.number;
  it->known = std::move(joined);
}

void RaceDetector::Fence(const Accessor& me, Strength scope) {
  ThreadClock& clock = *me.clock;
  Materialize(clock);
  Learned& learned = clock.Learn();
  const KnowledgePtr& pending =
      scope == Strength::kCta ? learned.pending_in_block : learned.pending;
  learned.known = Join(learned.known, pending, threads_per_block_);
  learned.fence = {true, scope, learned.known, clock.seen, clock.now};
  ++clock.now.sub;
}

// Threads of a block mostly know the same, so equal pointers are joined once.
KnowledgePtr RaceDetector::JoinAll(absl::Span<ThreadClock> clocks) {
  KnowledgePtr all;
  const Knowledge* last = nullptr;
  for (ThreadClock& clock : clocks) {
    if (!clock.learned) continue;
    Materialize(clock);
    const KnowledgePtr& known = clock.learned->known;
    if (known.get() == last) continue;
    last = known.get();
    all = Join(all, known, threads_per_block_);
  }
  return all;
}

void RaceDetector::BlockBarrier(absl::Span<ThreadClock> clocks) {
  const KnowledgePtr all = JoinAll(clocks);
  uint32_t epoch = 0;
  for (const ThreadClock& clock : clocks) epoch = std::max(epoch, clock.now.epoch);
  for (ThreadClock& clock : clocks) {
    clock.now = {epoch + 1, 0};
    clock.seen = epoch + 1;
    if (all && clock.Learn().known != all) clock.learned->known = all;
  }
}

void RaceDetector::JoinGroup(absl::Span<const Accessor> group) {
  KnowledgePtr all;
  auto own = std::make_shared<Knowledge>();
  uint32_t seen = 0;
  for (const Accessor& member : group) {
    Materialize(*member.clock);
    all = Join(all, member.clock->known(), threads_per_block_);
    own->exceptions.push_back({member.thread, member.clock->now});
    seen = std::max(seen, member.clock->seen);
  }
  std::sort(own->exceptions.begin(), own->exceptions.end(),
            [](const auto& a, const auto& b) { return a.thread < b.thread; });
  all = Join(all, own, threads_per_block_);
  for (const Accessor& member : group) {
    member.clock->Learn().known = all;
    member.clock->seen = seen;
    ++member.clock->now.sub;
  }
}

void RaceDetector::ClusterArrive(const Accessor& me, bool release, KnowledgePtr& met) {
  if (!release) return;
  ThreadClock& clock = *me.clock;
  Materialize(clock);
  const KnowledgePtr known = clock.known();
  if (known && known != met) met = Join(met, known, threads_per_block_);
  clock.now = {clock.now.epoch + 1, 0};
}

KnowledgePtr RaceDetector::ClusterComplete(const KnowledgePtr& met,
                                           absl::Span<const uint32_t> blocks,
                                           absl::Span<const uint32_t> floors) {
  auto out = met ? std::make_shared<Knowledge>(*met) : std::make_shared<Knowledge>();
  out->chain = 0;
  out->floors.resize(num_blocks_);
  for (size_t i = 0; i < blocks.size(); ++i) {
    out->floors[blocks[i]] = std::max(out->floors[blocks[i]], floors[i]);
  }
  return out;
}

void RaceDetector::ClusterWait(const Accessor& me, uint32_t own_floor, const KnowledgePtr& met) {
  ThreadClock& clock = *me.clock;
  Materialize(clock);
  KnowledgePtr& known = clock.Learn().known;
  if (memo_in_ != known || memo_met_ != met || !memo_out_) {
    memo_in_ = known;
    memo_met_ = met;
    memo_out_ = Join(known, met, threads_per_block_);
  }
  known = memo_out_;
  clock.seen = std::max(clock.seen, own_floor);
}

}  // namespace astitch::simt
