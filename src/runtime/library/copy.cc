// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Copies between buffers, in slices of whole cache lines.
#include <algorithm>
#include <cstring>

#include "base/checked_math.h"
#include "runtime/library/library_call.h"

namespace astitch {
namespace {

constexpr int64_t kSliceBytes = 64 << 10;     // what is worth a worker's while
constexpr int64_t kSerialBelow = 256 << 10;   // two threads win from here on
constexpr int32_t kMaxCopyWorkers = 1 << 16;  // as many as there are

class CopyCall final : public LibraryCall {
 public:
  explicit CopyCall(const CopyStep& step) : bytes_(step.from.bytes) {
    buffers_ = {step.from, step.to};
    max_workers_ = bytes_ < kSerialBelow ? 1 : kMaxCopyWorkers;
  }

  absl::StatusOr<std::unique_ptr<State>> NewState() const override {
    return std::make_unique<State>();
  }

  absl::Status Run(const HostKernelArgs& args, std::byte*, State&) const override {
    const Share share = ShareOf(CeilDiv(bytes_, kSliceBytes), args.worker, args.num_workers);
    const int64_t begin = share.begin * kSliceBytes;
    const int64_t end = std::min(share.end * kSliceBytes, bytes_);
    if (begin < end) {
      std::memcpy(static_cast<std::byte*>(args.buffers[1]) + begin,
                  static_cast<const std::byte*>(args.buffers[0]) + begin, end - begin);
    }
    return absl::OkStatus();
  }

 private:
  const int64_t bytes_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<LibraryCall>> PrepareCopy(const CopyStep& step) {
  return std::make_unique<CopyCall>(step);
}

}  // namespace astitch
