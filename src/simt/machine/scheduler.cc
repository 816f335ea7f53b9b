// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Turns by slices in one of several orders; a round in which nobody can run is a deadlock, with
// words.
#include "simt/machine/scheduler.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"

namespace astitch::simt {
namespace {

// Slices of some hundred instructions let every missing barrier of a trial show; very short ones
// hide them, since then warps run almost in step.
constexpr int64_t kSlice = 200;
constexpr int64_t kStarveSlice = 1 << 20;
// A warp that polled so often, while nothing in the whole machine changed, waits for ever.
constexpr int64_t kMaxIdlePolls = 2000;

int32_t LowestCounter(const Warp& warp, uint32_t lanes) {
  int32_t out = std::numeric_limits<int32_t>::max();
  ForLanes(lanes, [&](int lane) { out = std::min(out, warp.pc[lane]); });
  return out;
}

uint32_t LanesAt(const Warp& warp, uint32_t lanes, int32_t pc) {
  uint32_t out = 0;
  ForLanes(lanes, [&](int lane) { out |= static_cast<uint32_t>(warp.pc[lane] == pc) << lane; });
  return out;
}

void SetCounters(Warp& warp, uint32_t lanes, int32_t pc) {
  ForLanes(lanes, [&](int lane) { warp.pc[lane] = pc; });
}

uint32_t ActiveLanes(const Warp& warp, const Op& op, uint32_t group) {
  if (op.guard < 0) return group;
  const uint64_t* const guard = warp.registers.data() + op.guard * 32;
  // Four chains, for none to wait long for its last step.
  uint32_t parts[4] = {};
  for (int i = 7; i >= 0; --i) {
    for (int part = 0; part < 4; ++part)
      parts[part] = parts[part] << 1 | static_cast<uint32_t>(guard[8 * part + i] & 1);
  }
  const uint32_t out = parts[0] | parts[1] << 8 | parts[2] << 16 | parts[3] << 24;
  return group & (op.guard_negated ? ~out : out);
}

// Whether the lanes of ACTIVE are all that live of those they name, and each names the same: nobody
// has to wait.
bool AllMeet(const Warp& warp, const Op& op, uint32_t active) {
  if (active == 0 || warp.runnable() != warp.live) return false;
  const uint64_t* const members = warp.Source(op.src[op.num_src - 1]);
  const auto named = static_cast<uint32_t>(members[std::countr_zero(active)]);
  bool same = (named & warp.live) == active;
  ForLanes(active, [&](int lane) { same &= static_cast<uint32_t>(members[lane]) == named; });
  return same;
}

}  // namespace

Scheduler::Scheduler(Machine& machine)
    : machine_(machine),
      num_clusters_(machine.num_blocks() / machine.cluster_blocks()),
      max_resident_(
          std::max<int64_t>(1, machine.params().resident_blocks / machine.cluster_blocks())),
      random_state_(machine.params().seed * 2 + 1) {}

// xorshift64*: the same on every machine.
uint64_t Scheduler::NextRandom() {
  random_state_ ^= random_state_ >> 12;
  random_state_ ^= random_state_ << 25;
  random_state_ ^= random_state_ >> 27;
  return random_state_ * 0x2545F4914F6CDD1Du >> 16;
}

void Scheduler::Admit() {
  const Order order = machine_.params().order;
  const bool backward = order == Order::kReverse || order == Order::kStarve;
  while (next_cluster_ < num_clusters_ && static_cast<int64_t>(resident_.size()) < max_resident_) {
    const int64_t index = backward ? num_clusters_ - 1 - next_cluster_ : next_cluster_;
    resident_.push_back(machine_.MakeCluster(index));
    ++next_cluster_;
    changed_ = true;
  }
  if (!changed_) return;
  changed_ = false;
  turns_.clear();
  for (const auto& cluster : resident_) {
    for (const auto& block : cluster->blocks) {
      for (Warp& warp : block->warps) {
        if (warp.live != 0) turns_.push_back(&warp);
      }
    }
  }
  if (backward) std::reverse(turns_.begin(), turns_.end());
}

void Scheduler::Retire() {
  const auto done = std::remove_if(resident_.begin(), resident_.end(), [](const auto& cluster) {
    return cluster->live_threads() == 0;
  });
  if (done == resident_.end()) return;
  resident_.erase(done, resident_.end());
  machine_.Progress();
  changed_ = true;
}

void Scheduler::Run() {
  while (!machine_.stopped()) {
    Retire();
    Admit();
    if (resident_.empty()) return;
    const bool ran = Round();
    if (machine_.stopped()) return;
    if (!ran) {
      ReportDeadlock(false);
      return;
    }
    if (OnlyPolls()) {
      ReportDeadlock(true);
      return;
    }
  }
}

bool Scheduler::Round() {
  const LaunchParams& params = machine_.params();
  const bool random = params.order == Order::kRandom;
  if (random) {
    for (size_t i = turns_.size(); i > 1; --i) std::swap(turns_[i - 1], turns_[NextRandom() % i]);
  }
  bool ran = false;
  for (Warp* const warp : turns_) {
    if (machine_.stopped()) return true;
    if (warp->live == 0) continue;
    if (warp->runnable() == 0 && !ReleaseDivergent(*warp)) continue;
    if (warp->runnable() == 0) {
      ran = true;
      continue;
    }
    int64_t slice = params.slice > 0                 ? params.slice
                    : params.order == Order::kStarve ? kStarveSlice
                                                     : kSlice;
    if (random) slice = 1 + static_cast<int64_t>(NextRandom() % (2 * slice));
    RunSlice(*warp, slice);
    ran = true;
  }
  return ran;
}

int32_t Scheduler::PickCounter(const Warp& warp, uint32_t runnable) {
  // Now and then the others, so that lanes which spin for lanes of their own warp let them run.
  const bool random = machine_.params().order == Order::kRandom;
  if (random ? NextRandom() % 8 != 0 : !warp.yield) return LowestCounter(warp, runnable);
  const uint64_t turn = random ? NextRandom() : static_cast<uint64_t>(warp.idle_polls);
  uint32_t lanes = runnable;
  for (uint64_t skip = turn % std::popcount(runnable); skip > 0; --skip) lanes &= lanes - 1;
  return warp.pc[std::countr_zero(lanes)];
}

void Scheduler::RunSlice(Warp& warp, int64_t budget) {
  bool first = true;
  while (budget > 0 && !machine_.stopped()) {
    const uint32_t runnable = warp.runnable();
    if (runnable == 0) return;
    const int32_t pc = first ? PickCounter(warp, runnable) : LowestCounter(warp, runnable);
    if (std::exchange(first, false)) warp.yield = false;
    const uint32_t group = LanesAt(warp, runnable, pc);
    const uint32_t others = runnable & ~group;
    int32_t next_other = std::numeric_limits<int32_t>::max();
    ForLanes(others, [&](int lane) {
      if (warp.pc[lane] > pc) next_other = std::min(next_other, warp.pc[lane]);
    });
    if (!RunGroup(warp, pc, group, next_other, budget)) return;
  }
}

bool Scheduler::RunGroup(Warp& warp, int32_t pc, uint32_t group, int32_t next_other,
                         int64_t& budget) {
  const std::vector<Op>& code = machine_.program().code;
  while (budget-- > 0) {
    const Op& op = code[pc];
    const uint32_t active = ActiveLanes(warp, op, group);
    ++warp.steps;
    StageCounts& counts = machine_.stage(op);
    ++counts.warp_instructions[static_cast<int>(op.op_class)];
    counts.thread_instructions[static_cast<int>(op.op_class)] +=
        active == ~0u ? 32 : std::popcount(active);
    if (static_cast<int64_t>(++machine_.clock) > machine_.params().max_steps) {
      machine_.ReportAt(ReportKind::kStepLimit, warp, op, std::countr_zero(group), 0, [&] {
        return absl::StrCat("still running after ", machine_.params().max_steps, " instructions");
      });
      machine_.Stop();
      return false;
    }
    if (op.run != nullptr) {
      if (active != 0) op.run(warp, op, active);
      ++pc;
    } else if (op.meets && AllMeet(warp, op, active)) {
      op.inner(warp, op, active);
      ++pc;
    } else if (op.branch && (active == group || active == 0)) {
      pc = active != 0 ? static_cast<int32_t>(op.imm) : pc + 1;
      if (warp.yield) budget = 0;
    } else {
      SetCounters(warp, group, pc);
      op.flow(warp, op, group, active);
      return !warp.yield;
    }
    if (pc >= next_other || machine_.stopped()) break;
  }
  SetCounters(warp, group, pc);
  return true;
}

// A warp none of whose lanes can run, some of them at a barrier where the whole warp has to be.
bool Scheduler::ReleaseDivergent(Warp& warp) {
  uint32_t divergent = 0, at_barrier = 0, elsewhere = 0;
  ForLanes(warp.live, [&](int lane) {
    const uint32_t bit = 1u << lane;
    if (warp.wait[lane] == Wait::kDivergent) divergent |= bit;
    if (warp.wait[lane] == Wait::kBarrier) at_barrier |= bit;
    if (warp.wait[lane] == Wait::kCollective || warp.wait[lane] == Wait::kCluster) elsewhere |= bit;
  });
  if (divergent == 0 || elsewhere != 0) return false;
  const int lane = std::countr_zero(divergent);
  const Op& op = machine_.program().code[warp.pc[lane]];
  const uint32_t here = LanesAt(warp, divergent, warp.pc[lane]);
  if (here != warp.live) {
    const uint32_t missing = warp.live & ~here;
    const int32_t other = machine_.program().code[warp.pc[std::countr_zero(missing)]].line;
    machine_.ReportAt(ReportKind::kDivergentBarrier, warp, op, lane, other, [&] {
      return absl::StrCat("lanes 0x", absl::Hex(here), " of a warp are here while lanes 0x",
                          absl::Hex(missing), " wait at line ", other);
    });
  }
  // Each thread counts for itself from here on, so that the rest of the kernel is seen too.
  warp.waiting &= ~here;
  ForLanes(here, [&](int l) { warp.wait[l] = Wait::kNone; });
  const int number = static_cast<int>(warp.Source(op.src[0])[lane] & 15);
  machine_.ArriveAtBarrier(warp, op, here, number, 0, true, std::nullopt);
  return true;
}

bool Scheduler::OnlyPolls() const {
  bool any = false;
  for (const Warp* const warp : turns_) {
    if (warp->runnable() == 0) continue;
    any = true;
    if (warp->seen_progress != machine_.progress() || warp->idle_polls < kMaxIdlePolls)
      return false;
  }
  return any;
}

std::string Scheduler::WaitText(const Warp& warp) const {
  std::string out;
  ForLanes(warp.live, [&](int lane) {
    if (!out.empty()) return;
    const int32_t line = machine_.program().code[warp.pc[lane]].line;
    switch (warp.wait[lane]) {
      case Wait::kNone:
        out = absl::StrCat("spins at line ", line);
        break;
      case Wait::kCollective:
        out = absl::StrCat("waits for lanes 0x", absl::Hex(warp.member_mask[lane]), " at line ",
                           line);
        break;
      case Wait::kBarrier:
      case Wait::kDivergent:
        out = absl::StrCat("waits at the barrier of line ", line);
        break;
      case Wait::kCluster:
        out = absl::StrCat("waits at the cluster barrier of line ", line);
        break;
    }
  });
  return out;
}

void Scheduler::ReportDeadlock(bool spinning) {
  const int64_t not_started = num_clusters_ - next_cluster_;
  const bool non_resident = spinning && not_started > 0;
  // The warps that differ in what they wait for say the most; a few are enough.
  std::vector<std::string> seen;
  for (const Warp* const warp : turns_) {
    if (warp->live == 0) continue;
    const std::string text = WaitText(*warp);
    if (std::find(seen.begin(), seen.end(), text) != seen.end() || seen.size() == 8) continue;
    seen.push_back(text);
    // Of a spinning machine, those that spin.
    if (spinning && warp->runnable() == 0) continue;
    const int lane = std::countr_zero(spinning ? warp->runnable() : warp->live);
    const bool collective = warp->wait[lane] == Wait::kCollective;
    const ReportKind kind = non_resident ? ReportKind::kNonResident
                            : collective ? ReportKind::kCollective
                                         : ReportKind::kDeadlock;
    machine_.ReportAt(
        kind, *warp, machine_.program().code[warp->pc[lane]], lane, 0, [&]() -> std::string {
          if (!non_resident) {
            return absl::StrCat("nothing can go on: warp ", warp->index, " ", text);
          }
          return absl::StrCat("the resident blocks (", resident_.size() * machine_.cluster_blocks(),
                              ") wait for ", not_started * machine_.cluster_blocks(),
                              " that have no room to start: warp ", warp->index, " ", text);
        });
  }
  machine_.Stop();
}

}  // namespace astitch::simt
