// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Memory between two pages that nothing may touch: a read or write outside of it stops the process.
//
//   | no access | ... kAtEnd: data ends here |  no access |
//   | no access | kAtStart: data from here ...|  no access |
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/types/span.h"

namespace astitch {

enum class Place : uint8_t {
  kAtStart,  // aligned to a page
  kAtEnd,    // aligned to its element only, which is all that a caller owes
};

class GuardedBuffer {
 public:
  // Filled with a pattern that is no likely result.
  GuardedBuffer(int64_t bytes, Place place);
  ~GuardedBuffer();
  GuardedBuffer(GuardedBuffer&& other) noexcept;
  GuardedBuffer& operator=(GuardedBuffer&&) = delete;

  std::byte* data() const { return data_; }
  int64_t size() const { return bytes_; }
  absl::Span<const std::byte> bytes() const { return {data_, static_cast<size_t>(bytes_)}; }
  // From now on a write stops the process.
  void MakeReadOnly();

 private:
  std::byte* mapping_ = nullptr;
  std::byte* data_ = nullptr;
  int64_t bytes_ = 0, inner_ = 0;
};

}  // namespace astitch
