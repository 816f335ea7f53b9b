// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The team runs each job on each worker once, its barrier separates phases, a busy team says so,
// and more workers than cores still get through.
#include "runtime/host/worker_team.h"

#include <gtest/gtest.h>

#include <chrono>

namespace astitch {
namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

TEST(WorkerTeam, EachWorkerRunsTheJobOnce) {
  WorkerTeam team;
  team.Grow(4);
  for (int workers : {1, 2, 3, 4, 4, 2, 1, 3}) {
    std::vector<std::atomic<int>> calls(4);
    ASSERT_TRUE(team.TryRun(workers, [&](int worker, int count) {
      EXPECT_EQ(count, workers);
      ++calls[worker];
    }));
    for (int i = 0; i < 4; ++i) EXPECT_EQ(calls[i], i < workers ? 1 : 0) << i << " of " << workers;
  }
}

TEST(WorkerTeam, TheCallerIsWorkerZero) {
  WorkerTeam team;
  team.Grow(2);
  const std::thread::id caller = std::this_thread::get_id();
  team.TryRun(
      2, [&](int worker, int) { EXPECT_EQ(std::this_thread::get_id() == caller, worker == 0); });
}

TEST(WorkerTeam, MoreWorkersThanThereAreIsAsManyAsThereAre) {
  WorkerTeam team;
  team.Grow(2);
  team.TryRun(100, [&](int, int count) { EXPECT_EQ(count, 2); });
}

TEST(WorkerTeam, ABusyTeamSaysSoAndDoesNotWait) {
  WorkerTeam team;
  team.Grow(2);
  std::atomic<bool> inside = false, release = false;
  std::thread other([&] {
    team.TryRun(2, [&](int worker, int) {
      if (worker == 0) inside = true;
      while (!release) std::this_thread::yield();
    });
  });
  while (!inside) std::this_thread::yield();
  EXPECT_FALSE(team.TryRun(2, [](int, int) { FAIL() << "ran on a busy team"; }));
  release = true;
  other.join();
  EXPECT_TRUE(team.TryRun(2, [](int, int) {}));
}

// Every worker sees what every other wrote before the barrier: plain memory, so that a thread
// sanitizer judges the ordering too.
void RunPhases(WorkerTeam& team, int workers, int phases) {
  Barrier barrier;
  std::vector<int64_t> slots(workers);
  std::atomic<int> errors = 0;
  ASSERT_TRUE(team.TryRun(workers, [&](int worker, int count) {
    const SpinPolicy policy = WorkerTeam::PolicyFor(count);
    for (int phase = 1; phase <= phases; ++phase) {
      slots[worker] = phase;
      barrier.Arrive(static_cast<uint32_t>(count), policy);
      for (int i = 0; i < count; ++i) errors += slots[i] != phase;
      barrier.Arrive(static_cast<uint32_t>(count), policy);
    }
  }));
  EXPECT_EQ(errors, 0);
}

TEST(Barrier, SeparatesPhases) {
  WorkerTeam team;
  team.Grow(2);
  RunPhases(team, 2, 2000);
}

TEST(Barrier, WorkersBeyondTheCoresDoNotCrawl) {
  WorkerTeam team;
  team.Grow(8 * UsableCpus());
  const Clock::time_point start = Clock::now();
  RunPhases(team, 8 * UsableCpus(), 50);
  EXPECT_LT(SecondsSince(start), 60.0);  // a barrier that only spins takes a time slice a phase
}

TEST(Barrier, ALongWaitSleepsAndIsWoken) {
  // Far beyond spinning and yielding, so the waiter is asleep when the last one arrives.
  Barrier barrier;
  const SpinPolicy impatient = {.spin_us = 0, .yield_us = 0};
  for (int round = 0; round < 200; ++round) {
    std::thread waiter([&] { barrier.Arrive(2, impatient); });
    if (round % 20 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    barrier.Arrive(2, impatient);
    waiter.join();
  }
}

TEST(WorkerTeam, SleepingWorkersWakeForEachJob) {
  WorkerTeam team;
  team.Grow(3);
  for (int i = 0; i < 30; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // beyond the spinning time
    std::atomic<int> calls = 0;
    team.TryRun(3, [&](int, int) { ++calls; });
    EXPECT_EQ(calls, 3);
  }
}

TEST(WorkerTeam, ManyCallersGetTheTeamOrGoAlone) {
  WorkerTeam team;
  team.Grow(3);
  std::atomic<int64_t> together = 0, alone = 0;
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c) {
    callers.emplace_back([&] {
      for (int i = 0; i < 300; ++i) {
        std::atomic<int> calls = 0;
        if (team.TryRun(3, [&](int, int) { ++calls; })) {
          EXPECT_EQ(calls, 3);
          ++together;
        } else {
          EXPECT_EQ(calls, 0);
          ++alone;
        }
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(together + alone, 1200);
  EXPECT_GT(together, 0);
}

TEST(WorkerTeam, TheSharedTeamLivesAsLongAsItsHolders) {
  std::weak_ptr<WorkerTeam> watched;
  {
    const std::shared_ptr<WorkerTeam> a = WorkerTeam::Shared(), b = WorkerTeam::Shared();
    EXPECT_EQ(a, b);
    a->Grow(2);
    watched = a;
  }
  EXPECT_TRUE(watched.expired());
  EXPECT_NE(WorkerTeam::Shared(), nullptr);
}

}  // namespace
}  // namespace astitch
