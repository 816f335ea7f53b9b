// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A range of bytes that a step reads or writes, named by where it will be at run time.
#pragma once

#include <cstdint>
#include <string>

namespace astitch {

struct BufferRef {
  enum class Space : uint8_t {
    kInput,     // memory of the caller, only read
    kOutput,    // memory of the caller; may also be read once written
    kArena,     // scratch of one run, 64-byte aligned
    kConstant,  // bytes of the image, only read
  };
  Space space = Space::kArena;
  int32_t index = 0;   // which input, output or constant; 0 for the arena
  int64_t offset = 0;  // bytes from its start
  int64_t bytes = 0;   // length of the range
  friend bool operator==(const BufferRef&, const BufferRef&) = default;
};

std::string ToString(const BufferRef& ref);  // "input 2 [0,+4096)": offset and length

}  // namespace astitch
