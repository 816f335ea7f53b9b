// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Waiting for another thread, and the barrier built on it.
//
// Handing work to a spinning thread costs 0.2 us, waking a sleeping one 5 to 40 us. So a wait spins
// first, then offers its core to others, then sleeps (a sleeper that is woken runs at once even on
// a busy machine, one that has yielded waits for the time slices of others): fast while all workers
// have a core, no burden on the machine when they do not or when a step takes long.
#pragma once

#include <atomic>
#include <cstdint>

namespace astitch {

struct SpinPolicy {
  double spin_us = 20;   // with the pause instruction; 0 where workers outnumber cores
  double yield_us = 50;  // with sched_yield
};

// Returns once WORD no longer holds OLD; what was written before it changed is then seen.
// REQUIRES: who changes WORD calls Publish or notifies it.
void WaitWhileEqual(const std::atomic<uint32_t>& word, uint32_t old, const SpinPolicy& policy);

// Stores VALUE and wakes who sleeps on WORD. Sequentially consistent: a waiter that has not yet
// gone to sleep sees the value, one that has is woken.
void Publish(std::atomic<uint32_t>& word, uint32_t value);

// A generation barrier: the last to arrive opens the next generation. No memory of its members, so
// their number may differ from phase to phase as long as all of one phase agree.
class Barrier {
 public:
  // REQUIRES: exactly MEMBERS threads arrive in each phase.
  void Arrive(uint32_t members, const SpinPolicy& policy);

 private:
  // On lines of their own, two apart: arrivals are written by all, the generation read by all.
  alignas(128) std::atomic<uint32_t> arrived_{0};
  alignas(128) std::atomic<uint32_t> generation_{0};
};

}  // namespace astitch
