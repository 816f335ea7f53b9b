// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// An executable on the host. A run: check, bind, then every worker walks the list of steps, meeting
// the others where one worker may read what another wrote.
//
//   worker 0  | serial | serial |#| parallel |#| parallel |     # all wait for all
//   worker 1  |                 |#| parallel |#| parallel |
#include <algorithm>
#include <chrono>
#include <mutex>
#include <utility>

#include "base/status.h"
#include "runtime/check_buffers.h"
#include "runtime/default_floating_point.h"
#include "runtime/executable_impl.h"
#include "runtime/host/worker_team.h"
#include "runtime/load.h"
#include "runtime/program.h"
#include "runtime/run_slot.h"

namespace astitch {
namespace {

using Clock = std::chrono::steady_clock;

class HostExecutable final : public Executable::Impl {
 public:
  HostExecutable(Program program, std::shared_ptr<WorkerTeam> team)
      : program_(std::move(program)), team_(std::move(team)) {}

  const ExecutableImage& image() const override { return program_.image; }

  int64_t scratch_bytes() const override {
    return program_.image.arena_bytes + program_.shared_bytes + program_.aside_bytes +
           program_.tile_bytes * program_.workers;
  }

  absl::Status Run(absl::Span<const ConstBuffer> inputs, absl::Span<const Buffer> outputs,
                   std::vector<StepTime>* times) override {
    ASTITCH_RETURN_IF_ERROR(CheckBuffers(program_.image, inputs, outputs));
    ASTITCH_ASSIGN_OR_RETURN(std::unique_ptr<RunSlot> slot, TakeSlot());
    absl::Status status = slot->Bind(inputs, outputs);
    if (status.ok()) {
      RunOnTeam(*slot, times);
      status = slot->TakeStatus();
    }
    ReturnSlot(std::move(slot));
    return status;
  }

 private:
  void RunOnTeam(RunSlot& slot, std::vector<StepTime>* times) {
    const auto job = [&](int worker, int workers) { RunSteps(slot, worker, workers, times); };
    if (program_.parallel && program_.workers > 1 && team_->TryRun(program_.workers, job)) return;
    job(0, 1);
  }

  void RunSteps(RunSlot& slot, int worker, int workers, std::vector<StepTime>* times) const {
    const DefaultFloatingPoint floating_point;
    const SpinPolicy policy = WorkerTeam::PolicyFor(workers);
    const std::vector<LoadedStep>& steps = program_.steps;
    Clock::time_point begin = Clock::now();
    for (size_t i = 0; i < steps.size(); ++i) {
      const int members = std::min(workers, steps[i].max_workers);
      if (worker < members) slot.RunStep(i, worker, members, policy);
      const bool last = i + 1 == steps.size();
      const bool meet =
          times != nullptr || (!last && (steps[i].parallel() || steps[i + 1].parallel()));
      if (meet) slot.step_barrier().Arrive(static_cast<uint32_t>(workers), policy);
      if (times != nullptr && worker == 0) {
        const Clock::time_point end = Clock::now();
        (*times)[i].time_us = std::chrono::duration<double, std::micro>(end - begin).count();
        begin = end;
      }
    }
  }

  absl::StatusOr<std::unique_ptr<RunSlot>> TakeSlot() {
    {
      std::lock_guard<std::mutex> lock(slots_mutex_);
      if (!free_slots_.empty()) {
        std::unique_ptr<RunSlot> slot = std::move(free_slots_.back());
        free_slots_.pop_back();
        return slot;
      }
      free_slots_.reserve(++num_slots_);  // so that giving one back never allocates
    }
    return RunSlot::Create(program_);
  }

  void ReturnSlot(std::unique_ptr<RunSlot> slot) {
    std::lock_guard<std::mutex> lock(slots_mutex_);
    free_slots_.push_back(std::move(slot));
  }

  const Program program_;
  const std::shared_ptr<WorkerTeam> team_;
  std::mutex slots_mutex_;
  size_t num_slots_ = 0;
  std::vector<std::unique_ptr<RunSlot>> free_slots_;  // last: slots point into the program
};

}  // namespace

absl::StatusOr<std::unique_ptr<Executable>> LoadExecutable(ExecutableImage image,
                                                           const LoadOptions& options,
                                                           std::shared_ptr<WorkerTeam> team) {
  ASTITCH_ASSIGN_OR_RETURN(Program program, LoadProgram(std::move(image), options));
  if (team == nullptr) team = WorkerTeam::Shared();
  if (program.parallel) team->Grow(program.workers);
  return std::make_unique<Executable>(
      std::make_unique<HostExecutable>(std::move(program), std::move(team)));
}

}  // namespace astitch
