// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A library step made ready to run: primitives built, memory sizes known. It is called as a kernel
// is, by every worker of the team with the same arguments, and divides its parts among them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "artifact/host_kernel_abi.h"
#include "artifact/step.h"

namespace astitch {

class LibraryCall {
 public:
  // What one worker of one run needs besides memory: handles that two threads may not share.
  class State {
   public:
    virtual ~State() = default;
  };

  virtual ~LibraryCall() = default;

  // HostKernelArgs::buffers are these, in this order.
  const std::vector<BufferRef>& buffers() const { return buffers_; }
  int64_t tile_bytes() const { return tile_bytes_; }      // of each worker
  int64_t shared_bytes() const { return shared_bytes_; }  // of the team
  int32_t max_workers() const { return max_workers_; }

  virtual absl::StatusOr<std::unique_ptr<State>> NewState() const = 0;

  // Thread-safe with different states. All workers return after equally many barriers, errors or
  // not; the result is there when all have returned.
  virtual absl::Status Run(const HostKernelArgs& args, std::byte* shared, State& state) const = 0;

 protected:
  std::vector<BufferRef> buffers_;
  int64_t tile_bytes_ = 0;
  int64_t shared_bytes_ = 0;
  int32_t max_workers_ = 1;
};

// The share of worker W among WORKERS of COUNT items: contiguous, and all shares cover all items.
struct Share {
  int64_t begin;
  int64_t end;
};
inline Share ShareOf(int64_t count, int64_t worker, int64_t workers) {
  const int64_t each = count / workers, more = count % workers;
  const int64_t begin = worker * each + (worker < more ? worker : more);
  return {begin, begin + each + (worker < more ? 1 : 0)};
}

absl::StatusOr<std::unique_ptr<LibraryCall>> PrepareCopy(const CopyStep& step);
// The one call that allocates while it runs. InvalidArgument when its text is not what the step says.
absl::StatusOr<std::unique_ptr<LibraryCall>> PrepareReference(const ReferenceStep& step);
// REQUIRES of both: ValidateStep(step). Unimplemented when no library takes it.
absl::StatusOr<std::unique_ptr<LibraryCall>> PrepareMatmul(const MatmulStep& step);
absl::StatusOr<std::unique_ptr<LibraryCall>> PrepareConvolution(const ConvolutionStep& step);

}  // namespace astitch
