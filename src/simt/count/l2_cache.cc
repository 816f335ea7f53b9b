// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// An intrusive list in order of use over all sectors of all buffers: constant time an access.
#include "simt/count/l2_cache.h"

#include <algorithm>

namespace astitch::simt {

L2Cache::L2Cache(int64_t bytes, const std::vector<int64_t>& buffer_bytes)
    : capacity_(std::clamp<int64_t>(bytes >> kSectorShift, 1, INT32_MAX)) {
  for (const int64_t size : buffer_bytes) {
    where_.emplace_back((size + (1 << kSectorShift) - 1) >> kSectorShift, -1);
  }
}

void L2Cache::Unlink(int32_t line) {
  const Line& l = lines_[line];
  (l.newer < 0 ? newest_ : lines_[l.newer].older) = l.older;
  (l.older < 0 ? oldest_ : lines_[l.older].newer) = l.newer;
}

void L2Cache::LinkNewest(int32_t line) {
  lines_[line].newer = -1;
  lines_[line].older = newest_;
  (newest_ < 0 ? oldest_ : lines_[newest_].newer) = line;
  newest_ = line;
}

void L2Cache::LinkOldest(int32_t line) {
  lines_[line].older = -1;
  lines_[line].newer = oldest_;
  (oldest_ < 0 ? newest_ : lines_[oldest_].older) = line;
  oldest_ = line;
}

L2Cache::Outcome L2Cache::Touch(int32_t buffer, int64_t sector, bool write, bool evict_first) {
  int32_t& line = where_[buffer][sector];
  Outcome out;
  out.hit = line >= 0;
  if (out.hit) {
    if (evict_first || line != newest_) {
      Unlink(line);
      evict_first ? LinkOldest(line) : LinkNewest(line);
    }
  } else {
    if (static_cast<int64_t>(lines_.size()) < capacity_) {
      line = static_cast<int32_t>(lines_.size());
      lines_.emplace_back();
    } else {
      line = oldest_;
      Unlink(line);
      where_[lines_[line].buffer][lines_[line].sector] = -1;
    }
    lines_[line].buffer = buffer;
    lines_[line].sector = sector;
    lines_[line].dirty = false;
    where_[buffer][sector] = line;
    evict_first ? LinkOldest(line) : LinkNewest(line);
  }
  out.newly_dirty = write && !lines_[line].dirty;
  lines_[line].dirty |= write;
  return out;
}

}  // namespace astitch::simt
