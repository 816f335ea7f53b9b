// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The three phases of a wait, and the order of the two writes that a sleeper depends on: the word
// first, then the look for sleepers, with a full fence between them.
#include "runtime/host/barrier.h"

#include <sched.h>

#include <chrono>

namespace astitch {
namespace {

using Clock = std::chrono::steady_clock;

void Pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

double ElapsedUs(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

}  // namespace

void WaitWhileEqual(const std::atomic<uint32_t>& word, uint32_t old, const SpinPolicy& policy) {
  // The clock costs as much as a pause or two, so it is read once in 32.
  constexpr int kPausesPerLook = 32;
  const auto changed = [&] { return word.load(std::memory_order_acquire) != old; };
  if (changed()) return;
  const Clock::time_point start = Clock::now();
  while (ElapsedUs(start) < policy.spin_us) {
    for (int i = 0; i < kPausesPerLook; ++i) {
      if (changed()) return;
      Pause();
    }
  }
  while (ElapsedUs(start) < policy.spin_us + policy.yield_us) {
    if (changed()) return;
    sched_yield();
  }
  while (!changed()) word.wait(old, std::memory_order_acquire);
}

void Publish(std::atomic<uint32_t>& word, uint32_t value) {
  word.store(value, std::memory_order_seq_cst);
  word.notify_all();
}

void Barrier::Arrive(uint32_t members, const SpinPolicy& policy) {
  if (members <= 1) return;
  const uint32_t generation = generation_.load(std::memory_order_relaxed);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == members) {
    arrived_.store(0, std::memory_order_relaxed);
    Publish(generation_, generation + 1);
  } else {
    WaitWhileEqual(generation_, generation, policy);
  }
}

}  // namespace astitch
