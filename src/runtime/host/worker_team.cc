// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Life of a worker: wait for a ticket, run the job if the ticket counts it in, say so, wait again.
#include "runtime/host/worker_team.h"

#include <sched.h>

#include <algorithm>
#include <system_error>

namespace astitch {
namespace {

// Spinning after a job: longer than the gap between two runs of a loop that calls us, shorter than
// what anyone would notice as load.
constexpr SpinPolicy kIdle = {.spin_us = 50, .yield_us = 100};
constexpr SpinPolicy kNotInTheJob = {.spin_us = 0, .yield_us = 0};

constexpr int kCountBits = 11;
constexpr uint32_t kCountMask = (1u << kCountBits) - 1;
static_assert(WorkerTeam::kMaxWorkers <= kCountMask);

uint32_t NextTicket(uint32_t ticket, uint32_t workers) {
  return ((ticket >> kCountBits) + 1) << kCountBits | workers;
}

}  // namespace

int UsableCpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return std::max(CPU_COUNT(&set), 1);
  return std::max(static_cast<int>(std::thread::hardware_concurrency()), 1);
}

std::shared_ptr<WorkerTeam> WorkerTeam::Shared() {
  static std::mutex mutex;
  static std::weak_ptr<WorkerTeam> shared;
  std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<WorkerTeam> team = shared.lock();
  if (team == nullptr) shared = team = std::make_shared<WorkerTeam>();
  return team;
}

WorkerTeam::~WorkerTeam() {
  Publish(ticket_, NextTicket(ticket_.load(std::memory_order_relaxed), 0));
  for (std::thread& thread : threads_) thread.join();
}

void WorkerTeam::Grow(int workers) {
  std::lock_guard<std::mutex> lock(busy_);
  GrowLocked(workers);
}

void WorkerTeam::GrowLocked(int workers) {
  workers = std::min(workers, kMaxWorkers);
  const uint32_t seen = ticket_.load(std::memory_order_relaxed);
  while (static_cast<int>(threads_.size()) + 1 < workers) {
    const int worker = static_cast<int>(threads_.size()) + 1;
    try {
      threads_.emplace_back([this, worker, seen] { Work(worker, seen); });
    } catch (const std::system_error&) {
      return;
    }
  }
}

bool WorkerTeam::TryRun(int workers, Job job) {
  std::unique_lock<std::mutex> lock(busy_, std::try_to_lock);
  if (!lock.owns_lock()) return false;
  const int count = std::clamp(workers, 1, static_cast<int>(threads_.size()) + 1);
  if (count == 1) {
    job(0, 1);
    return true;
  }
  job_ = &job;
  unfinished_.store(static_cast<uint32_t>(count - 1), std::memory_order_relaxed);
  Publish(ticket_, NextTicket(ticket_.load(std::memory_order_relaxed), count));
  job(0, count);
  const SpinPolicy policy = PolicyFor(count);
  while (const uint32_t left = unfinished_.load(std::memory_order_acquire)) {
    WaitWhileEqual(unfinished_, left, policy);
  }
  return true;
}

SpinPolicy WorkerTeam::PolicyFor(int workers) {
  static const int cpus = UsableCpus();
  SpinPolicy policy;
  if (workers > cpus) policy.spin_us = 0;  // the one waited for may need this very core
  return policy;
}

void WorkerTeam::Work(int worker, uint32_t seen) {
  SpinPolicy policy = kIdle;
  while (true) {
    WaitWhileEqual(ticket_, seen, policy);
    seen = ticket_.load(std::memory_order_acquire);
    const int count = static_cast<int>(seen & kCountMask);
    if (count == 0) return;
    policy = worker < count ? kIdle : kNotInTheJob;
    if (worker >= count) continue;
    (*job_)(worker, count);
    // The caller waits for the word to change and then for 0; only 0 needs to wake it, but a caller
    // asleep on an older count sleeps until a notification, so the last one notifies.
    if (unfinished_.fetch_sub(1, std::memory_order_seq_cst) == 1) unfinished_.notify_all();
  }
}

}  // namespace astitch
