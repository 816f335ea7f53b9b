// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Whole pages between two without access.
#include "check/guarded_buffer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/check.h"

namespace astitch {

GuardedBuffer::GuardedBuffer(int64_t bytes, Place place) : bytes_(bytes) {
  const int64_t page = sysconf(_SC_PAGESIZE);
  inner_ = std::max<int64_t>(1, (bytes + page - 1) / page) * page;
  void* all = mmap(nullptr, inner_ + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASTITCH_CHECK(all != MAP_FAILED);
  mapping_ = static_cast<std::byte*>(all);
  std::byte* inner = mapping_ + page;
  ASTITCH_CHECK(mprotect(inner, inner_, PROT_READ | PROT_WRITE) == 0);
  std::memset(inner, 0xA5, inner_);
  data_ = place == Place::kAtEnd ? inner + inner_ - bytes : inner;
}

GuardedBuffer::GuardedBuffer(GuardedBuffer&& other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)),
      data_(other.data_),
      bytes_(other.bytes_),
      inner_(other.inner_) {}

GuardedBuffer::~GuardedBuffer() {
  if (mapping_ != nullptr) munmap(mapping_, inner_ + 2 * sysconf(_SC_PAGESIZE));
}

void GuardedBuffer::MakeReadOnly() {
  ASTITCH_CHECK(mprotect(mapping_ + sysconf(_SC_PAGESIZE), inner_, PROT_READ) == 0);
}

}  // namespace astitch
