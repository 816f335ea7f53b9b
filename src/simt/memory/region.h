// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Memory as the simulated machine sees it: regions with bounds, a valid flag a byte, and addresses
// that say by themselves which space they are of.
//
//   global   (buffer + 1) << 40 | 1 << 39, so that a pointer that runs off either end of a buffer
//            still names that buffer, and never reaches another one
//   shared   1 << 60 | (block's rank in its cluster + 1) << 24 | offset; the window of the block
//            itself, which ld.shared uses, has rank 0 in that field
//   local    2 << 60 | offset     param   3 << 60 | offset     const   4 << 60 | offset
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "simt/ptx/types.h"

namespace astitch::simt {

class Shadow;

// A caller's device memory; it lives on from launch to launch.
struct Buffer {
  std::string name;
  std::vector<uint8_t> bytes;
  std::vector<uint8_t> valid;  // as many: 1 where it was written
  bool read_only = false;      // an input: a kernel that writes it is reported

  static Buffer Of(std::string name, absl::Span<const uint8_t> bytes);
  // Filled with a pattern, and nothing of it valid.
  static Buffer Unwritten(std::string name, int64_t bytes);
};

struct Region {
  std::string name;
  Space space = Space::kGlobal;
  uint8_t* bytes = nullptr;
  uint8_t* valid = nullptr;  // null: everything is
  int64_t size = 0;
  bool read_only = false;
  Shadow* shadow = nullptr;  // null: accesses are not followed
  int32_t buffer = -1;       // number in the counts; -1: not counted by buffer
};

inline constexpr uint8_t kUnwrittenByte = 0xCB;
inline constexpr int kBufferShift = 40;
inline constexpr int kSpaceShift = 60;
inline constexpr int kRankShift = 24;
inline constexpr uint64_t kSharedTag = 1, kLocalTag = 2, kParamTag = 3, kConstTag = 4;

constexpr uint64_t GlobalBase(int32_t buffer) {
  return (static_cast<uint64_t>(buffer) + 1) << kBufferShift | uint64_t{1} << (kBufferShift - 1);
}
constexpr uint64_t Tagged(uint64_t tag, uint64_t offset) { return tag << kSpaceShift | offset; }

}  // namespace astitch::simt
