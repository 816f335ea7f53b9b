// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Memory of the runtime's own: 64-byte aligned, on huge pages where it is large. Column access and
// transposes gain most from those.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"

namespace astitch {

class Scratch {
 public:
  Scratch() = default;
  ~Scratch();
  Scratch(Scratch&& other) noexcept;
  Scratch& operator=(Scratch&& other) noexcept;

  // Error: ResourceExhausted with the size. Pages are not touched: who uses them first does.
  static absl::StatusOr<Scratch> Allocate(int64_t bytes);

  std::byte* data() const { return data_; }  // null when empty
  int64_t bytes() const { return bytes_; }

 private:
  std::byte* data_ = nullptr;
  int64_t bytes_ = 0;
};

}  // namespace astitch
