// Copyright 2026 The astitch Authors
// SPDX-License-Identifier: Apache-2.0

// A list in order of use, and a table of where each piece stands in it.
#include "stitch/cache_model.h"

#include <algorithm>
#include <iterator>

namespace astitch {

int64_t CacheModel::Touch(int64_t array, int64_t piece, int64_t bytes, bool evict_first) {
  int64_t missing = bytes;
  if (const auto found = places_.find({array, piece}); found != places_.end()) {
    missing = std::max<int64_t>(0, bytes - found->second->bytes);
    bytes = std::max(bytes, found->second->bytes);
    Erase(found->second);
  }
  // Something larger than the cache passes through and leaves nothing of the others.
  while (used_ + bytes > capacity_ && !entries_.empty()) Erase(std::prev(entries_.end()));
  if (bytes > capacity_) return missing;
  const Place at = evict_first ? entries_.end() : entries_.begin();
  places_[{array, piece}] = entries_.insert(at, {array, piece, bytes});
  used_ += bytes;
  return missing;
}

int64_t CacheModel::Drop(int64_t array, int64_t begin, int64_t end) {
  int64_t bytes = 0;
  for (Place at = entries_.begin(); at != entries_.end();) {
    const Place here = at++;
    if (here->array != array || here->piece < begin || here->piece >= end) continue;
    bytes += here->bytes;
    Erase(here);
  }
  return bytes;
}

void CacheModel::Erase(Place place) {
  used_ -= place->bytes;
  places_.erase({place->array, place->piece});
  entries_.erase(place);
}

}  // namespace astitch
