// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A fully associative L2 of 32-byte sectors, least recently used first out, but what is accessed
// evict-first (.cs, L2::evict_first) before all else. Writes allocate and fetch nothing.
#pragma once

#include <cstdint>
#include <vector>

namespace astitch::simt {

inline constexpr int kSectorShift = 5;

class L2Cache {
 public:
  // BUFFER_BYTES: the sizes of the buffers of a launch.
  L2Cache(int64_t bytes, const std::vector<int64_t>& buffer_bytes);

  struct Outcome {
    bool hit = false;
    bool newly_dirty = false;  // will go to DRAM once more
  };
  Outcome Touch(int32_t buffer, int64_t sector, bool write, bool evict_first = false);

 private:
  struct Line {
    int32_t buffer = -1;
    bool dirty = false;
    int32_t newer = -1, older = -1;
    int64_t sector = 0;
  };
  void Unlink(int32_t line);
  void LinkNewest(int32_t line);
  void LinkOldest(int32_t line);

  int64_t capacity_;
  std::vector<std::vector<int32_t>> where_;  // by buffer and sector: the line, or -1
  std::vector<Line> lines_;
  int32_t newest_ = -1, oldest_ = -1;
};

}  // namespace astitch::simt
