// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// Who touched which bytes last: a record for each word of a region.
//
// Words are of four bytes. A page in which something narrower is touched is split into records of
// two bytes or one, so that two threads writing the halves of a word are no race.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "simt/race/knowledge.h"

namespace astitch::simt {

// Weak, or strong within a scope.
enum class Strength : uint8_t { kWeak, kCta, kCluster, kGpu, kSys };

// Lanes of one warp that read at a moment.
struct WarpRead {
  ThreadId first = kNoThread;  // the warp's lane 0; kNoThread: nobody read
  uint32_t lanes = 0;
  Moment at;
  uint32_t pc = 0;
  Strength strength = Strength::kWeak;
};

// Where many warps read: the latest epoch of each block.
struct BlockRead {
  uint32_t epoch = 0;  // 0: no read
  uint32_t pc = 0;
  Strength strength = Strength::kSys;  // of the weakest
};

struct MoreReaders {
  std::vector<WarpRead> warps;
  std::vector<BlockRead> blocks;  // by block, once there are too many warps
  void Clear() {
    warps.clear();
    blocks.clear();
  }
};

struct Granule {
  ThreadId writer = kNoThread;
  Moment written;
  uint32_t write_pc = 0;
  WarpRead reader;
  uint32_t more = 0;  // of Shadow::more, plus 1
  Strength write_strength = Strength::kWeak;
  bool non_coherent = false;  // was read through ld.global.nc
  uint32_t non_coherent_pc = 0;
};

class Shadow {
 public:
  explicit Shadow(int64_t size) : pages_((size + kPageBytes - 1) / kPageBytes) {}

  static constexpr int kPageShift = 10;
  static constexpr int64_t kPageBytes = int64_t{1} << kPageShift;

  // Calls FN with each record of [offset, offset + bytes). REQUIRES: naturally aligned.
  template <typename F>
  void ForEach(int64_t offset, int bytes, F fn) {
    const int wanted = bytes >= 4 ? 2 : bytes >= 2 ? 1 : 0;
    Page& page = PageAt(offset >> kPageShift, wanted);
    const int64_t in_page = offset & (kPageBytes - 1);
    const int64_t end = (in_page + bytes - 1) >> page.shift;
    for (int64_t i = in_page >> page.shift; i <= end; ++i) fn(page.granules[i]);
  }

  // Calls FN with every record that there is.
  template <typename F>
  void ForAll(F fn) {
    for (const std::unique_ptr<Page>& page : pages_) {
      if (page == nullptr) continue;
      for (Granule& granule : page->granules) fn(granule);
    }
  }

  MoreReaders& More(Granule& granule) {
    if (granule.more == 0) {
      more_.emplace_back();
      granule.more = static_cast<uint32_t>(more_.size());
    }
    return more_[granule.more - 1];
  }

 private:
  struct Page {
    int shift = 2;
    std::vector<Granule> granules;
  };
  Page& PageAt(int64_t index, int wanted_shift) {
    std::unique_ptr<Page>& page = pages_[index];
    if (page == nullptr || page->shift > wanted_shift) Refine(page, wanted_shift);
    return *page;
  }
  void Refine(std::unique_ptr<Page>& page, int shift);

  std::vector<std::unique_ptr<Page>> pages_;
  std::vector<MoreReaders> more_;
};

}  // namespace astitch::simt
