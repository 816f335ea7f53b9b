// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// The threads that run kernels. One job at a time; the caller is worker 0.
//
// After a job the workers spin for a while, since the next is likely near, and then sleep: an
// executable wakes them once a run, not once a kernel. Thread-safe: whoever finds the team busy is
// told so at once and goes on alone.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "absl/functional/function_ref.h"
#include "runtime/host/barrier.h"

namespace astitch {

// The CPUs that this process may use; at least 1.
int UsableCpus();

class WorkerTeam {
 public:
  static constexpr int kMaxWorkers = 1024;
  using Job = absl::FunctionRef<void(int worker, int num_workers)>;

  WorkerTeam() = default;
  ~WorkerTeam();  // REQUIRES: no job is running
  WorkerTeam(const WorkerTeam&) = delete;
  WorkerTeam& operator=(const WorkerTeam&) = delete;

  // The team of the process; ends with the last executable that holds it.
  static std::shared_ptr<WorkerTeam> Shared();

  // Starts what threads are missing for jobs of that many workers. Threads that the system refuses
  // are done without.
  void Grow(int workers);

  // Runs JOB on up to WORKERS workers, on each once, and returns when all are through; false when
  // the team is busy, and then JOB has not been called. JOB may not throw, nor call this team.
  bool TryRun(int workers, Job job);

  // How the members of a job of that many workers should wait for each other.
  static SpinPolicy PolicyFor(int workers);

 private:
  void Work(int worker, uint32_t seen);
  void GrowLocked(int workers);

  std::mutex busy_;  // held while a job runs
  std::vector<std::thread> threads_;
  const Job* job_ = nullptr;
  // Job number and its worker count in one word, so that a late sleeper can never see one without
  // the other; the count 0 ends the threads.
  alignas(128) std::atomic<uint32_t> ticket_{0};
  alignas(128) std::atomic<uint32_t> unfinished_{0};
};

}  // namespace astitch
