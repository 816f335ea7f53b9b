// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Straight from the system: zero pages that cost nothing until touched, given back as a whole.
#include "runtime/scratch.h"

#include <sys/mman.h>

#include <utility>

#include "absl/strings/str_cat.h"

namespace astitch {
namespace {

constexpr int64_t kHugePageFrom = int64_t{4} << 20;  // below, a few small pages cost nothing

}  // namespace

absl::StatusOr<Scratch> Scratch::Allocate(int64_t bytes) {
  Scratch out;
  if (bytes == 0) return out;
  // Reserved only: an image may state more than its steps ever touch.
  void* data = mmap(nullptr, static_cast<size_t>(bytes), PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (data == MAP_FAILED) {
    return absl::ResourceExhaustedError(absl::StrCat("no memory for ", bytes, " bytes of scratch"));
  }
  if (bytes >= kHugePageFrom) madvise(data, static_cast<size_t>(bytes), MADV_HUGEPAGE);
  out.data_ = static_cast<std::byte*>(data);
  out.bytes_ = bytes;
  return out;
}

Scratch::~Scratch() {
  if (data_ != nullptr) munmap(data_, static_cast<size_t>(bytes_));
}

Scratch::Scratch(Scratch&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

Scratch& Scratch::operator=(Scratch&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

}  // namespace astitch
