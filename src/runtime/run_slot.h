// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// What one run needs to itself: scratch, the table of buffer addresses, barriers, library handles.
// Made when a run finds no free one, then used by run after run.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "runtime/check_buffers.h"
#include "runtime/host/barrier.h"
#include "runtime/program.h"

namespace astitch {

class RunSlot {
 public:
  // PROGRAM must outlive the slot.
  static absl::StatusOr<std::unique_ptr<RunSlot>> Create(const Program& program);

  // Checks for overlaps and writes the caller's addresses into the table.
  absl::Status Bind(absl::Span<const ConstBuffer> inputs, absl::Span<const Buffer> outputs);

  // One worker's part of one step.
  void RunStep(size_t step, int worker, int members, const SpinPolicy& policy);

  Barrier& step_barrier() { return step_barrier_; }
  // The first error of the run since the last call; OK when there was none.
  absl::Status TakeStatus();

 private:
  explicit RunSlot(const Program& program) : program_(program) {}
  absl::Status Allocate();
  void* AddressOf(const BufferRef& ref, absl::Span<const Buffer> outputs) const;

  const Program& program_;
  Scratch arena_, shared_, tiles_, aside_;
  std::vector<const void*> input_addresses_;  // the caller's, or those of copies set aside
  std::vector<void*> table_;                  // as Program::buffers
  std::vector<std::vector<std::unique_ptr<LibraryCall::State>>> states_;  // of step, of worker
  std::vector<BufferRange> ranges_;
  Barrier step_barrier_;    // all workers of the run, between steps
  Barrier kernel_barrier_;  // the members of a step, inside it
  std::mutex status_mutex_;
  absl::Status status_;
};

}  // namespace astitch
